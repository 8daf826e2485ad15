"""Registration by invitation: who gets in, what he gets, and what doing it twice does."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import func, select, text, update
from webtest import TestApp

from contentsvc.accounts.models import Invitation
from contentsvc.billing.models import CreditAccount, LedgerRow
from contentsvc.security.models import LoginSession, Role, Team, TeamStatus, User
from tests.functional.inviting import (
    PASSWORD,
    REGISTER,
    Database,
    Invite,
    inviter,
    register,
    set_team_status,
    validate,
)


@pytest.fixture
def invite(database: Database) -> Invite:
    """Makes codes."""
    return inviter(database)


def count(database: Database, model: Any) -> int:
    with database() as session:
        return int(session.scalar(select(func.count()).select_from(model)))


# A founding code


def test_founding_code_makes_a_team_and_its_owner(api: TestApp, invite: Invite) -> None:
    reply = register(api, invite(), team_name="Anna's shop", email="anna@example.com").json

    assert set(reply) == {"token", "user", "team", "session", "expires_at"}
    assert reply["team"]["name"] == "Anna's shop"
    assert reply["user"]["role"] == "owner"
    assert reply["user"]["team"] == reply["team"]["id"]
    assert reply["user"]["email"] == "anna@example.com"
    assert reply["session"]["is_current"] is True


def test_token_of_the_reply_works(api: TestApp, invite: Invite) -> None:
    token = register(api, invite()).json["token"]

    api.get("/api/auth/me/", headers={"Authorization": f"Token {token}"}, status=200)


@pytest.mark.parametrize("fields", [{}, {"team_name": None}, {"team_name": "  "}])
def test_team_is_named_after_its_founder_by_default(
    api: TestApp, invite: Invite, fields: dict[str, Any]
) -> None:
    assert register(api, invite(), **fields).json["team"]["name"] == "anna"


def test_new_team_has_an_empty_account(api: TestApp, invite: Invite, database: Database) -> None:
    team_id = uuid.UUID(register(api, invite()).json["team"]["id"])

    with database() as session:
        account = session.get(CreditAccount, team_id)
    assert (account.balance, account.frozen) == (0, 0)
    assert count(database, LedgerRow) == 0


def test_used_founding_code_points_to_its_team(api: TestApp, invite: Invite, database: Database) -> None:
    code = invite()
    reply = register(api, code).json

    with database() as session:
        used = session.scalars(select(Invitation).where(Invitation.code == code)).one()
    assert str(used.accepted_by) == reply["user"]["id"]
    assert str(used.team_id) == reply["team"]["id"]
    assert used.status == "accepted"


# A joining code


def test_joining_code_admits_to_its_team(api: TestApp, owner: Any, invite: Invite) -> None:
    reply = register(api, invite(owner.team_id, role=Role.VIEWER), team_name="ignored").json

    assert reply["team"]["id"] == str(owner.team_id)
    assert reply["team"]["name"] != "ignored"
    assert reply["user"]["role"] == "viewer"


def test_joining_grants_nothing(api: TestApp, owner: Any, invite: Invite, database: Database) -> None:
    rows = count(database, LedgerRow)

    register(api, invite(owner.team_id))

    assert count(database, LedgerRow) == rows


def test_invitations_limit_becomes_the_members(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    register(api, invite(owner.team_id, monthly_credit_limit=Decimal("12.50")))

    with database() as session:
        limit = session.scalar(select(User.monthly_credit_limit).where(User.username == "anna"))
    assert limit == Decimal("12.50")


def test_without_a_limit_a_member_is_unlimited(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    register(api, invite(owner.team_id))

    with database() as session:
        assert session.scalar(select(User.monthly_credit_limit).where(User.username == "anna")) == 0


# Codes that don't serve


@pytest.mark.parametrize("code", ["", "unknown", "x" * 10_000])
def test_unknown_code_is_refused(api: TestApp, code: str) -> None:
    assert register(api, code, status=400).json["code"] == "invalid_invite"


@pytest.mark.parametrize(
    "moved",
    [{"expires_at": "-1 second"}, {"revoked_at": "-1 second"}, {"accepted_at": "-1 second"}],
    ids=["expired", "revoked", "used"],
)
def test_dead_code_is_refused(api: TestApp, owner: Any, invite: Invite, moved: dict[str, str]) -> None:
    times = {column: text(f"clock_timestamp() + interval '{age}'") for column, age in moved.items()}

    assert register(api, invite(owner.team_id, **times), status=400).json["code"] == "invalid_invite"


def test_code_is_used_once(api: TestApp, invite: Invite) -> None:
    code = invite()
    register(api, code)

    assert register(api, code, "berta", status=400).json["code"] == "invalid_invite"


def test_strangers_code_of_a_disabled_team_is_refused(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    code = invite(owner.team_id)
    set_team_status(database, owner.team_id, TeamStatus.DISABLED)

    assert register(api, code, status=400).json["code"] == "invalid_invite"


def test_missing_code_is_named(api: TestApp) -> None:
    reply = api.post_json(REGISTER, {"username": "anna", "password": PASSWORD}, status=400)

    assert set(reply.json) == {"invite_code"}


def test_refused_registration_does_not_use_up_the_code(api: TestApp, owner: Any, invite: Invite) -> None:
    code = invite(owner.team_id)
    register(api, code, "x", status=400)
    register(api, code, password="short", status=400)

    register(api, code)


# Codes bound to an address


def test_bound_code_serves_its_address_without_case(api: TestApp, invite: Invite) -> None:
    reply = register(api, invite(email="Anna@Example.com"), email="anna@example.COM").json

    assert reply["user"]["email"] == "anna@example.COM"


@pytest.mark.parametrize("fields", [{}, {"email": None}, {"email": ""}])
def test_no_address_counts_as_the_bound_one(api: TestApp, invite: Invite, fields: dict[str, Any]) -> None:
    reply = register(api, invite(email="anna@example.com"), **fields).json

    assert reply["user"]["email"] == "anna@example.com"


def test_bound_code_refuses_another_address(api: TestApp, invite: Invite) -> None:
    code = invite(email="anna@example.com")

    assert register(api, code, email="berta@example.com", status=400).json["code"] == "invalid_invite"
    register(api, code)


# Fields


@pytest.mark.parametrize(
    "username", ["", "ab", "a" * 65, "anna b", "änna", "anna/", "anna\n", "an\x00na", 5, None, ["anna"]]
)
def test_bad_username_is_named(api: TestApp, invite: Invite, username: Any) -> None:
    assert set(register(api, invite(), username, status=400).json) == {"username"}


@pytest.mark.parametrize("username", ["abc", "a" * 64, "Anna.B_c-d@example"])
def test_usernames_within_the_rules_are_taken(api: TestApp, invite: Invite, username: str) -> None:
    assert register(api, invite(), username).json["user"]["username"] == username


@pytest.mark.parametrize("password", ["", "1234567", "x" * 257, None, 12345678])
def test_bad_password_is_named(api: TestApp, invite: Invite, password: Any) -> None:
    assert set(register(api, invite(), status=400, password=password).json) == {"password"}


@pytest.mark.parametrize("password", ["12345678", "x" * 256, "ünïcode ✓"])
def test_passwords_within_the_rules_are_taken(api: TestApp, invite: Invite, password: str) -> None:
    register(api, invite(), password=password)


def test_password_is_not_the_username(api: TestApp, invite: Invite) -> None:
    reply = register(api, invite(), "annabella", status=400, password="AnnaBella")

    assert set(reply.json) == {"password"}


def test_refusal_does_not_repeat_the_password(api: TestApp, invite: Invite) -> None:
    assert "hunter2" not in register(api, invite(), status=400, password="hunter2").text


def test_bad_email_is_named(api: TestApp, invite: Invite) -> None:
    assert set(register(api, invite(), status=400, email="not an address").json) == {"email"}


# Registering twice


def test_member_registering_again_is_signed_in(api: TestApp, owner: Any, invite: Invite) -> None:
    code = invite(owner.team_id)
    first = register(api, code).json

    again = register(api, code, status=200).json

    assert again["user"]["id"] == first["user"]["id"]
    assert again["token"] != first["token"]


def test_founder_registering_again_founds_nothing(api: TestApp, invite: Invite, database: Database) -> None:
    code = invite()
    first = register(api, code).json
    teams = count(database, Team)

    again = register(api, code, "ANNA", status=200).json

    assert again["team"]["id"] == first["team"]["id"]
    assert count(database, Team) == teams


def test_another_code_of_ones_team_is_not_used_up(api: TestApp, owner: Any, invite: Invite) -> None:
    register(api, invite(owner.team_id))
    second = invite(owner.team_id)

    register(api, second, status=200)

    assert validate(api, second)["valid"] is True


def test_role_and_limit_of_a_member_registering_again_stay(api: TestApp, owner: Any, invite: Invite) -> None:
    register(api, invite(owner.team_id))

    again = register(api, invite(owner.team_id, role=Role.ADMIN), status=200).json

    assert again["user"]["role"] == "member"


def test_taken_username_with_a_wrong_password_is_named(api: TestApp, owner: Any, invite: Invite) -> None:
    code = invite(owner.team_id)
    register(api, code)

    reply = register(api, code, "Anna", status=400, password="wrong horse battery")

    assert set(reply.json) == {"username"}


def test_taken_username_with_another_teams_code_is_named(
    api: TestApp, owner: Any, other: Any, invite: Invite
) -> None:
    register(api, invite(owner.team_id))
    foreign = invite(other.team_id)

    assert set(register(api, foreign, status=400).json) == {"username"}
    assert set(register(api, invite(), status=400).json) == {"username"}
    assert validate(api, foreign)["valid"] is True


def test_administrators_name_with_a_founding_code_is_taken(
    api: TestApp, admin: Any, invite: Invite, database: Database
) -> None:
    with database() as session:
        name = session.scalar(select(User.username).where(User.id == admin.user_id))

    assert set(register(api, invite(), name, status=400).json) == {"username"}


def test_removed_members_name_stays_taken(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    register(api, invite(owner.team_id))
    with database() as session:
        session.execute(update(User).where(User.username == "anna").values(removed_at=func.clock_timestamp()))

    assert set(register(api, invite(owner.team_id), status=400).json) == {"username"}


def test_disabled_user_registering_again_is_told(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    code = invite(owner.team_id)
    register(api, code)
    with database() as session:
        session.execute(update(User).where(User.username == "anna").values(is_active=False))

    assert register(api, code, status=400).json["code"] == "user_disabled"


def test_member_of_a_disabled_team_registering_again_is_told(
    api: TestApp, owner: Any, invite: Invite, database: Database
) -> None:
    code = invite(owner.team_id)
    register(api, code)
    set_team_status(database, owner.team_id, TeamStatus.DISABLED)

    assert register(api, code, status=400).json["code"] == "team_disabled"


# At the same moment


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def try_to_register(api: TestApp, code: str, username: str) -> Callable[[], Any]:
    body = {"username": username, "password": PASSWORD, "invite_code": code}
    return lambda: TestApp(api.app).post_json(
        REGISTER, body, expect_errors=True, extra_environ={"REMOTE_ADDR": "203.0.113.7"}
    )


def test_two_people_with_one_code_make_one_account(api: TestApp, invite: Invite, database: Database) -> None:
    code = invite()
    names = ["anna", "berta", "carla", "dora"]

    replies = at_once(*(try_to_register(api, code, name) for name in names))

    assert sorted(reply.status_int for reply in replies) == [201, 400, 400, 400]
    assert {reply.json.get("code") for reply in replies if reply.status_int == 400} == {"invalid_invite"}
    assert count(database, Team) == 1
    assert count(database, User) == 1
    assert count(database, CreditAccount) == 1


def test_the_same_registration_sent_at_once_makes_one_account(
    api: TestApp, invite: Invite, database: Database
) -> None:
    code = invite()

    replies = at_once(*(try_to_register(api, code, "anna") for _ in range(4)))

    assert sorted(reply.status_int for reply in replies) == [200, 200, 200, 201]
    assert len({reply.json["user"]["id"] for reply in replies}) == 1
    assert count(database, Team) == 1
    assert count(database, LoginSession) == 4


def test_one_name_with_two_codes_at_once_goes_to_one(
    api: TestApp, invite: Invite, database: Database
) -> None:
    codes = [invite(), invite()]

    replies = at_once(*(try_to_register(api, code, "anna") for code in codes))

    assert sorted(reply.status_int for reply in replies) == [201, 400]
    assert count(database, Team) == 1
    assert sorted(validate(api, code)["valid"] for code in codes) == [False, True]
