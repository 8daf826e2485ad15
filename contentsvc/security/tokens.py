"""Login sessions and their tokens. The token is told once; the database keeps its digest."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from pyramid.registry import Registry
from sqlalchemy import ColumnElement, CursorResult, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.security.models import LoginSession, User
from contentsvc.settings import Settings

TOKEN_BYTES = 32
RENEW_AFTER = timedelta(hours=1)
KEEP_ENDED = timedelta(days=30)
_AGENT_LENGTH = 512


@dataclass(frozen=True)
class OpenedSession:
    """A session and the only copy of its token."""

    token: str
    session: LoginSession


def token_digest(token: str) -> bytes:
    """What is stored of a token: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def open_session(
    session: Session, registry: Registry, user: User, *, ip: str, user_agent: str
) -> OpenedSession:
    """A new login of ``user``, written with the caller's transaction."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    login = session.scalars(
        insert(LoginSession)
        .values(
            user_id=user.id,
            token_digest=token_digest(token),
            last_seen_at=func.clock_timestamp(),
            expires_at=_next_expiry(registry),
            ip=ip,
            user_agent=user_agent.replace("\x00", "")[:_AGENT_LENGTH],
        )
        .returning(LoginSession)
    ).one()
    return OpenedSession(token, login)


def rotate_token(session: Session, registry: Registry, session_id: uuid.UUID) -> str | None:
    """A fresh token for a living session; the old one is dead with the caller's commit.

    None when the session was revoked meanwhile.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    changed = _run(
        session,
        update(LoginSession)
        .where(LoginSession.id == session_id, LoginSession.revoked_at.is_(None))
        .values(
            token_digest=token_digest(token),
            last_seen_at=func.clock_timestamp(),
            expires_at=_next_expiry(registry),
        ),
    )
    return token if changed else None


def revoke_session(session: Session, session_id: uuid.UUID) -> int:
    """End one session; how many were ended (0: it had been already)."""
    return _revoke(session, LoginSession.id == session_id)


def revoke_sessions(session: Session, user_id: uuid.UUID, *, keep: uuid.UUID | None = None) -> int:
    """End a user's sessions, all but ``keep``; how many were ended."""
    others = [LoginSession.id != keep] if keep else []
    return _revoke(session, LoginSession.user_id == user_id, *others)


def revoke_team_sessions(session: Session, team_id: uuid.UUID) -> int:
    """End all sessions of a team's members; how many were ended."""
    return _revoke(session, LoginSession.user_id.in_(select(User.id).where(User.team_id == team_id)))


def renew_session(registry: Registry, session_id: uuid.UUID) -> None:
    """Start the idle lifetime anew, in a transaction of its own, unless that was done within the hour."""
    with transaction_scope(registry) as session:
        _run(
            session,
            update(LoginSession)
            .where(LoginSession.id == session_id, LoginSession.revoked_at.is_(None), renewal_due())
            .values(last_seen_at=func.clock_timestamp(), expires_at=_next_expiry(registry)),
        )


def sweep_sessions(registry: Registry) -> None:
    """Remove sessions that ended over thirty days ago."""
    horizon = func.clock_timestamp() - KEEP_ENDED
    with transaction_scope(registry) as session:
        session.execute(
            delete(LoginSession).where(
                or_(LoginSession.revoked_at < horizon, LoginSession.expires_at < horizon)
            )
        )


def renewal_due() -> ColumnElement[bool]:
    """SQL: the session's last renewal is over an hour ago."""
    return LoginSession.last_seen_at < func.clock_timestamp() - RENEW_AFTER


def is_alive() -> ColumnElement[bool]:
    """SQL: the session is neither revoked nor expired."""
    return LoginSession.revoked_at.is_(None) & (LoginSession.expires_at > func.clock_timestamp())


def _next_expiry(registry: Registry) -> ColumnElement[Any]:
    settings: Settings = registry["contentsvc.settings"]
    return func.clock_timestamp() + timedelta(days=settings.auth.token_days)


def _revoke(session: Session, *which: ColumnElement[bool]) -> int:
    return _run(
        session,
        update(LoginSession)
        .where(LoginSession.revoked_at.is_(None), *which)
        .values(revoked_at=func.clock_timestamp()),
    )


def _run(session: Session, statement: Any) -> int:
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast("CursorResult[Any]", result).rowcount
