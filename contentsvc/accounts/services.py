"""Signing in, passwords, profile, sessions.

What hashes passwords takes the registry and uses short transactions of its own: hashing
is slow, and nobody waits for a connection meanwhile.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyramid.registry import Registry
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from contentsvc.accounts.guesses import Visitor, password_guesses
from contentsvc.accounts.schemas import require_unlike
from contentsvc.db.session import transaction_scope
from contentsvc.http import ApiError, ErrorCode, FieldErrors, NotFound
from contentsvc.security.identity import Identity
from contentsvc.security.models import LoginSession, Team, TeamStatus, User
from contentsvc.security.passwords import hash_password, is_outdated
from contentsvc.security.tokens import is_alive, open_session, revoke_session, revoke_sessions, rotate_token


@dataclass(frozen=True)
class SignedIn:
    """A fresh login, with the only copy of its token."""

    token: str
    user: User
    team: Team | None
    session: LoginSession


def find_user(session: Session, username: str) -> User | None:
    """The user of that name, case ignored, whatever his state."""
    return session.scalars(select(User).where(func.lower(User.username) == username.lower())).one_or_none()


def log_in(registry: Registry, username: str, password: str, visitor: Visitor) -> SignedIn:
    """Sign a user in by his password.

    Raises ApiError: INVALID_CREDENTIALS in the same words for unknown users and wrong
    passwords; after the right password USER_DISABLED or TEAM_DISABLED; RATE_LIMITED.
    """
    with transaction_scope(registry) as session:
        user = find_user(session, username)
    stored = user.password_hash if user and user.removed_at is None else None
    matches = password_guesses(registry, username, visitor.address).password_matches(stored, password)
    if user is None or stored is None or not matches:
        raise invalid_credentials()
    return sign_in(registry, user.id, stored, password, visitor)


def invalid_credentials() -> ApiError:
    """The one answer to unknown users and wrong passwords."""
    return ApiError(ErrorCode.INVALID_CREDENTIALS, "The username or the password is wrong.")


def sign_in(registry: Registry, user_id: uuid.UUID, stored: str, password: str, visitor: Visitor) -> SignedIn:
    """Open a session for who has just proven the password behind the hash ``stored``.

    Raises ApiError USER_DISABLED, TEAM_DISABLED, or INVALID_CREDENTIALS when the password
    was changed since it was proven.
    """
    fresh = hash_password(registry, password) if is_outdated(registry, stored) else stored
    with transaction_scope(registry) as session:
        user = _lock_user(session, user_id, stored)
        if user is None:
            raise invalid_credentials()
        if not user.is_active:
            raise ApiError(ErrorCode.USER_DISABLED, "This user is disabled.")
        team = session.get(Team, user.team_id, with_for_update={"read": True}) if user.team_id else None
        if team is not None and team.status != TeamStatus.ENABLED:
            raise ApiError(ErrorCode.TEAM_DISABLED, "This user's team is disabled.")
        user.password_hash = fresh
        return enter(session, registry, user, team, visitor)


def enter(session: Session, registry: Registry, user: User, team: Team | None, visitor: Visitor) -> SignedIn:
    """A session for a user who may have one, and the time of it in his profile."""
    user.last_login_at = func.clock_timestamp()
    opened = open_session(session, registry, user, ip=visitor.address, user_agent=visitor.user_agent)
    session.refresh(user)
    return SignedIn(token=opened.token, user=user, team=team, session=opened.session)


def _lock_user(session: Session, user_id: uuid.UUID, stored: str) -> User | None:
    """The user, if the hash is still his; nobody changes or disables him until the commit."""
    return session.scalars(
        select(User)
        .where(User.id == user_id, User.password_hash == stored, User.removed_at.is_(None))
        .with_for_update(of=User)
    ).one_or_none()


def change_password(registry: Registry, who: Identity, old: str, new: str, address: str) -> str:
    """Set one's own password, end all other sessions, and give the current one a fresh token.

    Call it without an open transaction. Raises FieldErrors on ``old_password`` or
    ``new_password``, ApiError RATE_LIMITED, or INVALID_TOKEN when the session was revoked
    meanwhile.
    """
    user = who.user
    check_new_password("new_password", new, user.username)
    guesses = password_guesses(registry, user.username, address)
    if not guesses.password_matches(user.password_hash, old):
        raise wrong_old_password()
    hashed = hash_password(registry, new)
    with transaction_scope(registry) as session:
        locked = _lock_user(session, user.id, user.password_hash)
        if locked is None:
            raise wrong_old_password()
        locked.password_hash = hashed
        return leave_others(session, registry, who)


def check_new_password(field: str, password: str, username: str) -> None:
    """Raise FieldErrors on ``field`` when somebody's new password is his username."""
    try:
        require_unlike(password, username)
    except ValueError:
        raise FieldErrors.one(field, "The password can't be the username.") from None


def wrong_old_password() -> FieldErrors:
    """The current password was not the one given."""
    return FieldErrors.one("old_password", "The password is wrong.")


def leave_others(session: Session, registry: Registry, who: Identity) -> str:
    """End all the user's sessions but the current one, and give that one a fresh token.

    Raises ApiError INVALID_TOKEN when it was revoked meanwhile.
    """
    revoke_sessions(session, who.user.id, keep=who.session.id)
    token = rotate_token(session, registry, who.session.id)
    if token is None:
        raise ApiError(ErrorCode.INVALID_TOKEN, "This session was ended. Sign in again.")
    return token


def set_password(session: Session, user: User, password_hash: str) -> None:
    """Set somebody else's password and end all his sessions.

    Hash the password first, before the transaction: it is slow.
    """
    session.execute(
        update(User)
        .where(User.id == user.id)
        .values(password_hash=password_hash)
        .execution_options(synchronize_session=False)
    )
    revoke_sessions(session, user.id)


def update_profile(user: User, changes: Mapping[str, str]) -> None:
    """Set name, phone or email."""
    for field, value in changes.items():
        setattr(user, field, value)


def living_sessions(session: Session, user_id: uuid.UUID) -> Sequence[LoginSession]:
    """The user's sessions that are neither revoked nor expired, newest first."""
    return session.scalars(
        select(LoginSession)
        .where(LoginSession.user_id == user_id, is_alive())
        .order_by(LoginSession.created_at.desc(), LoginSession.id.desc())
    ).all()


def end_session(session: Session, user_id: uuid.UUID, session_id: uuid.UUID) -> int:
    """End one of the user's own sessions; 0 when it was ended before. Raises NotFound."""
    owned = select(LoginSession.id).where(LoginSession.id == session_id, LoginSession.user_id == user_id)
    if session.scalar(owned) is None:
        raise NotFound("There is no such session.")
    return revoke_session(session, session_id)
