"""Asking about invitation codes, and guessing at them and at passwords behind them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, text
from webtest import TestApp

from contentsvc.security.models import Team, TeamStatus
from tests.functional.inviting import (
    PASSWORD,
    VALIDATE,
    Database,
    Invite,
    inviter,
    register,
    set_team_status,
    validate,
)

ELSEWHERE = {"REMOTE_ADDR": "198.51.100.9"}


@pytest.fixture
def invite(database: Database) -> Invite:
    """Makes codes."""
    return inviter(database)


def test_founding_code_is_valid(api: TestApp, invite: Invite) -> None:
    assert validate(api, invite()) == {
        "valid": True,
        "kind": "create_team",
        "role": "owner",
        "team_name": None,
    }


def test_joining_code_is_valid(api: TestApp, owner: Any, invite: Invite, database: Database) -> None:
    with database() as session:
        name = session.scalar(select(Team.name).where(Team.id == owner.team_id))

    assert validate(api, invite(owner.team_id)) == {
        "valid": True,
        "kind": "join_team",
        "role": "member",
        "team_name": name,
    }


@pytest.mark.parametrize("code", ["", "unknown", "x" * 10_000, "✓"])
def test_unknown_code_is_not_valid(api: TestApp, code: str) -> None:
    reply = validate(api, code)

    assert set(reply) == {"valid", "detail"}
    assert reply["valid"] is False


@pytest.mark.parametrize(
    "moved",
    [{"expires_at": "-1 second"}, {"revoked_at": "-1 second"}, {"accepted_at": "-1 second"}],
    ids=["expired", "revoked", "used"],
)
def test_dead_code_is_not_valid(api: TestApp, owner: Any, invite: Invite, moved: dict[str, str]) -> None:
    times = {column: text(f"clock_timestamp() + interval '{age}'") for column, age in moved.items()}

    assert validate(api, invite(owner.team_id, **times))["valid"] is False


def test_disabled_teams_code_is_not_valid(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    code = invite(owner.team_id)
    set_team_status(database, owner.team_id, TeamStatus.DISABLED)

    assert validate(api, code)["valid"] is False


@pytest.mark.parametrize("body", [{}, {"code": None}, {"code": 5}])
def test_missing_code_of_the_question_is_named(api: TestApp, body: dict[str, Any]) -> None:
    assert set(api.post_json(VALIDATE, body, status=400).json) == {"code"}


# Guessing


def test_twenty_first_invalid_code_is_rate_limited(api: TestApp) -> None:
    for number in range(10):
        validate(api, f"guess {number}")
        register(api, f"guess {number}", status=400)

    reply = api.post_json(VALIDATE, {"code": "guess"}, status=429)

    assert reply.json["code"] == "rate_limited"
    assert int(reply.headers["Retry-After"]) > 0


def test_throttled_address_is_refused_with_a_right_code_too(api: TestApp, invite: Invite) -> None:
    code = invite()
    for number in range(20):
        validate(api, f"guess {number}")

    register(api, code, status=429)
    api.post_json(VALIDATE, {"code": code}, status=429)
    api.post_json(VALIDATE, {"code": code}, status=200, extra_environ=ELSEWHERE)


def test_valid_codes_and_malformed_questions_do_not_count(api: TestApp, invite: Invite) -> None:
    code = invite()
    for _ in range(15):
        validate(api, code)
        api.post_json(VALIDATE, {}, status=400)

    assert validate(api, code)["valid"] is True


def test_wrong_passwords_of_re_registration_count_with_those_of_login(
    api: TestApp, owner: Any, invite: Invite
) -> None:
    code = invite(owner.team_id)
    register(api, code)
    for _ in range(10):
        register(api, code, status=400, password="wrong horse battery")

    register(api, code, status=429)
    api.post_json("/api/auth/login/", {"username": "anna", "password": PASSWORD}, status=429)
