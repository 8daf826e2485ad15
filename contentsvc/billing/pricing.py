"""What work costs: two half-up steps from a model's unit price to a team's credits.

One credit is worth a tenth of the platform's currency unit. Every order keeps the figures it
was priced with (:class:`PriceSnapshot`), and is charged from those, whatever changes later.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, PlainSerializer
from sqlalchemy.orm import Session

from contentsvc.billing.models import BillingConfig
from contentsvc.http.types import CENT
from contentsvc.security.models import Team

CREDITS_PER_CURRENCY_UNIT: Final = Decimal(10)
CREDIT_VALUE: Final = 1 / CREDITS_PER_CURRENCY_UNIT
"""Platform currency units one credit is worth."""

LARGEST_AMOUNT: Final = Decimal(10) ** 15
"""Credits; an amount column holds one digit more."""

# Every product of the formula fits without a rounding of its own: four numbers of at
# most 18 digits and the units.
_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_UP)


class Unpriceable(ValueError):
    """There is no price for such units. Refuse the work; never do it for nothing."""


def _plain(value: Decimal) -> str:
    return format(value, "f")


ExactDecimal = Annotated[Decimal, PlainSerializer(_plain, return_type=str, when_used="json")]


class PriceSnapshot(BaseModel):
    """The figures an order was priced with; goes to JSON and back without losing a digit.

    ``list`` is the price in credits before the team's multiplier, ``estimated`` what is
    reserved; ``buffer`` is null for work that is reserved without one.
    """

    model_config = ConfigDict(frozen=True)

    unit_price: ExactDecimal
    billing_unit: str
    units_estimated: ExactDecimal
    exchange_rate: ExactDecimal
    margin_factor: ExactDecimal
    multiplier: ExactDecimal
    buffer: ExactDecimal | None
    list: ExactDecimal
    estimated: ExactDecimal

    def charge_for(self, units: Decimal) -> Decimal:
        """The price of the units that were really used, in credits, without the buffer.

        Raises :class:`Unpriceable` for units that are no number, negative or absurdly many.
        """
        listed = list_price(self.unit_price, units, self.exchange_rate, self.margin_factor)
        return _half_up(listed, self.multiplier)


def list_price(
    unit_price: Decimal, units: Decimal, exchange_rate: Decimal, margin_factor: Decimal
) -> Decimal:
    """``units`` in credits, before any team's multiplier. Raises :class:`Unpriceable`."""
    if not units.is_finite() or units < 0:
        raise Unpriceable(f"There is no price for {units} units.")
    return _half_up(unit_price, units, exchange_rate, margin_factor, CREDITS_PER_CURRENCY_UNIT)


def price_order(
    *,
    unit_price: Decimal,
    billing_unit: str,
    units: Decimal,
    exchange_rate: Decimal,
    margin_factor: Decimal,
    multiplier: Decimal,
    buffer: Decimal | None = None,
) -> PriceSnapshot:
    """Price an order from its figures; see :class:`PriceSnapshot`. Raises :class:`Unpriceable`."""
    listed = list_price(unit_price, units, exchange_rate, margin_factor)
    price = _half_up(listed, multiplier)
    return PriceSnapshot(
        unit_price=unit_price,
        billing_unit=billing_unit,
        units_estimated=units,
        exchange_rate=exchange_rate,
        margin_factor=margin_factor,
        multiplier=multiplier,
        buffer=buffer,
        list=listed,
        estimated=price if buffer is None else _half_up(price, buffer),
    )


def quote(
    session: Session,
    team: Team,
    *,
    unit_price: Decimal,
    billing_unit: str,
    units: Decimal,
    buffered: bool = False,
) -> PriceSnapshot:
    """Price an order of ``units`` (in ``billing_unit``) with the rates that hold now.

    ``unit_price`` is in platform currency. ``buffered`` adds the platform's reserve buffer to
    what is reserved, for work whose real use is only known afterwards. Raises
    :class:`Unpriceable`.
    """
    rates = session.get_one(BillingConfig, 1, populate_existing=True)
    return price_order(
        unit_price=unit_price,
        billing_unit=billing_unit,
        units=units,
        exchange_rate=rates.exchange_rate,
        margin_factor=rates.margin_factor,
        multiplier=team.price_multiplier,
        buffer=rates.reserve_buffer if buffered else None,
    )


def _half_up(*factors: Decimal) -> Decimal:
    """The product of the factors, rounded half-up to cents."""
    with localcontext(_EXACT):
        product = Decimal(1)
        for factor in factors:
            product *= factor
        if product > LARGEST_AMOUNT:
            raise Unpriceable("The price is larger than an account can hold.")
        return product.quantize(CENT)
