"""What can be read about credits, and the platform's rates."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.billing import accounts, counters
from contentsvc.billing.clock import moment
from contentsvc.billing.counters import Usage
from contentsvc.billing.models import BillingConfig, LedgerRow, LedgerType, Scope
from contentsvc.billing.pricing import CREDIT_VALUE
from contentsvc.http import FieldErrors, PageQuery, fetch_page
from contentsvc.http.pagination import Slice
from contentsvc.security.models import Team
from contentsvc.settings import Settings


@dataclass(frozen=True)
class Summary:
    """A team's credits at one moment."""

    balance: Decimal
    frozen: Decimal
    available: Decimal
    today_charged: Decimal
    month_charged: Decimal
    total_charged: Decimal
    monthly_credit_limit: Decimal | None
    price_multiplier: Decimal
    credit_value: Decimal
    currency: str


def summary(session: Session, settings: Settings, team: Team) -> Summary:
    """What the team owns, holds and has been charged in the windows that run now."""
    held = accounts.holding(session, team.id)
    used = team_usage(session, settings, team.id)
    return Summary(
        balance=held.balance,
        frozen=held.frozen,
        available=held.available,
        today_charged=used.day,
        month_charged=used.month,
        total_charged=used.total,
        monthly_credit_limit=team.monthly_credit_limit,
        price_multiplier=team.price_multiplier,
        credit_value=CREDIT_VALUE,
        currency=rates(session).currency,
    )


def team_usage(session: Session, settings: Settings, team_id: uuid.UUID) -> Usage:
    """What the team has used."""
    key = Scope.TEAM, team_id
    return counters.read(session, settings, team_id, [key], moment(session))[key]


def members_usage(
    session: Session, settings: Settings, team_id: uuid.UUID, member_ids: Collection[uuid.UUID]
) -> Mapping[uuid.UUID, Usage]:
    """What each member has used, in as many statements for many as for one."""
    keys = [(Scope.MEMBER, member_id) for member_id in member_ids]
    found = counters.read(session, settings, team_id, keys, moment(session))
    return {member_id: usage for (_, member_id), usage in found.items()}


def ledgers(
    session: Session,
    query: PageQuery,
    *,
    team_id: uuid.UUID | None,
    ledger_type: LedgerType | None = None,
) -> Slice:
    """A page of a team's ledger, newest first; of every team's without an id."""
    statement = select(LedgerRow).order_by(LedgerRow.created_at.desc(), LedgerRow.id.desc())
    if team_id is not None:
        statement = statement.where(LedgerRow.team_id == team_id)
    if ledger_type is not None:
        statement = statement.where(LedgerRow.ledger_type == ledger_type)
    return fetch_page(session, statement, query)


def adjust(session: Session, team_id: uuid.UUID, amount: Decimal, reason: str) -> LedgerRow:
    """Give or take credit. Raises FieldErrors on ``team`` for an unknown one."""
    if session.get(Team, team_id) is None:
        raise FieldErrors.one("team", "There is no such team.")
    return accounts.adjust(session, team_id, amount, reason=reason)


def rates(session: Session, *, lock: bool = False) -> BillingConfig:
    """The platform's rates as they are stored now; ``lock`` keeps others from changing them."""
    return session.get_one(BillingConfig, 1, populate_existing=True, with_for_update=lock)


def change_rates(session: Session, changes: Mapping[str, Any]) -> BillingConfig:
    """Change the rates; they hold from the next order on."""
    row = rates(session, lock=True)
    for name, value in changes.items():
        setattr(row, name, value)
    session.flush()
    session.refresh(row)
    return row
