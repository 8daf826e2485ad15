"""Credits: accounts, reservations, the ledger, running counters, policies, rates."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import CheckConstraint, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Amount, Base, Entity, Factor, TeamOwned, finite, one_of

ZERO: Final = Decimal(0)


class LedgerType(StrEnum):
    GRANT = "GRANT"
    RECHARGE = "RECHARGE"
    BONUS = "BONUS"
    RESERVE = "RESERVE"
    RELEASE = "RELEASE"
    CHARGE = "CHARGE"
    ADJUSTMENT = "ADJUSTMENT"


BALANCE_MOVING = (
    LedgerType.GRANT,
    LedgerType.RECHARGE,
    LedgerType.BONUS,
    LedgerType.CHARGE,
    LedgerType.ADJUSTMENT,
)
"""Types whose amounts add up to the balance; RESERVE and RELEASE move ``frozen`` only."""


class CreditAccount(TeamOwned, Base):
    """What a team owns and what its running tasks hold, in credits."""

    __tablename__ = "credit_account"
    __table_args__ = (finite("balance"), finite("frozen", "frozen >= 0"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"), primary_key=True)
    balance: Mapped[Amount] = mapped_column(default=Decimal(0))
    frozen: Mapped[Amount] = mapped_column(default=Decimal(0))


class ReservationState(StrEnum):
    OPEN = "open"
    CHARGED = "charged"
    RELEASED = "released"


class Reservation(TeamOwned, Base):
    """Credit held for one attempt at one task; settled once."""

    __tablename__ = "reservation"
    __table_args__ = (
        one_of("state", ReservationState),
        finite("amount", "amount >= 0"),
        Index("ix_reservation_open", "team_id", postgresql_where=text("state = 'open'")),
    )

    task_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    reservation_no: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"))
    member_id: Mapped[uuid.UUID]
    project_id: Mapped[uuid.UUID | None]
    amount: Mapped[Amount]
    state: Mapped[str] = mapped_column(default=ReservationState.OPEN)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    settled_at: Mapped[datetime | None]


class LedgerRow(Entity, TeamOwned, Base):
    """One movement; never changed, never deleted. Ids without foreign keys: what they
    point at may go, the row stays."""

    __tablename__ = "ledger_row"
    __table_args__ = (
        one_of("ledger_type", LedgerType),
        finite("amount"),
        finite("balance_after"),
        finite("frozen_after"),
        CheckConstraint("(task_id IS NULL) = (reservation_no IS NULL)", name="reservation"),
        Index(
            "uq_ledger_row_reserve",
            "task_id",
            "reservation_no",
            unique=True,
            postgresql_where=text("ledger_type = 'RESERVE'"),
        ),
        Index(
            "uq_ledger_row_settle",
            "task_id",
            "reservation_no",
            unique=True,
            postgresql_where=text("ledger_type IN ('CHARGE', 'RELEASE')"),
        ),
        Index(None, "team_id", "created_at", "id"),
        Index(None, "team_id", "ledger_type", "created_at", "id"),
        Index(None, "created_at", "id"),
        Index(None, "ledger_type", "created_at", "id"),
        # For counting. Few different values, so that PostgreSQL keeps it small: two hundred
        # thousand rows are counted in a fifth of the time that the lists' own indexes take.
        Index(None, "team_id", "ledger_type"),
    )

    team_id: Mapped[uuid.UUID]
    ledger_type: Mapped[str]
    amount: Mapped[Amount]
    balance_after: Mapped[Amount]
    frozen_after: Mapped[Amount]
    task_id: Mapped[uuid.UUID | None]
    project_id: Mapped[uuid.UUID | None]
    member_id: Mapped[uuid.UUID | None]
    reservation_no: Mapped[int | None]
    reason: Mapped[str] = mapped_column(default="")
    channel: Mapped[str] = mapped_column(default="")


class RechargeState(StrEnum):
    """``unknown``: given up; only the payment service can tell whether it took the money."""

    PENDING = "pending"
    CREDITED = "credited"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Recharge(Entity, TeamOwned, Base):
    """A payment through a plugin's channel, which knows it by ``id``: the intent, then the outcome.

    ``amount`` and ``bonus_asked`` are credits. The ledger row that credits the amount has the
    recharge's own ``id``, so that the database refuses a second one; ``bonus_ledger_id`` names
    the bonus granted. ``mark`` says which call with an Idempotency-Key has asked for it.
    """

    __tablename__ = "recharge"
    __table_args__ = (
        one_of("state", RechargeState),
        finite("amount", "amount > 0"),
        finite("bonus_asked", "bonus_asked >= 0"),
        Index(None, "team_id", "created_at"),
        Index("ix_recharge_pending", "user_id", postgresql_where=text("state = 'pending'")),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"))
    user_id: Mapped[uuid.UUID]
    channel: Mapped[str]
    amount: Mapped[Amount]
    bonus_asked: Mapped[Amount]
    state: Mapped[str] = mapped_column(default=RechargeState.PENDING)
    bonus_ledger_id: Mapped[uuid.UUID | None]
    error: Mapped[str] = mapped_column(default="")
    mark: Mapped[dict[str, Any] | None]
    settled_at: Mapped[datetime | None]


class Scope(StrEnum):
    """Whose use a counter counts."""

    TEAM = "team"
    MEMBER = "member"
    PROJECT = "project"


class Window(StrEnum):
    """Over what time a counter of charges runs."""

    DAY = "day"
    MONTH = "month"
    TOTAL = "total"


class OpenCounter(TeamOwned, Base):
    """Credits held by open reservations of one scope."""

    __tablename__ = "open_counter"
    __table_args__ = (one_of("scope", Scope), finite("amount", "amount >= 0"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"), primary_key=True)
    scope: Mapped[str] = mapped_column(primary_key=True)
    scope_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    amount: Mapped[Amount]


class ChargeCounter(TeamOwned, Base):
    """Credits charged to one scope in one window. ``starts_on`` is the window's first day in
    the platform's zone; 0001-01-01 for the total."""

    __tablename__ = "charge_counter"
    __table_args__ = (
        one_of("scope", Scope),
        one_of("time_window", Window),
        finite("amount", "amount >= 0"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"), primary_key=True)
    scope: Mapped[str] = mapped_column(primary_key=True)
    scope_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    time_window: Mapped[str] = mapped_column(primary_key=True)
    starts_on: Mapped[date] = mapped_column(primary_key=True)
    amount: Mapped[Amount]


class QuotaPolicy(Entity, TeamOwned, Base):
    """Caps the platform sets on one team: null none, 0 nothing allowed."""

    __tablename__ = "quota_policy"
    __table_args__ = (
        finite("monthly_limit", "monthly_limit >= 0"),
        finite("project_limit", "project_limit >= 0"),
        finite("per_task_limit", "per_task_limit >= 0"),
        Index(None, "created_at", "id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), unique=True)
    monthly_limit: Mapped[Amount | None]
    project_limit: Mapped[Amount | None]
    per_task_limit: Mapped[Amount | None]
    is_active: Mapped[bool] = mapped_column(default=True)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class BillingConfig(Base):
    """The platform's one set of rates (row 1)."""

    __tablename__ = "billing_config"
    __table_args__ = (
        CheckConstraint("id = 1", name="single"),
        finite("exchange_rate", "exchange_rate > 0"),
        finite("margin_factor", "margin_factor > 0"),
        finite("reserve_buffer", "reserve_buffer > 0"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, default=1)
    exchange_rate: Mapped[Factor] = mapped_column(default=Decimal(1))
    margin_factor: Mapped[Factor] = mapped_column(default=Decimal("1.5"))
    reserve_buffer: Mapped[Factor] = mapped_column(default=Decimal("1.10"))
    currency: Mapped[str] = mapped_column(default="USD")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
