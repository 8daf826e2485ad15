"""Who a request's token belongs to, found in one statement."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, contains_eager

from contentsvc.http.errors import PermissionDenied
from contentsvc.http.permissions import Permission
from contentsvc.security.models import LoginSession, Role, Team, TeamStatus, User
from contentsvc.security.tokens import is_alive, renewal_due, token_digest

_CREDENTIAL = re.compile(r"\s*token\s+(\S.*)", re.IGNORECASE | re.DOTALL)

_VIEWER: Final = frozenset({Permission.READ})
_MEMBER: Final = _VIEWER | {Permission.WORK}
_ADMIN: Final = _MEMBER | {Permission.MANAGE, Permission.EXPLAIN}
_OWNER: Final = _ADMIN | {Permission.OWN}

PERMISSIONS_OF: Final[Mapping[str, frozenset[Permission]]] = {
    Role.VIEWER: _VIEWER,
    Role.MEMBER: _MEMBER,
    Role.ADMIN: _ADMIN,
    Role.OWNER: _OWNER,
}
"""What each role may do with its team."""


@dataclass(frozen=True)
class Identity:
    """The signed-in user, his login and his team (None: a platform administrator without one)."""

    user: User
    session: LoginSession
    team: Team | None

    @property
    def team_id(self) -> uuid.UUID:
        """The team's id. Raises PermissionDenied for a user without a team."""
        if self.team is None:
            raise PermissionDenied("You are in no team.")
        return self.team.id

    def serves_platform(self, permission: Permission) -> bool:
        """Whether the permission, used by this user, is about all teams."""
        return self.user.is_platform_admin and permission in (Permission.PLATFORM, Permission.EXPLAIN)

    def may(self, permission: Permission) -> bool:
        """Whether this user may do what the permission covers."""
        if permission in (Permission.PUBLIC, Permission.PROFILE):
            return True
        if self.serves_platform(permission):
            return True
        return self.team is not None and permission in PERMISSIONS_OF[self.user.role]


@dataclass(frozen=True)
class Recognized:
    """An identity, and whether its session's lifetime is due to start anew."""

    identity: Identity
    renewal_due: bool


def presented_token(authorization: str | None) -> str | None:
    """The token of an Authorization header; None when it holds no Token credential."""
    match = _CREDENTIAL.fullmatch(authorization or "")
    return match[1].rstrip() if match else None


def recognize(session: Session, token: str) -> Recognized | None:
    """Who holds this token; None if it is unknown, expired or revoked, or the user or team disabled."""
    row = session.execute(
        select(LoginSession, renewal_due())
        .join(LoginSession.user)
        .outerjoin(User.team)
        .options(contains_eager(LoginSession.user).contains_eager(User.team))
        .where(
            LoginSession.token_digest == token_digest(token),
            is_alive(),
            User.is_active,
            User.removed_at.is_(None),
            or_(User.team_id.is_(None), Team.status == TeamStatus.ENABLED),
        )
    ).one_or_none()
    if row is None:
        return None
    login, due = row
    return Recognized(Identity(user=login.user, session=login, team=login.user.team), due)
