"""The members of a team: made, changed, removed, by whom it is allowed."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select, update
from webtest import TestApp

from contentsvc.accounts.members import Members
from contentsvc.db.session import transaction_scope
from contentsvc.http import ApiError
from contentsvc.http.models import IdempotencyRecord
from contentsvc.security.models import Role, User
from tests import media_samples
from tests.functional.conftest import Client, MakeClient
from tests.functional.ledgers import Books
from tests.functional.queries import count_queries
from tests.functional.teaming import (
    ME,
    MEMBERS,
    NEW,
    PASSWORD,
    add_member,
    at_once,
    log_in,
    path_of,
    with_token,
)

Database = Callable[..., Any]
NOBODY = uuid.uuid4()


@pytest.fixture
def team(make_client: MakeClient, owner: Client) -> dict[str, Client]:
    """A client for each role in the owner's team."""
    others = {role: make_client(role, team_id=owner.team_id) for role in ("admin", "member", "viewer")}
    return {"owner": owner, **others}


def roles(client: Client) -> dict[str, str]:
    return {member["id"]: member["role"] for member in client.get(MEMBERS).json}


# Making


def test_a_member_has_exactly_the_contracts_members(owner: Client) -> None:
    made = add_member(owner, name="Anna", email="anna@example.com")

    assert set(made) == {
        *("id", "username", "name", "email", "role", "is_active", "created_at"),
        *("monthly_credit_limit", "daily_credit_limit", "total_credit_limit"),
        *("monthly_used", "daily_used", "total_used"),
    }
    assert (made["role"], made["is_active"]) == ("member", True)
    assert (made["name"], made["email"]) == ("Anna", "anna@example.com")


def test_a_member_is_in_the_team_and_can_sign_in(api: TestApp, owner: Client) -> None:
    made = add_member(owner)

    reply = log_in(api, "ANNA")
    assert reply["user"]["id"] == made["id"]
    assert reply["team"]["id"] == str(owner.team_id)


def test_limits_are_zero_unless_told(owner: Client) -> None:
    made = add_member(owner, daily_credit_limit="1.5", total_credit_limit=20)

    limits = [made[f"{window}_credit_limit"] for window in ("daily", "monthly", "total")]
    assert limits == ["1.50", "0.00", "20.00"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"username": "x"}, {"username"}),
        ({"password": "short"}, {"password"}),
        ({"username": "annabella", "password": "ANNABELLA"}, {"password"}),
        ({"email": "nowhere"}, {"email"}),
        ({"role": "king"}, {"role"}),
        ({"role": None}, {"role"}),
        ({"monthly_credit_limit": -1}, {"monthly_credit_limit"}),
        ({"daily_credit_limit": None}, {"daily_credit_limit"}),
        ({"total_credit_limit": "1.001"}, {"total_credit_limit"}),
    ],
)
def test_bad_fields_of_a_new_member_are_named(owner: Client, body: dict[str, Any], fields: set[str]) -> None:
    whole = {"username": "anna", "password": PASSWORD, **body}
    assert set(owner.post_json(MEMBERS, whole, status=400).json) == fields


def test_a_new_member_needs_name_and_password(owner: Client) -> None:
    assert set(owner.post_json(MEMBERS, {}, status=400).json) == {"username", "password"}


def test_a_username_is_taken_without_case_by_members_of_any_team(owner: Client, other: Client) -> None:
    add_member(other, "Anna")

    body = {"username": "aNNA", "password": PASSWORD}
    assert set(owner.post_json(MEMBERS, body, status=400).json) == {"username"}


def test_a_username_taken_meanwhile_is_a_conflict(
    owner: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_member(other)
    monkeypatch.setattr(Members, "require_free", lambda *_: None)

    body = {"username": "Anna", "password": PASSWORD}
    assert owner.post_json(MEMBERS, body, status=409).json["code"] == "conflict"


def test_one_of_many_takes_a_username(owner: Client, wsgi: Any) -> None:
    def make() -> Any:
        body = {"username": "anna", "password": PASSWORD}
        return TestApp(wsgi).post_json(MEMBERS, body, headers=with_token(owner.token), expect_errors=True)

    statuses = sorted(reply.status_int for reply in at_once(*[make] * 6))
    assert statuses[0] == 201
    assert set(statuses[1:]) <= {400, 409}
    assert len(roles(owner)) == 2


def test_a_member_is_made_once_for_one_key(owner: Client) -> None:
    body = {"username": "anna", "password": PASSWORD}
    first, second = (
        owner.post_json(MEMBERS, body, headers={"Idempotency-Key": "k"}, status=201) for _ in range(2)
    )
    assert first.json == second.json
    assert second.headers["Idempotent-Replay"] == "true"


def test_a_key_with_another_password_is_a_conflict(owner: Client) -> None:
    for password, status in ((PASSWORD, 201), (NEW, 409)):
        body = {"username": "anna", "password": password}
        owner.post_json(MEMBERS, body, headers={"Idempotency-Key": "k"}, status=status)


def test_a_remembered_call_does_not_tell_the_password(owner: Client, database: Database) -> None:
    body = {"password": PASSWORD, "username": "anna"}
    owner.post_json(MEMBERS, body, headers={"Idempotency-Key": "k"})

    with database() as session:
        [record] = session.scalars(select(IdempotencyRecord))
    quick = hashlib.sha256(json.dumps(body, separators=(",", ":")).encode()).hexdigest()
    assert record.fingerprint != quick
    assert PASSWORD.encode() not in record.body


# Listing


def test_everybody_reads_the_members_newest_first(team: dict[str, Client]) -> None:
    expected = [str(team[role].user_id) for role in ("viewer", "member", "admin", "owner")]
    for client in team.values():
        assert [member["id"] for member in client.get(MEMBERS, status=200).json] == expected


def test_a_list_has_only_the_own_team(owner: Client, other: Client) -> None:
    assert roles(owner) == {str(owner.user_id): "owner"}


def test_used_is_what_was_charged_and_what_is_held(registry: Registry, make_client: MakeClient) -> None:
    books = Books(registry)
    viewer = make_client("viewer", team_id=books.team_id)
    books.spend("2.50")
    books.reserve_amount("1.25")

    found = {member["id"]: member for member in viewer.get(MEMBERS).json}
    used = found[str(books.member_id)]
    assert [used[f"{window}_used"] for window in ("daily", "monthly", "total")] == ["3.75"] * 3
    assert found[str(viewer.user_id)]["total_used"] == "0.00"


def test_a_list_takes_as_many_statements_for_many_as_for_one(
    registry: Registry, owner: Client, make_client: MakeClient
) -> None:
    with count_queries(registry) as alone:
        owner.get(MEMBERS)
    for _ in range(5):
        make_client("member", team_id=owner.team_id)
    with count_queries(registry) as many:
        owner.get(MEMBERS)
    assert len(many) == len(alone)


# Changing


def test_name_role_and_limits_change(owner: Client) -> None:
    member = add_member(owner)
    changes = {
        "name": "Anna",
        "role": "viewer",
        "monthly_credit_limit": "3.00",
        "daily_credit_limit": "1.00",
        "total_credit_limit": "9.00",
    }
    assert owner.patch_json(path_of(member["id"]), changes, status=200).json == {**member, **changes}


def test_what_is_left_out_or_not_to_be_written_stays(owner: Client) -> None:
    member = add_member(owner, name="Anna", monthly_credit_limit=5)

    body = {"username": "berta", "is_active": False, "monthly_used": "9.00", "id": str(NOBODY)}
    assert owner.patch_json(path_of(member["id"]), body, status=200).json == member
    assert owner.patch_json(path_of(member["id"]), {}, status=200).json == member


@pytest.mark.parametrize("value", [None, -1, "x", True])
def test_bad_limits_are_named(owner: Client, value: Any) -> None:
    member = add_member(owner)
    for field in ("monthly_credit_limit", "daily_credit_limit", "total_credit_limit"):
        assert set(owner.patch_json(path_of(member["id"]), {field: value}, status=400).json) == {field}


def test_a_new_role_holds_at_once(team: dict[str, Client]) -> None:
    team["owner"].patch_json(path_of(team["admin"].user_id), {"role": "viewer"})

    team["admin"].post_json(MEMBERS, {}, status=403)


# Who may


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_members_and_viewers_manage_nobody(team: dict[str, Client], role: str) -> None:
    path = path_of(team["viewer"].user_id)
    for reply in (
        team[role].post_json(MEMBERS, {}, status=403),
        team[role].patch_json(path, {}, status=403),
        team[role].delete(path, status=403),
        team[role].post_json(f"{path}password/", {}, status=403),
    ):
        assert reply.json["code"] == "permission_denied"


def test_an_admin_manages_all_but_owners(team: dict[str, Client]) -> None:
    admin, path = team["admin"], path_of(team["member"].user_id)
    admin.patch_json(path, {"role": "admin"}, status=200)
    admin.post_json(f"{path}password/", {"password": NEW}, status=204)
    admin.delete(path, status=204)
    assert add_member(admin, role="admin")["role"] == "admin"


def test_an_admin_is_refused_owners_before_the_body_is_read(team: dict[str, Client]) -> None:
    admin, path = team["admin"], path_of(team["owner"].user_id)
    for reply in (
        admin.patch(path, "{broken", content_type="text/plain", status=403),
        admin.delete(path, status=403),
        admin.post(f"{path}password/", "{broken", content_type="text/plain", status=403),
    ):
        assert reply.json["code"] == "permission_denied"


def test_an_admin_names_no_owners(team: dict[str, Client]) -> None:
    admin = team["admin"]
    body = {"username": "anna", "password": PASSWORD, "role": "owner"}
    assert admin.post_json(MEMBERS, body, status=403).json["code"] == "permission_denied"
    for target in ("member", "admin"):
        admin.patch_json(path_of(team[target].user_id), {"role": "owner"}, status=403)


def test_an_owner_names_and_demotes_owners(team: dict[str, Client]) -> None:
    path = path_of(team["admin"].user_id)
    assert team["owner"].patch_json(path, {"role": "owner"}, status=200).json["role"] == "owner"
    assert (
        team["admin"].patch_json(path_of(team["owner"].user_id), {"role": "member"}).json["role"] == "member"
    )


def test_platform_administrators_are_nobodys_to_change(owner: Client, make_client: MakeClient) -> None:
    path = path_of(make_client("member", team_id=owner.team_id, platform=True).user_id)

    owner.post_json(f"{path}password/", {"password": NEW}, status=403)
    owner.delete(path, status=403)


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_nobody_removes_or_demotes_himself(team: dict[str, Client], role: str) -> None:
    client = team[role]
    path = path_of(client.user_id)

    assert client.delete(path, status=400).json["code"] == "conflict"
    assert client.patch_json(path, {"role": "viewer"}, status=400).json["code"] == "conflict"
    assert roles(client)[str(client.user_id)] == role


def test_ones_own_name_and_present_role_can_be_sent(owner: Client) -> None:
    body = {"name": "Me", "role": "owner"}
    assert owner.patch_json(path_of(owner.user_id), body, status=200).json["name"] == "Me"


def test_the_last_owner_stays(registry: Registry, team: dict[str, Client]) -> None:
    """Whoever asks: over the API only an owner could, and there is another one then."""
    team_id, admin, owner = team["owner"].team_id, team["admin"].user_id, team["owner"].user_id
    assert team_id is not None
    with transaction_scope(registry, team_id) as session, pytest.raises(ApiError) as refused:
        Members(session, team_id).remove(admin, owner)
    assert (refused.value.status, refused.value.code) == (400, "conflict")


@pytest.mark.parametrize("method", ["delete", "patch_json"])
def test_two_owners_who_depose_each_other_leave_one(
    owner: Client, make_client: MakeClient, database: Database, wsgi: Any, method: str
) -> None:
    second = make_client("owner", team_id=owner.team_id)

    def depose(who: Client, whom: Client) -> int:
        more = [{"role": "member"}] if method == "patch_json" else []
        call = getattr(TestApp(wsgi), method)
        reply = call(path_of(whom.user_id), *more, headers=with_token(who.token), expect_errors=True)
        return int(reply.status_int)

    statuses = at_once(lambda: depose(owner, second), lambda: depose(second, owner))

    with database() as session:
        owners = session.scalar(
            select(func.count()).where(User.role == Role.OWNER, User.removed_at.is_(None))
        )
    assert owners == 1
    assert min(statuses) in (200, 204)
    assert max(statuses) in (400, 401, 403)


# Leaving


def test_who_is_removed_is_out_at_once(api: TestApp, owner: Client) -> None:
    member = add_member(owner)
    token = log_in(api, "anna")["token"]

    assert owner.delete(path_of(member["id"]), status=204).body == b""

    assert api.get(ME, headers=with_token(token), status=401).json["code"] == "invalid_token"
    assert log_in(api, "anna", status=400)["code"] == "invalid_credentials"


def test_who_is_removed_is_unknown(owner: Client) -> None:
    path = path_of(add_member(owner)["id"])
    owner.delete(path)

    assert roles(owner) == {str(owner.user_id): "owner"}
    owner.patch_json(path, {}, status=404)
    owner.delete(path, status=404)
    owner.post_json(f"{path}password/", {"password": NEW}, status=404)


def test_a_removed_members_name_stays_taken(owner: Client) -> None:
    owner.delete(path_of(add_member(owner)["id"]))

    body = {"username": "anna", "password": PASSWORD}
    assert set(owner.post_json(MEMBERS, body, status=400).json) == {"username"}


def test_what_a_removed_member_made_stays(team: dict[str, Client]) -> None:
    files = [("file", "cup.png", media_samples.image("PNG"))]
    asset = team["member"].post("/api/assets/upload/", upload_files=files, status=201).json
    team["owner"].delete(path_of(team["member"].user_id), status=204)

    kept = team["owner"].get(f"/api/assets/{asset['id']}/", status=200).json
    assert kept["created_by"] == str(team["member"].user_id)


# Passwords


def test_a_password_set_by_another_ends_all_sessions(api: TestApp, owner: Client) -> None:
    member = add_member(owner)
    tokens = [log_in(api, "anna")["token"] for _ in range(2)]

    reply = owner.post_json(f"{path_of(member['id'])}password/", {"password": NEW}, status=204)

    assert reply.body == b""
    for token in tokens:
        assert api.get(ME, headers=with_token(token), status=401).json["code"] == "invalid_token"
    assert log_in(api, "anna", status=400)["code"] == "invalid_credentials"
    log_in(api, "anna", NEW)


@pytest.mark.parametrize("password", ["short", "x" * 257, None, "AnnaBella"])
def test_bad_passwords_for_others_are_named(owner: Client, password: Any) -> None:
    path = f"{path_of(add_member(owner, 'annabella')['id'])}password/"

    assert set(owner.post_json(path, {"password": password}, status=400).json) == {"password"}


def test_a_disabled_member_is_shown_as_such(owner: Client, database: Database) -> None:
    member = add_member(owner)
    with database() as session:
        session.execute(update(User).where(User.id == uuid.UUID(member["id"])).values(is_active=False))

    assert [entry["is_active"] for entry in owner.get(MEMBERS).json] == [False, True]
