"""The tenant belt: no session reads a team-owned table without saying for whom.

A session is in no scope, in one team's, or in the platform's. In a team's scope every
ORM statement is filtered by that team; outside of any scope a statement on a
team-owned table is an error. The braces are the services, which are built for a team.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import event, or_
from sqlalchemy.orm import ORMExecuteState, Session, sessionmaker, with_loader_criteria
from sqlalchemy.orm.unitofwork import UOWTransaction

from contentsvc.db.base import TeamOwned

_SCOPE: Final = "contentsvc.scope"
_PLATFORM: Final = "platform"
_OFFICIAL_TOO: Final = "contentsvc.official_too"


class TenancyError(RuntimeError):
    """A programming error: team-owned rows touched outside of their team's scope."""


def enter_team(session: Session, team_id: uuid.UUID) -> None:
    """From here on the session serves this team."""
    session.info[_SCOPE] = team_id


def enter_platform(session: Session) -> None:
    """From here on the session serves the platform: all teams' rows are visible."""
    session.info[_SCOPE] = _PLATFORM


@contextmanager
def platform_scope(session: Session) -> Iterator[Session]:
    """The platform's scope for a while; afterwards the scope that was before."""
    before = session.info.get(_SCOPE)
    session.info[_SCOPE] = _PLATFORM
    try:
        yield session
    finally:
        session.info[_SCOPE] = before


@contextmanager
def team_scope(session: Session, team_id: uuid.UUID) -> Iterator[Session]:
    """One team's scope for a while; afterwards the scope that was before."""
    before = session.info.get(_SCOPE)
    session.info[_SCOPE] = team_id
    try:
        yield session
    finally:
        session.info[_SCOPE] = before


@contextmanager
def official_too(session: Session) -> Iterator[None]:
    """For a while a team's scope shows rows of no team as well: what the platform offers to all.

    To read what somebody has asked for by its id, never to list or to change.
    """
    before = session.info.get(_OFFICIAL_TOO, False)
    session.info[_OFFICIAL_TOO] = True
    try:
        yield
    finally:
        session.info[_OFFICIAL_TOO] = before


def guard(factory: sessionmaker[Session]) -> None:
    """Install the belt on every session the factory makes."""
    event.listen(factory, "do_orm_execute", _filter_statement)
    event.listen(factory, "before_flush", _check_new_rows)


def _filter_statement(state: ORMExecuteState) -> None:
    scope = state.session.info.get(_SCOPE)
    if scope == _PLATFORM or state.is_column_load or state.is_relationship_load or state.is_insert:
        return
    if scope is None:
        if owned := [m.class_.__name__ for m in state.all_mappers if issubclass(m.class_, TeamOwned)]:
            raise TenancyError(f"{', '.join(owned)} queried outside of a team's scope")
        return
    if state.session.info.get(_OFFICIAL_TOO) and state.is_select:
        visible = with_loader_criteria(
            TeamOwned,
            lambda cls: or_(cls.team_id == scope, cls.team_id.is_(None)),
            include_aliases=True,
        )
    else:
        visible = with_loader_criteria(TeamOwned, lambda cls: cls.team_id == scope, include_aliases=True)
    state.statement = state.statement.options(visible)


def _check_new_rows(session: Session, _context: UOWTransaction, _instances: Any) -> None:
    scope = session.info.get(_SCOPE)
    if scope == _PLATFORM:
        return
    for row in session.new:
        if isinstance(row, TeamOwned) and row.team_id != scope:
            raise TenancyError(f"{type(row).__name__} written outside of its team's scope")
