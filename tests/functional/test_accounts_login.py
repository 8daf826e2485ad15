"""Login, logout, and what wrong passwords lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from argon2 import PasswordHasher
from pyramid.registry import Registry
from sqlalchemy import select, text, update
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.http.models import RateCounter
from contentsvc.security.models import LoginSession, Team, TeamStatus, User
from contentsvc.security.passwords import is_outdated

LOGIN = "/api/auth/login/"
ME = "/api/auth/me/"
PASSWORD = "correct horse battery"
ELSEWHERE = {"REMOTE_ADDR": "198.51.100.9"}


def name_of(client: Any, database: Callable[..., Any]) -> str:
    with database() as session:
        return str(session.scalar(select(User.username).where(User.id == client.user_id)))


def log_in(api: TestApp, username: str, password: str = PASSWORD, status: int = 200, **options: Any) -> Any:
    return api.post_json(LOGIN, {"username": username, "password": password}, status=status, **options)


@pytest.fixture
def username(owner: Any, database: Callable[..., Any]) -> str:
    """The owner's."""
    return name_of(owner, database)


def test_reply_has_exactly_the_contracts_members(api: TestApp, username: str) -> None:
    reply = log_in(api, username).json

    assert set(reply) == {"token", "user", "team", "session", "expires_at"}
    assert set(reply["user"]) == {
        "id",
        "username",
        "name",
        "phone",
        "email",
        "avatar",
        "role",
        "team",
        "is_platform_admin",
        "is_active",
        "last_login_at",
        "created_at",
    }
    assert set(reply["team"]) == {
        "id",
        "name",
        "status",
        "price_multiplier",
        "monthly_credit_limit",
        "created_at",
    }
    assert set(reply["session"]) == {
        "id",
        "created_at",
        "last_seen_at",
        "expires_at",
        "ip",
        "user_agent",
        "is_current",
    }


def test_reply_tells_user_team_and_session(api: TestApp, owner: Any, username: str) -> None:
    reply = log_in(api, username, headers={"User-Agent": "Shop/1.0"}).json

    assert reply["user"]["id"] == str(owner.user_id)
    assert reply["user"]["team"] == reply["team"]["id"] == str(owner.team_id)
    assert reply["user"]["role"] == "owner"
    assert reply["user"]["last_login_at"].endswith("Z")
    assert reply["team"]["status"] == "enabled"
    assert reply["team"]["price_multiplier"] == "1"
    assert reply["team"]["monthly_credit_limit"] is None
    assert reply["session"]["is_current"] is True
    assert reply["session"]["ip"] == "203.0.113.7"
    assert reply["session"]["user_agent"] == "Shop/1.0"
    assert reply["expires_at"] == reply["session"]["expires_at"]


def test_token_has_256_bits_and_works(api: TestApp, username: str) -> None:
    token = log_in(api, username).json["token"]

    assert len(token) == 43
    api.get(ME, headers={"Authorization": f"Token {token}"}, status=200)


def test_username_is_taken_without_case(api: TestApp, username: str) -> None:
    assert log_in(api, username.upper()).json["user"]["username"] == username


def test_administrator_without_a_team_logs_in(api: TestApp, admin: Any, database: Callable[..., Any]) -> None:
    reply = log_in(api, name_of(admin, database)).json

    assert reply["team"] is None
    assert reply["user"]["team"] is None
    assert reply["user"]["is_platform_admin"] is True


def test_wrong_password_and_unknown_user_get_the_same_answer(api: TestApp, username: str) -> None:
    wrong = log_in(api, username, "wrong horse battery", 400).json
    unknown = log_in(api, "nobody-here", PASSWORD, 400).json

    assert wrong["code"] == "invalid_credentials"
    assert wrong == unknown


def test_right_then_wrong_password_is_refused(api: TestApp, username: str) -> None:
    log_in(api, username)

    assert log_in(api, username, "wrong horse battery", 400).json["code"] == "invalid_credentials"


def test_unknown_user_costs_a_password_check(api: TestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    real = PasswordHasher.verify
    monkeypatch.setattr(
        PasswordHasher, "verify", lambda self, *given: (checked.append(given[1]), real(self, *given))[1]
    )

    log_in(api, "nobody-here", PASSWORD, 400)

    assert checked == [PASSWORD]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"username", "password"}),
        ({"username": "anna"}, {"password"}),
        ({"username": 5, "password": PASSWORD}, {"username"}),
        ({"username": "anna", "password": None}, {"password"}),
        ({"username": "an\x00na", "password": PASSWORD}, {"username"}),
    ],
)
def test_malformed_fields_are_named(api: TestApp, body: dict[str, Any], fields: set[str]) -> None:
    assert set(api.post_json(LOGIN, body, status=400).json) == fields


def test_a_username_of_any_length_is_just_unknown(api: TestApp, registry: Registry) -> None:
    assert log_in(api, "é" * 50_000, status=400).json["code"] == "invalid_credentials"


def test_disabled_user_is_told_after_the_right_password(
    api: TestApp, owner: Any, username: str, database: Callable[..., Any]
) -> None:
    with database() as session:
        session.execute(update(User).where(User.id == owner.user_id).values(is_active=False))

    assert log_in(api, username, "wrong horse battery", 400).json["code"] == "invalid_credentials"
    assert log_in(api, username, status=400).json["code"] == "user_disabled"


def test_disabled_team_is_told_after_the_right_password(
    api: TestApp, owner: Any, username: str, database: Callable[..., Any]
) -> None:
    with database() as session:
        session.execute(update(Team).where(Team.id == owner.team_id).values(status=TeamStatus.DISABLED))

    assert log_in(api, username, "wrong horse battery", 400).json["code"] == "invalid_credentials"
    assert log_in(api, username, status=400).json["code"] == "team_disabled"


def test_removed_user_is_unknown(
    api: TestApp, owner: Any, username: str, database: Callable[..., Any]
) -> None:
    with database() as session:
        session.execute(
            update(User).where(User.id == owner.user_id).values(removed_at=text("clock_timestamp()"))
        )

    assert log_in(api, username, status=400).json["code"] == "invalid_credentials"


def test_refused_login_opens_no_session(
    api: TestApp, owner: Any, username: str, database: Callable[..., Any]
) -> None:
    log_in(api, username, "wrong horse battery", 400)

    with database() as session:
        assert len(session.scalars(select(LoginSession)).all()) == 1


def test_hash_of_old_parameters_is_renewed_by_a_login(
    api: TestApp, owner: Any, username: str, registry: Registry, database: Callable[..., Any]
) -> None:
    outdated = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    with database() as session:
        session.execute(update(User).where(User.id == owner.user_id).values(password_hash=outdated))

    log_in(api, username)

    with database() as session:
        stored = session.scalar(select(User.password_hash).where(User.id == owner.user_id))
    assert not is_outdated(registry, stored)
    log_in(api, username)


def test_eleventh_wrong_password_is_rate_limited(api: TestApp, username: str) -> None:
    for _ in range(10):
        log_in(api, username, "wrong horse battery", 400)

    reply = log_in(api, username, "wrong horse battery", 429)

    assert reply.json["code"] == "rate_limited"
    assert 0 < int(reply.headers["Retry-After"]) <= 15 * 60 + 1


def test_throttled_login_refuses_the_right_password_too(api: TestApp, username: str) -> None:
    for _ in range(10):
        log_in(api, username.upper(), "wrong horse battery", 400)

    log_in(api, username, PASSWORD, 429)


def test_unknown_usernames_are_throttled_alike(api: TestApp, registry: Registry) -> None:
    for _ in range(10):
        log_in(api, "nobody-here", PASSWORD, 400)

    log_in(api, "nobody-here", PASSWORD, 429)


def test_another_address_and_another_name_are_not_throttled(
    api: TestApp, username: str, other: Any, database: Callable[..., Any]
) -> None:
    for _ in range(10):
        log_in(api, username, "wrong horse battery", 400)

    log_in(api, username, extra_environ=ELSEWHERE)
    log_in(api, name_of(other, database))


def test_right_passwords_do_not_count(api: TestApp, username: str) -> None:
    for _ in range(9):
        log_in(api, username, "wrong horse battery", 400)
    for _ in range(3):
        log_in(api, username)

    log_in(api, username, "wrong horse battery", 400)
    log_in(api, username, status=429)


def test_throttle_ends_with_its_window(api: TestApp, username: str, database: Callable[..., Any]) -> None:
    for _ in range(10):
        log_in(api, username, "wrong horse battery", 400)
    with database() as session:
        session.execute(
            update(RateCounter).values(window_start=RateCounter.window_start - text("interval '16 minutes'"))
        )

    log_in(api, username)


def test_logout_ends_the_session(owner: Any) -> None:
    reply = owner.post("/api/auth/logout/", status=204)

    assert reply.body == b""
    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_logout_leaves_other_sessions(api: TestApp, owner: Any, username: str) -> None:
    second = log_in(api, username).json["token"]

    owner.post("/api/auth/logout/", status=204)

    api.get(ME, headers={"Authorization": f"Token {second}"}, status=200)


def test_logout_without_a_token_is_refused(api: TestApp) -> None:
    assert api.post("/api/auth/logout/", status=401).json["code"] == "not_authenticated"


def test_no_connection_is_held_while_passwords_are_hashed(
    api: TestApp, owner: Any, username: str, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    real = PasswordHasher.verify

    def verify(self: PasswordHasher, *given: Any) -> bool:
        held.append(engine_of(registry).pool.checkedout())
        return real(self, *given)

    monkeypatch.setattr(PasswordHasher, "verify", verify)

    log_in(api, username)
    owner.post_json(
        "/api/auth/me/password/", {"old_password": PASSWORD, "new_password": PASSWORD}, status=200
    )

    assert held == [0, 0]
