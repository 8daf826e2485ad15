"""The platform's teams and users: found, changed, switched off and on, with a trail of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, func, select, update
from webtest import TestApp

from contentsvc.backoffice.models import AuditRecord
from contentsvc.billing.models import CreditAccount
from contentsvc.security.models import Team, User
from tests.functional.conftest import Client, MakeClient
from tests.functional.ledgers import Books
from tests.functional.library import add_asset
from tests.functional.projecting import add_project
from tests.functional.queries import count_queries
from tests.functional.teaming import (
    LOGIN,
    ME,
    NEW,
    PASSWORD,
    add_member,
    at_once,
    log_in,
    path_of,
    username_of,
    with_token,
)

TEAMS = "/api/admin/teams/"
USERS = "/api/admin/users/"
Database = Callable[..., Any]


def audited(database: Database) -> list[AuditRecord]:
    with database() as session:
        return list(session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)))


def rename(database: Database, team_id: Any, name: str) -> None:
    with database() as session:
        session.execute(update(Team).where(Team.id == team_id).values(name=name))


def found(admin: Client, path: str) -> list[str]:
    return [entry["id"] for entry in admin.get(path, status=200).json["results"]]


# Teams, read


def test_teams_are_listed_newest_first(admin: Client, owner: Client, other: Client) -> None:
    listed = admin.get(TEAMS, status=200).json

    assert [entry["id"] for entry in listed["results"]] == [str(other.team_id), str(owner.team_id)]
    assert listed["results"][1] == owner.get(ME).json["team"]


def test_teams_are_found_by_status_and_literal_name(
    admin: Client, owner: Client, other: Client, database: Database
) -> None:
    rename(database, owner.team_id, "Cups 100%")
    admin.post(f"{TEAMS}{other.team_id}/toggle/")

    assert found(admin, f"{TEAMS}?search=CUPS%20100%25") == [str(owner.team_id)]
    assert found(admin, f"{TEAMS}?search=C_ps") == []
    assert found(admin, f"{TEAMS}?status=enabled") == [str(owner.team_id)]
    assert found(admin, f"{TEAMS}?status=disabled") == [str(other.team_id)]
    assert set(admin.get(f"{TEAMS}?status=gone", status=400).json) == {"status"}


def test_a_team_is_told_with_its_credit_and_what_it_has(
    admin: Client, registry: Registry, make_client: MakeClient
) -> None:
    books = Books(registry)
    books.reserve_amount("2.50")
    owner = make_client("owner", team_id=books.team_id)
    owner.delete(path_of(add_member(owner)["id"]))
    image = add_asset(registry, books.team_id)
    kept, deleted = (
        owner.post_json("/api/products/", {"title": "Cup", "images": [image]}).json["id"] for _ in range(2)
    )
    owner.delete(f"/api/products/{deleted}/")
    add_project(registry, books.team_id, product_id=kept)

    detail = admin.get(f"{TEAMS}{books.team_id}/", status=200).json

    assert detail.items() >= owner.get(ME).json["team"].items()
    figures = ("balance", "frozen", "members", "products", "projects", "assets")
    assert [detail[name] for name in figures] == ["100.00", "2.50", 2, 1, 1, 1]


def test_a_team_without_an_account_has_nothing(admin: Client, owner: Client, database: Database) -> None:
    with database() as session:
        session.execute(delete(CreditAccount).where(CreditAccount.team_id == owner.team_id))

    detail = admin.get(f"{TEAMS}{owner.team_id}/", status=200).json
    assert (detail["balance"], detail["frozen"]) == ("0.00", "0.00")


def test_lists_take_as_many_statements_for_many_as_for_one(
    admin: Client, registry: Registry, make_client: MakeClient
) -> None:
    counts = []
    for _ in range(2):
        make_client()
        for path in (TEAMS, USERS):
            with count_queries(registry) as statements:
                admin.get(path)
            counts.append(len(statements))
    assert counts[:2] == counts[2:]


@pytest.mark.parametrize("team_id", ["nonsense", str(uuid.uuid4())])
def test_an_unknown_team_is_not_found(admin: Client, team_id: str) -> None:
    path = f"{TEAMS}{team_id}/"

    for reply in (
        admin.get(path, status=404),
        admin.patch_json(path, {}, status=404),
        admin.post(f"{path}toggle/", status=404),
    ):
        assert reply.json["code"] == "not_found"


# Teams, changed


def test_a_team_is_changed_and_the_change_kept(admin: Client, owner: Client, database: Database) -> None:
    body = {"name": " Cups ", "price_multiplier": "0.85", "monthly_credit_limit": 0}

    changed = admin.patch_json(f"{TEAMS}{owner.team_id}/", body, status=200).json

    assert changed == owner.get(ME).json["team"]
    assert (changed["name"], changed["price_multiplier"]) == ("Cups", "0.85")
    assert changed["monthly_credit_limit"] == "0.00"
    [record] = audited(database)
    assert (record.action, record.target_id, record.actor_id) == ("team.change", owner.team_id, admin.user_id)
    assert record.before is not None
    assert record.after is not None
    assert (record.before["price_multiplier"], record.after["price_multiplier"]) == ("1", "0.85")


def test_a_limit_goes_back_to_the_platforms_default(admin: Client, owner: Client) -> None:
    path = f"{TEAMS}{owner.team_id}/"
    admin.patch_json(path, {"monthly_credit_limit": "5"})

    assert admin.patch_json(path, {"name": "Cups"}).json["monthly_credit_limit"] == "5.00"
    assert admin.patch_json(path, {"monthly_credit_limit": None}).json["monthly_credit_limit"] is None


def test_what_changes_nothing_leaves_no_record(admin: Client, owner: Client, database: Database) -> None:
    before = owner.get(ME).json["team"]

    body = {"price_multiplier": "1.000", "status": "disabled", "id": str(uuid.uuid4())}
    assert admin.patch_json(f"{TEAMS}{owner.team_id}/", body, status=200).json == before
    assert audited(database) == []


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"name": ""}, {"name"}),
        ({"name": None}, {"name"}),
        ({"price_multiplier": 0}, {"price_multiplier"}),
        ({"price_multiplier": None}, {"price_multiplier"}),
        ({"price_multiplier": "1.0000001"}, {"price_multiplier"}),
        ({"monthly_credit_limit": -1}, {"monthly_credit_limit"}),
    ],
)
def test_bad_changes_of_a_team_are_named(
    admin: Client, owner: Client, body: dict[str, Any], fields: set[str]
) -> None:
    assert set(admin.patch_json(f"{TEAMS}{owner.team_id}/", body, status=400).json) == fields


# Teams, switched


def test_a_disabled_teams_members_are_out_until_they_sign_in_anew(
    api: TestApp, admin: Client, owner: Client, make_client: MakeClient, database: Database
) -> None:
    member = make_client("member", team_id=owner.team_id)
    name = username_of(database, member.user_id)

    assert admin.post(f"{TEAMS}{owner.team_id}/toggle/", status=200).json["status"] == "disabled"
    for client in (owner, member):
        assert client.get(ME, status=401).json["code"] == "invalid_token"
    assert log_in(api, name, status=400)["code"] == "team_disabled"

    assert admin.post(f"{TEAMS}{owner.team_id}/toggle/", status=200).json["status"] == "enabled"
    for client in (owner, member):
        assert client.get(ME, status=401).json["code"] == "invalid_token"
    log_in(api, name)


def test_switching_a_team_leaves_others_alone(admin: Client, owner: Client, other: Client) -> None:
    admin.post(f"{TEAMS}{other.team_id}/toggle/")

    owner.get(ME, status=200)
    admin.get(ME, status=200)


def test_switching_a_team_is_recorded(admin: Client, owner: Client, database: Database) -> None:
    admin.post(f"{TEAMS}{owner.team_id}/toggle/")

    [record] = audited(database)
    assert (record.action, record.target_id) == ("team.toggle", owner.team_id)
    assert record.before is not None
    assert record.after is not None
    assert (record.before["status"], record.after["status"]) == ("enabled", "disabled")


# Users, read


def test_users_are_listed_newest_first_with_their_team(admin: Client, owner: Client) -> None:
    add_member(owner)
    team = owner.get(ME).json["team"]

    anna, second, platform = admin.get(USERS, status=200).json["results"]

    assert second == {**owner.get(ME).json["user"], "team_name": team["name"]}
    assert (anna["username"], anna["team"], anna["team_name"]) == ("anna", team["id"], team["name"])
    assert (platform["id"], platform["team"], platform["team_name"]) == (str(admin.user_id), None, None)


def test_users_are_found_by_status_and_literal_text(
    admin: Client, owner: Client, other: Client, database: Database
) -> None:
    rename(database, other.team_id, "Mugs_1")
    anna = add_member(owner, "anna", name="Änne", email="a@example.com")["id"]
    admin.post(f"{USERS}{anna}/toggle/")

    for search in ("ANN", "%C3%84NNE", "a%40example"):
        assert found(admin, f"{USERS}?search={search}") == [anna]
    assert found(admin, f"{USERS}?search=mugs_") == [str(other.user_id)]
    assert found(admin, f"{USERS}?search=a_na") == []
    assert found(admin, f"{USERS}?status=disabled") == [anna]
    assert anna not in found(admin, f"{USERS}?status=active")
    assert set(admin.get(f"{USERS}?status=gone", status=400).json) == {"status"}


def test_who_has_left_his_team_is_unknown(admin: Client, owner: Client) -> None:
    member = add_member(owner)["id"]
    owner.delete(path_of(member))

    assert member not in found(admin, USERS)
    admin.post(f"{USERS}{member}/toggle/", status=404)
    admin.post_json(f"{USERS}{member}/reset-password/", {"password": NEW}, status=404)


# Users, changed


def test_a_disabled_user_is_out_until_he_signs_in_anew(
    api: TestApp, admin: Client, owner: Client, database: Database
) -> None:
    member = add_member(owner)["id"]
    token = log_in(api, "anna")["token"]

    assert admin.post(f"{USERS}{member}/toggle/", status=200).json["is_active"] is False
    assert api.get(ME, headers=with_token(token), status=401).json["code"] == "invalid_token"
    assert log_in(api, "anna", status=400)["code"] == "user_disabled"

    assert admin.post(f"{USERS}{member}/toggle/", status=200).json["is_active"] is True
    assert api.get(ME, headers=with_token(token), status=401).json["code"] == "invalid_token"
    log_in(api, "anna")
    assert [(r.action, str(r.target_id)) for r in audited(database)] == [("user.toggle", member)] * 2


def test_a_platform_administrator_can_not_be_disabled(
    admin: Client, make_client: MakeClient, database: Database
) -> None:
    colleague = make_client(platform=True)

    for target in (admin, colleague):
        reply = admin.post(f"{USERS}{target.user_id}/toggle/", status=400)
        assert reply.json["code"] == "conflict"
    colleague.get(ME, status=200)
    assert audited(database) == []


def test_a_reset_password_ends_all_sessions_and_is_recorded_without_it(
    api: TestApp, admin: Client, owner: Client, database: Database
) -> None:
    name = username_of(database, owner.user_id)

    reply = admin.post_json(f"{USERS}{owner.user_id}/reset-password/", {"password": NEW}, status=204)

    assert reply.body == b""
    assert owner.get(ME, status=401).json["code"] == "invalid_token"
    log_in(api, name, status=400)
    log_in(api, name, NEW)
    [record] = audited(database)
    assert (record.action, record.target_id) == ("user.reset_password", owner.user_id)
    assert (record.before, record.after) == (None, None)


@pytest.mark.parametrize("password", ["short", None, 12345678])
def test_a_bad_password_is_named_and_changes_nothing(
    admin: Client, owner: Client, database: Database, password: Any
) -> None:
    path = f"{USERS}{owner.user_id}/reset-password/"

    assert set(admin.post_json(path, {"password": password}, status=400).json) == {"password"}
    owner.get(ME, status=200)
    assert audited(database) == []


def test_a_username_is_no_password(admin: Client, owner: Client) -> None:
    member = add_member(owner, "annabella")["id"]

    path = f"{USERS}{member}/reset-password/"
    assert set(admin.post_json(path, {"password": "AnnaBella"}, status=400).json) == {"password"}


def test_no_member_sees_or_changes_the_platforms_teams_and_users(owner: Client, database: Database) -> None:
    for reply in (
        owner.get(TEAMS, status=403),
        owner.patch(f"{TEAMS}{owner.team_id}/", "{broken", status=403),
        owner.post(f"{USERS}{owner.user_id}/toggle/", status=403),
        owner.post(f"{USERS}{owner.user_id}/reset-password/", "{broken", status=403),
    ):
        assert reply.json["code"] == "permission_denied"
    with database() as session:
        assert session.scalar(select(func.count()).where(User.is_active.is_(False))) == 0


# At the same moment


def try_to_sign_in(wsgi: Any, username: str) -> Callable[[], str | None]:
    body = {"username": username, "password": PASSWORD}

    def sign_in() -> str | None:
        api = TestApp(wsgi, extra_environ={"REMOTE_ADDR": "203.0.113.7"})
        return api.post_json(LOGIN, body, expect_errors=True).json.get("token")

    return sign_in


@pytest.mark.parametrize("switched", ["team", "user", "password"])
def test_who_signs_in_while_he_is_shut_out_is_out(
    api: TestApp, admin: Client, owner: Client, wsgi: Any, database: Database, switched: str
) -> None:
    calls = {
        "team": (f"{TEAMS}{owner.team_id}/toggle/", {}),
        "user": (f"{USERS}{owner.user_id}/toggle/", {}),
        "password": (f"{USERS}{owner.user_id}/reset-password/", {"password": NEW}),
    }
    path, body = calls[switched]
    sign_in = try_to_sign_in(wsgi, username_of(database, owner.user_id))

    def shut_out() -> str:
        TestApp(wsgi).post_json(path, body, headers=with_token(admin.token))
        return owner.token

    tokens = at_once(sign_in, sign_in, shut_out, sign_in, sign_in)

    for token in tokens:
        if token is not None:
            api.get(ME, headers=with_token(token), status=401)


def test_two_switches_at_once_are_two_switches(admin: Client, owner: Client, wsgi: Any) -> None:
    def switch() -> str:
        path = f"{TEAMS}{owner.team_id}/toggle/"
        return str(TestApp(wsgi).post(path, headers=with_token(admin.token)).json["status"])

    assert sorted(at_once(switch, switch, switch, switch)) == ["disabled", "disabled", "enabled", "enabled"]
