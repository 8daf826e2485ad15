"""What an order is charged for, from the figures that providers report."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, TypeGuard

from contentsvc.plugin import BillingUnit, Context, Usage, figure
from contentsvc_authoring.reading import option

MOST_TOKENS: Final = 20_000_000
"""More than one order can use; a larger figure is a mistake."""

_MOST_MEMBERS: Final = 32


def tokens_used(ctx: Context, taken: object, made: object, report: object, *, total: object = None) -> Usage:
    """What tokens come to, in thousands; one of output counts ``output_weight`` times.

    Where a provider tells neither what it took nor what it made, ``total`` counts as taken.
    Billed by the picture or by the task it is one. Figures that can't be true are none: then
    the estimate is charged. ``report`` is the provider's, kept as far as it has figures.
    """
    raw = figures(report)
    unit = ctx.model.billing_unit
    if unit in (BillingUnit.IMAGE, BillingUnit.TASK):
        return Usage(Decimal(1), raw)
    if not taken and not made:
        taken, made = total, 0
    if unit not in (BillingUnit.THOUSAND_TOKENS, None) or not is_count(taken) or not is_count(made):
        return Usage(None, raw)
    weight = Decimal(str(option(ctx, "output_weight", 1)))
    return Usage((taken + made * weight) / 1000 or None, raw)


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number that can be one of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def figures(report: object) -> dict[str, Any]:
    """The members of a report that are figures of usage."""
    if not isinstance(report, Mapping):
        return {}
    kept = [
        (str(name)[:64], value)
        for name, value in report.items()
        if isinstance(value, int | float) and figure(value) is not None
    ]
    return dict(kept[:_MOST_MEMBERS])
