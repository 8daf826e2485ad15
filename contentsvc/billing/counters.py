"""Running totals of what is held and what was charged, for each team, member and project.

Caps read these instead of adding up the ledger, so that an order costs the same however long
a team's history is. They change only under the lock of the team's account row.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import ColumnElement, and_, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.billing.clock import first_days
from contentsvc.billing.models import ZERO, ChargeCounter, OpenCounter, Scope, Window
from contentsvc.settings import Settings

ScopeKey = tuple[Scope, uuid.UUID]

WINDOWS_OF: Final[Mapping[Scope, tuple[Window, ...]]] = {
    Scope.TEAM: (Window.DAY, Window.MONTH, Window.TOTAL),
    Scope.MEMBER: (Window.DAY, Window.MONTH, Window.TOTAL),
    Scope.PROJECT: (Window.TOTAL,),
}


@dataclass(frozen=True)
class Usage:
    """Credits charged to one scope in the windows that run now, and held by open orders."""

    day: Decimal = ZERO
    month: Decimal = ZERO
    total: Decimal = ZERO
    reserved: Decimal = ZERO

    def charged(self, window: Window) -> Decimal:
        """What was charged in one of the windows."""
        return {Window.DAY: self.day, Window.MONTH: self.month, Window.TOTAL: self.total}[window]


def scopes_of(team_id: uuid.UUID, member_id: uuid.UUID, project_id: uuid.UUID | None) -> list[ScopeKey]:
    """Whose use an order counts as."""
    scopes = [(Scope.TEAM, team_id), (Scope.MEMBER, member_id)]
    return scopes if project_id is None else [*scopes, (Scope.PROJECT, project_id)]


def read(
    session: Session, settings: Settings, team_id: uuid.UUID, scopes: Iterable[ScopeKey], at: datetime
) -> dict[ScopeKey, Usage]:
    """The use of each scope at ``at``; two statements, however many scopes."""
    wanted = set(scopes)
    days = first_days(settings, at)
    charged = ChargeCounter
    figures: dict[ScopeKey, dict[str, Decimal]] = {key: {} for key in wanted}
    for scope, scope_id, window, amount in session.execute(
        select(charged.scope, charged.scope_id, charged.time_window, charged.amount).where(
            charged.team_id == team_id,
            tuple_(charged.scope, charged.scope_id).in_(wanted),
            or_(*(_in_window(window, day) for window, day in days.items())),
        )
    ):
        figures[Scope(scope), scope_id][window] = amount
    for scope, scope_id, amount in session.execute(
        select(OpenCounter.scope, OpenCounter.scope_id, OpenCounter.amount).where(
            OpenCounter.team_id == team_id, tuple_(OpenCounter.scope, OpenCounter.scope_id).in_(wanted)
        )
    ):
        figures[Scope(scope), scope_id]["reserved"] = amount
    return {key: Usage(**found) for key, found in figures.items()}


def raise_open(session: Session, team_id: uuid.UUID, added: Mapping[ScopeKey, Decimal]) -> None:
    """More is held for these scopes."""
    rows = [
        {"team_id": team_id, "scope": scope, "scope_id": scope_id, "amount": amount}
        for (scope, scope_id), amount in added.items()
    ]
    statement = insert(OpenCounter).values(rows)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["team_id", "scope", "scope_id"],
            set_={"amount": OpenCounter.amount + statement.excluded.amount},
        )
    )


def lower_open(session: Session, team_id: uuid.UUID, scopes: Sequence[ScopeKey], amount: Decimal) -> None:
    """Less is held for these scopes."""
    session.execute(
        update(OpenCounter)
        .where(OpenCounter.team_id == team_id, tuple_(OpenCounter.scope, OpenCounter.scope_id).in_(scopes))
        .values(amount=OpenCounter.amount - amount)
        .execution_options(synchronize_session=False)
    )


def add_charge(
    session: Session,
    settings: Settings,
    team_id: uuid.UUID,
    scopes: Sequence[ScopeKey],
    amount: Decimal,
    at: datetime,
) -> None:
    """``amount`` was charged to these scopes at ``at``."""
    days = first_days(settings, at)
    rows = [
        {
            "team_id": team_id,
            "scope": scope,
            "scope_id": scope_id,
            "time_window": window,
            "starts_on": days[window],
            "amount": amount,
        }
        for scope, scope_id in scopes
        for window in WINDOWS_OF[scope]
    ]
    statement = insert(ChargeCounter).values(rows)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["team_id", "scope", "scope_id", "time_window", "starts_on"],
            set_={"amount": ChargeCounter.amount + statement.excluded.amount},
        )
    )


def _in_window(window: Window, day: date) -> ColumnElement[bool]:
    return and_(ChargeCounter.time_window == window, ChargeCounter.starts_on == day)
