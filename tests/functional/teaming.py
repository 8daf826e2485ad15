"""Teams and their members, for tests."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy import select
from webtest import TestApp

from contentsvc.security.models import User

MEMBERS = "/api/auth/team/members/"
SETTINGS = "/api/auth/team/settings/"
ME = "/api/auth/me/"
LOGIN = "/api/auth/login/"
PASSWORD = "correct horse battery"
NEW = "new horse battery"


def add_member(client: Any, username: str = "anna", **fields: Any) -> dict[str, Any]:
    """The reply to making a member."""
    body = {"username": username, "password": PASSWORD, **fields}
    made: dict[str, Any] = client.post_json(MEMBERS, body, status=201).json
    return made


def path_of(member_id: Any) -> str:
    """The member's address."""
    return f"{MEMBERS}{member_id}/"


def log_in(api: TestApp, username: str, password: str = PASSWORD, status: int = 200) -> Any:
    """The reply to a login."""
    return api.post_json(LOGIN, {"username": username, "password": password}, status=status).json


def with_token(token: str) -> dict[str, str]:
    """The header that a token goes in."""
    return {"Authorization": f"Token {token}"}


def username_of(database: Callable[..., Any], user_id: uuid.UUID) -> str:
    """A user's name."""
    with database() as session:
        return str(session.scalar(select(User.username).where(User.id == user_id)))


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What the calls answer, all made at the same moment in threads of their own."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]
