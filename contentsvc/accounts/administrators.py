"""The platform's administrators, as the command line makes them and lets them in again.

The functions hash passwords, so they use short transactions of their own.
"""

from __future__ import annotations

from pydantic import ValidationError
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.accounts.schemas import NewAccount
from contentsvc.accounts.services import find_user, set_password
from contentsvc.db.session import transaction_scope
from contentsvc.http.body import messages_by_field
from contentsvc.security.models import User
from contentsvc.security.passwords import hash_password


def ensure_administrator(session: Session, registry: Registry, username: str, password: str) -> bool:
    """Make the platform's first administrator; False when the platform has one.

    Raises ValueError for a username or password against the rules, and when somebody else
    has the name.
    """
    if session.scalar(select(User.id).where(User.is_platform_admin, User.removed_at.is_(None)).limit(1)):
        return False
    account = _account(username, password)
    _insert(session, account, hash_password(registry, account.password))
    return True


def create_administrator(registry: Registry, username: str, password: str) -> None:
    """Make a further administrator. Raises ValueError as :func:`ensure_administrator` does."""
    account = _account(username, password)
    hashed = hash_password(registry, account.password)
    with transaction_scope(registry) as session:
        _insert(session, account, hashed)


def reset_administrator(registry: Registry, username: str, password: str) -> str:
    """Set an administrator's password and end all his sessions; his username as it is stored.

    Raises ValueError for a password against the rules, and when no administrator has the name.
    """
    account = _account(username, password)
    hashed = hash_password(registry, account.password)
    with transaction_scope(registry) as session:
        user = find_user(session, username)
        if user is None or not user.is_platform_admin or user.removed_at is not None:
            raise ValueError(f"there is no administrator {username}")
        set_password(session, user, hashed)
        return user.username


def _account(username: str, password: str) -> NewAccount:
    try:
        return NewAccount(username=username, password=password)
    except ValidationError as error:
        # The input isn't repeated: it holds a password.
        faults = messages_by_field(
            error.errors(include_url=False, include_context=False, include_input=False)
        )
        told = [f"{field}: {message}" for field, messages in faults.items() for message in messages]
        raise ValueError(" ".join(told)) from None


def _insert(session: Session, account: NewAccount, password_hash: str) -> None:
    made = session.scalar(
        insert(User)
        .values(username=account.username, password_hash=password_hash, is_platform_admin=True)
        .on_conflict_do_nothing()
        .returning(User.id)
    )
    if made is None:
        raise ValueError(f"the username {account.username} is taken")
