"""A team's credit account: opening, reading, locking, and movements without a task."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.billing.clock import moment
from contentsvc.billing.models import ZERO, BillingConfig, CreditAccount, LedgerRow, LedgerType
from contentsvc.billing.pricing import LARGEST_AMOUNT
from contentsvc.http import FieldErrors
from contentsvc.http.types import CENT


@dataclass(frozen=True)
class Holding:
    """What an account held at one moment, in credits."""

    balance: Decimal
    frozen: Decimal

    @property
    def available(self) -> Decimal:
        """Credits free to be reserved; negative when work cost more than was left."""
        return self.balance - self.frozen


def ensure_config(session: Session) -> None:
    """Write the platform's rates with their defaults, unless they are there."""
    session.execute(insert(BillingConfig).values(id=1).on_conflict_do_nothing())


def open_account(session: Session, team_id: uuid.UUID) -> CreditAccount:
    """A new team's empty account."""
    account = CreditAccount(team_id=team_id, balance=Decimal(0), frozen=Decimal(0))
    session.add(account)
    session.flush()
    return account


def holding(session: Session, team_id: uuid.UUID) -> Holding:
    """What the team's account holds. Raises NoResultFound for a team without one."""
    return Holding(*session.execute(_columns(team_id)).one())


def lock(session: Session, team_id: uuid.UUID) -> Holding:
    """Hold the team's account row until the transaction ends, and read it.

    Every money step begins with this: steps of one team follow each other, and since the
    account comes before all other rows of billing, two of them can't wait for each other.
    """
    return Holding(*session.execute(_columns(team_id).with_for_update()).one())


def available(session: Session, team_id: uuid.UUID) -> Decimal:
    """Credits the team could reserve now."""
    return holding(session, team_id).available


def freeze(session: Session, team_id: uuid.UUID, amount: Decimal) -> Holding | None:
    """Hold ``amount`` more; None, and nothing done, when that much isn't available."""
    row = session.execute(_add(team_id, frozen=amount).where(_covers(amount))).one_or_none()
    return None if row is None else Holding(*row)


def move(session: Session, team_id: uuid.UUID, *, balance: Decimal = ZERO, frozen: Decimal = ZERO) -> Holding:
    """Add to the account's figures, whatever is available then."""
    return Holding(*session.execute(_add(team_id, balance=balance, frozen=frozen)).one())


def adjust(session: Session, team_id: uuid.UUID, amount: Decimal, *, reason: str) -> LedgerRow:
    """The administrator adds credit or, with a negative amount, takes some away.

    The balance may fall below zero. Raises FieldErrors on ``amount`` when the balance would
    leave what an account can hold.
    """
    return book(session, team_id, LedgerType.ADJUSTMENT, amount, reason=reason)


def book(
    session: Session,
    team_id: uuid.UUID,
    ledger_type: LedgerType,
    amount: Decimal,
    *,
    reason: str = "",
    channel: str = "",
    member_id: uuid.UUID | None = None,
    row_id: uuid.UUID | None = None,
) -> LedgerRow:
    """Move the balance by ``amount`` outside of any task, with the ledger row that says so.

    A ``row_id`` can be booked once: the second time raises IntegrityError.
    """
    require_room(lock(session, team_id), amount)
    after = move(session, team_id, balance=amount)
    row = LedgerRow(
        id=row_id or uuid7(),
        team_id=team_id,
        ledger_type=ledger_type,
        amount=amount,
        balance_after=after.balance,
        frozen_after=after.frozen,
        reason=reason,
        channel=channel,
        member_id=member_id,
        created_at=moment(session),
    )
    session.add(row)
    session.flush()
    return row


def require_room(account: Holding, amount: Decimal) -> None:
    """Raise FieldErrors on ``amount`` when the balance would leave what an account can hold."""
    if abs(account.balance + amount) > LARGEST_AMOUNT:
        raise FieldErrors.one(
            "amount", f"An account can't hold more than {LARGEST_AMOUNT} credits either way."
        )


def require_credits(amount: Decimal) -> None:
    """Raise ValueError unless ``amount`` is zero or more whole cents that a column can hold."""
    if not amount.is_finite() or not 0 <= amount <= LARGEST_AMOUNT or amount != amount.quantize(CENT):
        raise ValueError(f"{amount} is no amount of credits")


def _columns(team_id: uuid.UUID) -> Select[Decimal, Decimal]:
    return select(CreditAccount.balance, CreditAccount.frozen).where(CreditAccount.team_id == team_id)


def _add(team_id: uuid.UUID, *, balance: Decimal = ZERO, frozen: Decimal = ZERO) -> Any:
    return (
        update(CreditAccount)
        .where(CreditAccount.team_id == team_id)
        .values(balance=CreditAccount.balance + balance, frozen=CreditAccount.frozen + frozen)
        .returning(CreditAccount.balance, CreditAccount.frozen)
        .execution_options(synchronize_session=False)
    )


def _covers(amount: Decimal) -> ColumnElement[bool]:
    return CreditAccount.balance - CreditAccount.frozen >= amount
