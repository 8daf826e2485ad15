"""Reading what an administrator may have edited, and what a provider may have sent: nothing is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from contentsvc.plugin import BillingUnit, Context, Usage

MOST_UNITS = 10**12
MOST_RAW = 32
MOST_DEPTH = 4


def text(document: object, *path: str) -> str:
    """The text at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, str) else ""


def member(document: object, *path: str) -> Any:
    """What lies at a path of members; None where there is nothing."""
    for name in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    return document


def items(document: object, *path: str) -> list[Any]:
    """The list at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, list) else []


def number(value: object, default: float) -> float:
    """A finite number, else the default."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default
    return float(value)


def count(value: object) -> int | None:
    """A figure of usage; None unless it is a whole number that can be one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_UNITS:
        return None
    return value


def order_of(ctx: Context) -> str:
    """The provider's own name of the model that was ordered."""
    return ctx.model.endpoint or ctx.model.name


def parameters(ctx: Context) -> dict[str, Any]:
    """What the model's options add to every request of it."""
    return dict(member(ctx.model.options, "parameters") or {})


def usage(ctx: Context, report: object, figures: Mapping[BillingUnit, object]) -> Usage:
    """What is charged: the figure of the unit the model is billed by, and the report as it came.

    Tokens and characters are counted by the thousand. A figure that can't be true is none: then
    the estimate is charged.
    """
    unit = ctx.model.billing_unit
    figure = count(figures.get(unit)) if unit is not None else None
    if figure is None:
        return Usage(None, raw(report))
    in_thousands = unit in (BillingUnit.THOUSAND_TOKENS, BillingUnit.THOUSAND_CHARACTERS)
    return Usage(Decimal(figure) / (1000 if in_thousands else 1), raw(report))


def raw(report: object) -> dict[str, Any]:
    """The provider's report as far as it is JSON of a sane size."""
    if not isinstance(report, Mapping):
        return {}
    return dict(_plain(report, MOST_DEPTH))


def _plain(value: object, depth: int) -> Any:
    if isinstance(value, Mapping) and depth:
        kept = list(value.items())[:MOST_RAW]
        return {str(name)[:64]: _plain(inner, depth - 1) for name, inner in kept}
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MOST_UNITS else str(value)[:32]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value[:200] if isinstance(value, str) else None
