"""Teams and users as the platform sees them: all of them, switched off and on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session, joinedload

from contentsvc.accounts.services import set_password
from contentsvc.http import ApiError, ErrorCode, NotFound
from contentsvc.security.models import Team, TeamStatus, User
from contentsvc.security.tokens import revoke_sessions, revoke_team_sessions


class UserStatus(StrEnum):
    """Whether a user may sign in."""

    ACTIVE = "active"
    DISABLED = "disabled"


def find_teams(*, status: TeamStatus | None, search: str) -> Select[Any]:
    """The statement of the teams that match, newest first; ``search`` is literal text in the name."""
    statement = select(Team).order_by(Team.created_at.desc(), Team.id.desc())
    if status is not None:
        statement = statement.where(Team.status == status)
    if search:
        statement = statement.where(Team.name.icontains(search, autoescape=True))
    return statement


def get_team(session: Session, team_id: uuid.UUID, *, lock: bool = False) -> Team:
    """One team, as it is stored now; ``lock`` keeps others from changing it. Raises NotFound."""
    found = session.get(
        Team, team_id, populate_existing=True, with_for_update={"key_share": True} if lock else None
    )
    if found is None:
        raise NotFound("There is no such team.")
    return found


def change_team(session: Session, team: Team, changes: Mapping[str, Any]) -> None:
    """Set name, multiplier or monthly limit; orders under way keep their price."""
    for field, value in changes.items():
        setattr(team, field, value)
    session.flush()


def toggle_team(session: Session, team: Team) -> None:
    """Disable a team, which ends all sessions of its members, or enable it. Lock it first."""
    disabled = team.status == TeamStatus.DISABLED
    team.status = TeamStatus.ENABLED if disabled else TeamStatus.DISABLED
    session.flush()
    if not disabled:
        revoke_team_sessions(session, team.id)


def find_users(*, status: UserStatus | None, search: str) -> Select[Any]:
    """The statement of the users that match, newest first, without those who have left.

    ``search`` is literal text in username, name, email or the team's name.
    """
    statement = _users().order_by(User.created_at.desc(), User.id.desc())
    if status is not None:
        statement = statement.where(User.is_active.is_(status is UserStatus.ACTIVE))
    if search:
        columns = (User.username, User.name, User.email)
        statement = statement.where(
            or_(
                *(column.icontains(search, autoescape=True) for column in columns),
                User.team.has(Team.name.icontains(search, autoescape=True)),
            )
        )
    return statement


def get_user(session: Session, user_id: uuid.UUID, *, lock: bool = False) -> User:
    """One user, as he is stored now; ``lock`` keeps others from changing him. Raises NotFound."""
    statement = _users().where(User.id == user_id).execution_options(populate_existing=True)
    if lock:
        statement = statement.with_for_update(of=User, key_share=True)
    found: User | None = session.scalars(statement).one_or_none()
    if found is None:
        raise NotFound("There is no such user.")
    return found


def toggle_user(session: Session, user: User) -> None:
    """Disable a user, which ends all his sessions, or enable him. Lock him first.

    Raises ApiError 400 for platform administrators, who can't be disabled.
    """
    if user.is_active and user.is_platform_admin:
        raise ApiError(ErrorCode.CONFLICT, "A platform administrator can't be disabled.", status=400)
    user.is_active = not user.is_active
    session.flush()
    if not user.is_active:
        revoke_sessions(session, user.id)


def reset_password(session: Session, user_id: uuid.UUID, password_hash: str) -> User:
    """Set a user's password and end all his sessions. Raises NotFound."""
    user = get_user(session, user_id, lock=True)
    set_password(session, user, password_hash)
    return user


def _users() -> Select[Any]:
    return select(User).where(User.removed_at.is_(None)).options(joinedload(User.team))
