"""Reading what an administrator may have edited, and what a provider may have sent: nothing is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, TypeGuard

from contentsvc.plugin import BillingUnit, Context, Usage

MOST_TOKENS: Final = 20_000_000
"""More than one order can use; a larger figure is a mistake."""


def member(document: object, *path: str) -> Any:
    """What lies at a path of members; None where there is nothing."""
    for name in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    return document


def text(document: object, *path: str) -> str:
    """The text at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, str) else ""


def items(document: object, *path: str) -> list[Any]:
    """The list at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, list) else []


def texts(document: object, *path: str) -> list[str]:
    """The texts of the list at a path of members."""
    return [item for item in items(document, *path) if isinstance(item, str)]


def option(ctx: Context, name: str, default: float) -> float:
    """A number above zero that the administrator may have set."""
    value = ctx.model.options.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if 0 < value < math.inf else default


def parameters(ctx: Context) -> dict[str, Any]:
    """What the model's options add to every request of it."""
    return dict(member(ctx.model.options, "parameters") or {})


def usage_of_tokens(ctx: Context, taken: object, made: object, raw: Mapping[str, int]) -> Usage:
    """What tokens come to: an output token counts ``output_weight`` times.

    Billed by the picture or by the task it is one. Figures that can't be true are none: then
    the estimate is charged.
    """
    unit = ctx.model.billing_unit
    if unit in (BillingUnit.IMAGE, BillingUnit.TASK):
        return Usage(Decimal(1), raw)
    if unit not in (BillingUnit.THOUSAND_TOKENS, None) or not is_count(taken) or not is_count(made):
        return Usage(None, raw)
    weight = Decimal(str(option(ctx, "output_weight", 1)))
    units = (Decimal(taken) + Decimal(made) * weight) / 1000
    return Usage(units or None, raw)


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number that can be one of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def counts(document: object) -> dict[str, int]:
    """The members of a report that are figures."""
    if not isinstance(document, Mapping):
        return {}
    kept = [(str(name)[:64], value) for name, value in document.items() if is_count(value)]
    return dict(kept[:32])
