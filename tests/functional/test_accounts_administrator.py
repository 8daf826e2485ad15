"""The platform's first administrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select, update
from webtest import TestApp

from contentsvc.accounts.administrators import (
    create_administrator,
    ensure_administrator,
    reset_administrator,
)
from contentsvc.security.models import User
from tests.functional.teaming import ME, NEW, log_in, username_of, with_token

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
    with pytest.raises(ValueError, match=r"username|password") as caught:
        ensure(registry, database, username, password)

    assert password not in str(caught.value).replace(username, "")
    assert users(database) == 0


def test_somebody_elses_name_is_refused(registry: Registry, owner: Any, database: Database) -> None:
    with database() as session:
        name = session.scalar(select(User.username).where(User.id == owner.user_id))

    with pytest.raises(ValueError, match="taken"):
        ensure(registry, database, name.upper())


# Further ones


def test_a_further_administrator_can_sign_in(api: TestApp, registry: Registry, admin: Any) -> None:
    create_administrator(registry, "Anna", PASSWORD)

    reply = log_in(api, "anna")
    assert (reply["team"], reply["user"]["is_platform_admin"]) == (None, True)


def test_a_taken_name_makes_nobody_an_administrator(
    registry: Registry, owner: Any, database: Database
) -> None:
    name = username_of(database, owner.user_id)

    with pytest.raises(ValueError, match=f"{name.upper()} is taken"):
        create_administrator(registry, name.upper(), PASSWORD)
    assert owner.get(ME).json["user"]["is_platform_admin"] is False


def test_a_reset_lets_in_and_ends_all_sessions(api: TestApp, registry: Registry) -> None:
    create_administrator(registry, "Anna", PASSWORD)
    token = log_in(api, "anna")["token"]

    assert reset_administrator(registry, "ANNA", NEW) == "Anna"

    api.get(ME, headers=with_token(token), status=401)
    log_in(api, "anna", PASSWORD, 400)
    log_in(api, "anna", NEW)


@pytest.mark.parametrize("left", [False, True], ids=["a team's owner", "who has left"])
def test_a_reset_is_for_administrators_alone(
    registry: Registry, owner: Any, admin: Any, database: Database, left: bool
) -> None:
    if left:
        with database() as session:
            session.execute(
                update(User).where(User.id == admin.user_id).values(removed_at=func.clock_timestamp())
            )
    name = username_of(database, admin.user_id if left else owner.user_id)

    with pytest.raises(ValueError, match=f"no administrator {name}"):
        reset_administrator(registry, name, NEW)


def test_a_bad_password_is_told_without_it(registry: Registry, admin: Any, database: Database) -> None:
    with pytest.raises(ValueError, match=r"password: .*8 to 256") as refused:
        reset_administrator(registry, username_of(database, admin.user_id), "hunter2")
    assert "hunter2" not in str(refused.value)
    admin.get(ME, status=200)
