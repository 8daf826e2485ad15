"""What is charged for pictures, clips and voices."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from contentsvc.plugin import BillingUnit, Context, Usage
from contentsvc_authoring import figures, is_count

_BY_THE_THOUSAND = (BillingUnit.THOUSAND_TOKENS, BillingUnit.THOUSAND_CHARACTERS)


def usage(ctx: Context, report: object, counts: Mapping[BillingUnit, object]) -> Usage:
    """The count of the unit the model is billed by, and what of the report are figures.

    A count that can't be true is none: then the estimate is charged.
    """
    unit = ctx.model.billing_unit
    counted = None if unit is None else counts.get(unit)
    if not is_count(counted):
        return Usage(None, figures(report))
    return Usage(Decimal(counted) / (1000 if unit in _BY_THE_THOUSAND else 1), figures(report))
