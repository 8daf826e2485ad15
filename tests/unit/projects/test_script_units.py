"""What a script is expected to use."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from contentsvc.plugin import BillingUnit
from contentsvc.projects.scripts.stream.units import estimated_units

OPEN: dict[str, Any] = {"prompt": "", "segments": [], "target_index": None, "total_duration": None}


@pytest.mark.parametrize("unit", [BillingUnit.TASK, BillingUnit.IMAGE])
def test_a_script_is_one_of_what_it_is_not_counted_in(unit: BillingUnit) -> None:
    assert estimated_units(unit, OPEN) == 1


@pytest.mark.parametrize(("asked", "seconds"), [(None, 30), (12, 12), (7.5, Decimal("7.5"))])
def test_seconds_are_those_of_the_film(asked: float | None, seconds: Any) -> None:
    assert estimated_units(BillingUnit.SECOND, {**OPEN, "total_duration": asked}) == seconds


def test_a_rewritten_film_lasts_as_long_as_before() -> None:
    script = {**OPEN, "segments": [{"narration": "A cup.", "duration_seconds": 4.5}] * 4}
    assert estimated_units(BillingUnit.SECOND, script) == 18


def test_characters_count_what_goes_in_and_what_comes_out() -> None:
    units = estimated_units(BillingUnit.THOUSAND_CHARACTERS, OPEN)
    # 6 segments of 900, a preface of 1,500, the task of 3,000, the request of 76.
    assert units == Decimal("9.976")


def test_a_token_is_three_characters() -> None:
    assert estimated_units(BillingUnit.THOUSAND_TOKENS, OPEN) == Decimal("3.326")


def test_a_longer_wish_costs_more() -> None:
    longer = estimated_units(BillingUnit.THOUSAND_CHARACTERS, {**OPEN, "prompt": "x" * 1000})
    assert longer - estimated_units(BillingUnit.THOUSAND_CHARACTERS, OPEN) == 1


def test_one_segment_costs_less_than_all() -> None:
    script = {**OPEN, "segments": [{"narration": "A cup."}] * 6}
    whole = estimated_units(BillingUnit.THOUSAND_CHARACTERS, script)
    one = estimated_units(BillingUnit.THOUSAND_CHARACTERS, {**script, "target_index": 0})
    assert Decimal(4) < whole - one < Decimal(5)
