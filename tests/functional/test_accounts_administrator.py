"""The platform's first administrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError
from pyramid.registry import Registry
from sqlalchemy import func, select
from webtest import TestApp

from contentsvc.accounts.services import ensure_administrator
from contentsvc.security.models import User

PASSWORD = "correct horse battery"

Database = Callable[..., Any]


def ensure(registry: Registry, database: Database, username: str = "admin", password: str = PASSWORD) -> bool:
    with database() as session:
        return ensure_administrator(session, registry, username, password)


def users(database: Database) -> int:
    with database() as session:
        return int(session.scalar(select(func.count()).select_from(User)))


def test_first_administrator_can_sign_in(api: TestApp, registry: Registry, database: Database) -> None:
    assert ensure(registry, database) is True

    reply = api.post_json("/api/auth/login/", {"username": "admin", "password": PASSWORD}, status=200).json
    assert reply["team"] is None
    api.get("/api/admin/invitations/", headers={"Authorization": f"Token {reply['token']}"}, status=200)


def test_second_start_makes_no_second_one(registry: Registry, database: Database) -> None:
    ensure(registry, database)

    assert ensure(registry, database, "root", "another horse battery") is False
    assert users(database) == 1


def test_password_of_the_first_start_stays(api: TestApp, registry: Registry, database: Database) -> None:
    ensure(registry, database)
    ensure(registry, database, "admin", "another horse battery")

    api.post_json("/api/auth/login/", {"username": "admin", "password": PASSWORD}, status=200)


@pytest.mark.parametrize(
    ("username", "password"), [("admin", "short"), ("a b", PASSWORD), ("Longadmin", "longADMIN")]
)
def test_rules_hold_for_the_administrator_too(
    registry: Registry, database: Database, username: str, password: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        ensure(registry, database, username, password)

    assert password not in str(caught.value).replace(username, "")
    assert users(database) == 0


def test_somebody_elses_name_is_refused(registry: Registry, owner: Any, database: Database) -> None:
    with database() as session:
        name = session.scalar(select(User.username).where(User.id == owner.user_id))

    with pytest.raises(ValueError, match="taken"):
        ensure(registry, database, name.upper())
