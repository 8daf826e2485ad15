"""What the billing routes read and answer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from contentsvc.billing.models import LedgerType
from contentsvc.billing.trend import TrendRange
from contentsvc.http import PageQuery
from contentsvc.http.types import Credits, CreditsIn, Factor, FactorIn, Id, In, LimitIn, Out, Timestamp, Word

_FACTOR_END: Final = Decimal(10) ** 12

Rate = Annotated[FactorIn, Field(gt=0, lt=_FACTOR_END)]
"""A rate from a client: more than 0, at most six decimals."""


def _not_zero(value: Decimal) -> Decimal:
    if value == 0:
        raise ValueError("an adjustment of nothing changes nothing")
    return value


class LedgerQuery(PageQuery):
    """A page of the ledger; ``ledger_type`` keeps one type of rows."""

    ledger_type: LedgerType | None = None


class AllLedgersQuery(LedgerQuery):
    """A page of all teams' ledgers; ``team`` keeps one team's rows."""

    team: Id | None = None


class LedgerOut(Out):
    """A movement of credit. ``member`` is a user's id; ``task`` and ``reservation_no`` go together."""

    id: Id
    ledger_type: LedgerType
    amount: Credits
    balance_after: Credits
    frozen_after: Credits
    task: Id | None = Field(validation_alias="task_id")
    project: Id | None = Field(validation_alias="project_id")
    member: Id | None = Field(validation_alias="member_id")
    reason: str
    channel: str
    reservation_no: int | None
    created_at: Timestamp


class SummaryOut(Out):
    """What the team owns, holds and has spent, in credits.

    ``available`` is ``balance`` less ``frozen``. ``credit_value`` is what one credit is worth
    in ``currency``. ``monthly_credit_limit`` is the team's own: null means the platform's
    default, 0 no limit.
    """

    balance: Credits
    frozen: Credits
    available: Credits
    today_charged: Credits
    month_charged: Credits
    total_charged: Credits
    monthly_credit_limit: Credits | None
    price_multiplier: Factor
    credit_value: Factor
    currency: str


class TrendQuery(In):
    """``range``: 30 days, 12 weeks or 12 months."""

    range: TrendRange = TrendRange.DAY


class TrendPointOut(Out):
    """A period by its first day; credits charged and recharged in it, tasks ordered in it."""

    period: date
    charged: Credits
    recharged: Credits
    tasks: int


class TrendOut(Out):
    """Every period up to the one that runs now, oldest first."""

    range: TrendRange
    points: list[TrendPointOut]


class RechargeIn(In):
    """Credits to buy; ``channel`` is the first open one unless told, and decides on the ``bonus``."""

    amount: Annotated[CreditsIn, Field(gt=0)]
    bonus: LimitIn | None = None
    channel: Word | None = None


class RechargeOut(Out):
    """What was credited: the amount, the bonus granted, and the rows that say so."""

    amount: Credits
    bonus: Credits
    channel: str
    balance: Credits
    ledgers: list[LedgerOut]


class AdjustIn(In):
    """Credit to give to a team or, where ``amount`` is negative, to take from it."""

    team: Id
    amount: Annotated[CreditsIn, AfterValidator(_not_zero)]
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class BillingConfigOut(Out):
    """The platform's rates."""

    exchange_rate: Factor
    margin_factor: Factor
    reserve_buffer: Factor
    currency: str
    updated_at: Timestamp


class BillingConfigPatch(In):
    """Rates to change; what is left out stays."""

    exchange_rate: Rate | None = None
    margin_factor: Rate | None = None
    reserve_buffer: Rate | None = None
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None

    @field_validator("exchange_rate", "margin_factor", "reserve_buffer", "currency")
    @classmethod
    def _never_without(cls, value: Decimal | str | None) -> Decimal | str:
        if value is None:
            raise ValueError("this can't be empty")
        return value


class QuotaPolicyQuery(PageQuery):
    """A page of the policies; ``team`` keeps one team's."""

    team: Id | None = None


class QuotaPolicyOut(Out):
    """A team's caps in credits: null is no cap, 0 allows nothing."""

    id: Id
    team: Id = Field(validation_alias="team_id")
    monthly_limit: Credits | None
    project_limit: Credits | None
    per_task_limit: Credits | None
    is_active: bool
    created_at: Timestamp
    updated_at: Timestamp


class QuotaPolicyIn(In):
    """A team's caps in credits: null or left out is no cap, 0 allows nothing."""

    team: Id
    monthly_limit: LimitIn | None = None
    project_limit: LimitIn | None = None
    per_task_limit: LimitIn | None = None
    is_active: bool = True


class QuotaPolicyPatch(In):
    """Caps to change; what is left out stays."""

    monthly_limit: LimitIn | None = None
    project_limit: LimitIn | None = None
    per_task_limit: LimitIn | None = None
    is_active: bool | None = None

    @field_validator("is_active")
    @classmethod
    def _on_or_off(cls, value: bool | None) -> bool:
        if value is None:
            raise ValueError("this is true or false")
        return value
