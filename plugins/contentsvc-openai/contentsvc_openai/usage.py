"""What an order is charged for, from the figures an endpoint reports."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import BillingUnit, Context, Usage
from contentsvc_openai.wire import option

MAX_TOKENS: Final = 20_000_000
"""More than one order can use; a larger figure is a mistake."""

_INPUT: Final = ("prompt_tokens", "input_tokens")
_OUTPUT: Final = ("completion_tokens", "output_tokens")
_KEPT: Final = (*_INPUT, *_OUTPUT, "total_tokens")


def usage_of(reported: object, ctx: Context) -> Usage:
    """Thousands of tokens where the model is billed by them, one picture or task where by those.

    ``output_weight`` says how many input tokens an output token costs. Without usable figures
    there are no units: the estimate is charged.
    """
    raw = _sane(reported)
    unit = ctx.model.billing_unit
    if unit is BillingUnit.THOUSAND_TOKENS or unit is None:
        return Usage(_thousands(raw, Decimal(str(option(ctx, "output_weight", 1.0)))), raw)
    if unit in (BillingUnit.IMAGE, BillingUnit.TASK):
        return Usage(Decimal(1), raw)
    return Usage(None, raw)


def usage_of_text(text: str, ctx: Context) -> Usage:
    """Of a spoken text: characters or the call; the endpoint itself reports nothing."""
    raw = {"characters": len(text)}
    unit = ctx.model.billing_unit
    if unit is BillingUnit.THOUSAND_CHARACTERS or unit is None:
        return Usage(Decimal(len(text)) / 1000, raw)
    return Usage(Decimal(1) if unit is BillingUnit.TASK else None, raw)


def _thousands(raw: Mapping[str, int], weight: Decimal) -> Decimal | None:
    taken = next((raw[name] for name in _INPUT if name in raw), None)
    made = next((raw[name] for name in _OUTPUT if name in raw), None)
    if taken is None or made is None or not taken + made:
        total = raw.get("total_tokens")
        return Decimal(total) / 1000 if total else None
    return (taken + made * weight) / 1000


def _sane(reported: object) -> dict[str, Any]:
    """The figures that can be true; none of them where one of them can't."""
    if not isinstance(reported, Mapping):
        return {}
    found = {name: reported[name] for name in _KEPT if reported.get(name) is not None}
    if all(type(value) is int and 0 <= value <= MAX_TOKENS for value in found.values()):
        return found
    return {}
