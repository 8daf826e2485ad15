"""Numbers and times of the API, in and out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from contentsvc.http.types import CreditsIn, FactorIn, Timestamp, credits_text, factor_text

CREDITS: TypeAdapter[Decimal] = TypeAdapter(CreditsIn)
FACTOR: TypeAdapter[Decimal] = TypeAdapter(FactorIn)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("12.5", "12.50"),
        (12.5, "12.50"),
        (0.1, "0.10"),
        (-3, "-3.00"),
        ("1.10", "1.10"),
        (10**12, "1" + "0" * 12 + ".00"),
    ],
)
def test_credits_come_as_number_or_string_and_go_with_two_decimals(sent: object, expected: str) -> None:
    assert credits_text(CREDITS.validate_python(sent)) == expected


@pytest.mark.parametrize(
    "sent",
    [True, None, [], "", " 1", "1e3", "1_000", "٣", "0x10", "NaN", "Infinity", "-Infinity", "1.", ".5", "+1",
     "0.001", 0.001, float("nan"), float("inf"), 10**12 + 1, "1000000000000.01", 10**300],
)  # fmt: skip
def test_what_is_no_amount_is_refused(sent: object) -> None:
    with pytest.raises(ValidationError):
        CREDITS.validate_python(sent)


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_every_amount_survives_the_way_out_and_in(amount: Decimal) -> None:
    assert CREDITS.validate_python(credits_text(amount)) == amount


@given(st.decimals(min_value=0, max_value=10**6, places=6))
def test_every_factor_survives_the_way_out_and_in(factor: Decimal) -> None:
    assert FACTOR.validate_python(factor_text(factor)) == factor


@pytest.mark.parametrize(
    ("value", "text"), [("1", "1"), ("1.500000", "1.5"), ("10", "10"), ("0", "0"), ("0.000001", "0.000001")]
)
def test_factors_go_out_without_trailing_zeros(value: str, text: str) -> None:
    assert factor_text(Decimal(value)) == text


def test_times_go_out_in_utc_with_z() -> None:
    moment = datetime(2026, 3, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    adapter: TypeAdapter[datetime] = TypeAdapter(Timestamp)
    assert adapter.dump_python(moment) == "2026-03-01T12:30:00Z"
    assert adapter.dump_python(moment.astimezone(UTC)) == "2026-03-01T12:30:00Z"
