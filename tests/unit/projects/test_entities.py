"""What reading a script may cost, by what its model is paid for."""

from __future__ import annotations

from decimal import Decimal

import pytest

from contentsvc.plugin import BillingUnit
from contentsvc.projects.base_assets.entities import extraction_units
from contentsvc.providers.models import ModelConfig


@pytest.mark.parametrize(
    ("unit", "characters", "units"),
    [
        (BillingUnit.TASK, 9000, "1"),
        (BillingUnit.THOUSAND_CHARACTERS, 4500, "4.5"),
        (BillingUnit.THOUSAND_TOKENS, 3000, "2.5"),
        (BillingUnit.THOUSAND_TOKENS, 9000, "4.5"),
    ],
)
def test_the_units_of_a_script_grow_with_its_length_where_length_is_paid_for(
    unit: BillingUnit, characters: int, units: str
) -> None:
    assert extraction_units(ModelConfig(billing_unit=unit), characters) == Decimal(units)
