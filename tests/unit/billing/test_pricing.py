"""Prices against a second, independent way to reckon them."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contentsvc.billing.pricing import PriceSnapshot, Unpriceable, list_price, price_order

FACTORS = st.decimals("0.000001", "999999999999", places=6)
SMALL_FACTORS = st.decimals("0.000001", "100", places=6)
UNITS = st.decimals(0, 100_000, places=9)


def cents_half_up(value: Fraction) -> Fraction:
    return Fraction(floor(value * 100 + Fraction(1, 2)), 100)


def fraction_price(
    unit_price: Decimal, units: Decimal, rate: Decimal, margin: Decimal, team: Decimal
) -> Fraction:
    listed = cents_half_up(
        Fraction(unit_price) * Fraction(units) * Fraction(rate) * Fraction(margin) / Fraction(1, 10)
    )
    return cents_half_up(listed * Fraction(team))


def order(**changes: object) -> PriceSnapshot:
    figures = {
        "unit_price": Decimal("0.04"),
        "billing_unit": "image",
        "units": Decimal(1),
        "exchange_rate": Decimal(1),
        "margin_factor": Decimal("1.5"),
        "multiplier": Decimal(1),
        "buffer": None,
    }
    return price_order(**(figures | changes))  # type: ignore[arg-type]


@given(SMALL_FACTORS, UNITS, SMALL_FACTORS, SMALL_FACTORS, SMALL_FACTORS, SMALL_FACTORS)
def test_an_order_costs_what_exact_fractions_say(
    unit_price: Decimal, units: Decimal, rate: Decimal, margin: Decimal, team: Decimal, buffer: Decimal
) -> None:
    priced = {"unit_price": unit_price, "exchange_rate": rate, "margin_factor": margin, "multiplier": team}
    price = fraction_price(unit_price, units, rate, margin, team)
    plain = order(units=units, **priced)
    assert Fraction(plain.estimated) == price
    assert Fraction(plain.charge_for(units)) == price
    buffered = order(units=units, buffer=buffer, **priced)
    assert Fraction(buffered.estimated) == cents_half_up(price * Fraction(buffer))
    assert Fraction(buffered.charge_for(units)) == price


@given(FACTORS, UNITS, FACTORS, FACTORS, FACTORS, st.none() | FACTORS)
def test_a_snapshot_comes_back_from_json_as_it_was(
    unit_price: Decimal, units: Decimal, rate: Decimal, margin: Decimal, team: Decimal, buffer: Decimal | None
) -> None:
    snapshot = PriceSnapshot(
        unit_price=unit_price,
        billing_unit="1k_tokens",
        units_estimated=units,
        exchange_rate=rate,
        margin_factor=margin,
        multiplier=team,
        buffer=buffer,
        list=Decimal("12345.67"),
        estimated=Decimal("0.10"),
    )
    stored = json.loads(json.dumps(snapshot.model_dump(mode="json")))
    assert PriceSnapshot.model_validate(stored) == snapshot


@pytest.mark.parametrize(
    ("unit_price", "multiplier", "listed", "price"),
    [
        ("0.04", "1", "0.60", "0.60"),
        ("0.033", "1", "0.50", "0.50"),  # 0.495: up
        ("0.0003", "1", "0.00", "0.00"),  # 0.0045: down
        ("0.033", "0.99", "0.50", "0.50"),  # 0.495 of the rounded list; the raw 0.49005 would be 0.49
        ("0", "3", "0.00", "0.00"),
    ],
)
def test_both_steps_round_half_up(unit_price: str, multiplier: str, listed: str, price: str) -> None:
    snapshot = order(unit_price=Decimal(unit_price), multiplier=Decimal(multiplier))
    assert (str(snapshot.list), str(snapshot.estimated)) == (listed, price)


def test_the_buffer_is_a_third_half_up_step() -> None:
    snapshot = order(unit_price=Decimal("0.0033"), buffer=Decimal("1.10"))
    assert (str(snapshot.list), str(snapshot.estimated)) == ("0.05", "0.06")  # 0.055: up


def test_an_exponent_goes_out_as_plain_digits() -> None:
    assert order(units=Decimal("1E+2")).model_dump(mode="json")["units_estimated"] == "100"


@pytest.mark.parametrize("units", ["NaN", "Infinity", "-0.000001"])
def test_units_that_are_no_quantity_have_no_price(units: str) -> None:
    with pytest.raises(Unpriceable):
        list_price(Decimal(1), Decimal(units), Decimal(1), Decimal(1))


def test_a_price_no_account_can_hold_is_no_price() -> None:
    with pytest.raises(Unpriceable):
        order().charge_for(Decimal(10) ** 18)
