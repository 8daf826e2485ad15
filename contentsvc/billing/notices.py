"""What a team's owners are told about its credits. Nothing here can refuse a movement of credit."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.billing import accounts
from contentsvc.billing.caps import Cap, CapState
from contentsvc.billing.clock import moment
from contentsvc.billing.models import ZERO, LedgerRow
from contentsvc.http.types import credits_text
from contentsvc.notifications.models import NotificationType
from contentsvc.notifications.services import Notice, Step, aside, notify, owners_of
from contentsvc.settings import Settings


def tell_of_adjustment(session: Session, registry: Registry, row: LedgerRow) -> None:
    """The administrator has given credit or taken it."""
    title = "Credits added" if row.amount >= ZERO else "Credits taken"
    reason = f" Reason: {row.reason}" if row.reason else ""
    body = f"{title} by the platform: {credits_text(abs(row.amount))}. {_balance(row)}{reason}"
    _tell_owners(session, registry, row.team_id, title, body, Step("adjusted", title, row.created_at))


def tell_of_recharge(session: Session, registry: Registry, rows: Sequence[LedgerRow]) -> None:
    """The team has recharged: the ledger rows of it, what was paid first, then the bonus if any."""
    paid, *granted = rows
    bonus = sum((row.amount for row in granted), ZERO)
    added = credits_text(paid.amount) + (f" and a bonus of {credits_text(bonus)}" if bonus else "")
    body = f"Credits recharged: {added}. {_balance(rows[-1])}"
    step = Step("recharged", "Recharged", paid.created_at)
    _tell_owners(session, registry, paid.team_id, "Credits recharged", body, step)


def warn_after_reserving(
    session: Session, registry: Registry, team_id: uuid.UUID, states: Sequence[Sequence[CapState]]
) -> None:
    """Warn when orders have just made the credits low; ``states`` as ``reserve`` has returned them.

    Told once a crossing: orders that find them low already say nothing.
    """
    balances = [state for of_order in states for state in of_order if state.cap is Cap.BALANCE]
    if balances:
        before = (balances[0].limit or ZERO) - balances[0].reserved
        asked = sum((state.asked for state in balances), ZERO)
        _warn_if_crossed(session, registry, team_id, before, before - asked)


def warn_after_charging(
    session: Session, registry: Registry, team_id: uuid.UUID, *, reserved: Decimal, charged: Decimal
) -> None:
    """Warn when a charge has just made the credits low, as only one over its reservation can."""
    if charged > reserved:
        left = accounts.available(session, team_id)
        _warn_if_crossed(session, registry, team_id, left + charged - reserved, left)


def _warn_if_crossed(
    session: Session, registry: Registry, team_id: uuid.UUID, before: Decimal, after: Decimal
) -> None:
    settings: Settings = registry["contentsvc.settings"]
    if before >= settings.billing.low_balance > after:
        body = f"{credits_text(after)} credits are available. Recharge, so that your work goes on."
        step = Step("low_balance", "Credits are low", moment(session))
        _tell_owners(session, registry, team_id, "Credits are low", body, step)


def _tell_owners(
    session: Session, registry: Registry, team_id: uuid.UUID, title: str, body: str, step: Step
) -> None:
    notice = Notice(NotificationType.BILLING, title, body, [step])
    with aside(session):
        notify(session, registry, owners_of(session, team_id), notice)


def _balance(row: LedgerRow) -> str:
    return f"The balance is {credits_text(row.balance_after)} credits."
