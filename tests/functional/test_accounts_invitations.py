"""Invitations: a team's, made by its admins and owners, and the platform's."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, text, update
from webtest import TestApp

from contentsvc.accounts.models import Invitation
from contentsvc.backoffice.models import AuditRecord
from contentsvc.security.models import Team
from tests.functional.queries import count_queries

TEAM = "/api/auth/team/invitations/"
PLATFORM = "/api/admin/invitations/"
PASSWORD = "correct horse battery"
MEMBERS = {
    "id",
    "code",
    "kind",
    "role",
    "email",
    "monthly_credit_limit",
    "team",
    "team_name",
    "status",
    "created_by",
    "created_at",
    "expires_at",
    "accepted_at",
    "accepted_by",
}

Database = Callable[..., Any]


def register(api: TestApp, code: str, username: str = "anna", status: int = 201) -> Any:
    body = {"username": username, "password": PASSWORD, "invite_code": code}
    return api.post_json("/api/auth/register/", body, status=status).json


def expire(database: Database, invitation_id: str) -> None:
    with database() as session:
        session.execute(
            update(Invitation)
            .where(Invitation.id == uuid.UUID(invitation_id))
            .values(expires_at=text("clock_timestamp()"))
        )


def moment(value: str) -> datetime:
    return datetime.fromisoformat(value)


# A team's


def test_team_invitation_has_exactly_the_contracts_members(owner: Any, database: Database) -> None:
    made = owner.post_json(TEAM, {}, status=201).json

    with database() as session:
        team_name = session.scalar(select(Team.name).where(Team.id == owner.team_id))
    assert set(made) == MEMBERS
    assert made["kind"] == "join_team"
    assert made["role"] == "member"
    assert made["email"] == ""
    assert made["monthly_credit_limit"] is None
    assert made["team"] == str(owner.team_id)
    assert made["team_name"] == team_name
    assert made["status"] == "pending"
    assert made["created_by"] == str(owner.user_id)
    assert made["accepted_at"] is None
    assert made["accepted_by"] is None


def test_invitation_lives_seven_days(owner: Any) -> None:
    made = owner.post_json(TEAM, {}).json

    life = moment(made["expires_at"]) - moment(made["created_at"])
    assert abs(life - timedelta(days=7)) < timedelta(seconds=1)


def test_invitation_takes_role_email_and_limit(owner: Any) -> None:
    made = owner.post_json(
        TEAM, {"role": "viewer", "email": "anna@example.com", "monthly_credit_limit": "12.5"}
    ).json

    assert (made["role"], made["email"], made["monthly_credit_limit"]) == (
        "viewer",
        "anna@example.com",
        "12.50",
    )


def test_invitations_are_always_for_the_callers_team(owner: Any, other: Any) -> None:
    made = owner.post_json(TEAM, {"kind": "create_team", "team": str(other.team_id)}).json

    assert (made["kind"], made["team"]) == ("join_team", str(owner.team_id))


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"role": "king"}, {"role"}),
        ({"role": None}, {"role"}),
        ({"email": "nowhere"}, {"email"}),
        ({"monthly_credit_limit": -1}, {"monthly_credit_limit"}),
        ({"monthly_credit_limit": "1.001"}, {"monthly_credit_limit"}),
        ({"monthly_credit_limit": True}, {"monthly_credit_limit"}),
    ],
)
def test_bad_invitation_fields_are_named(owner: Any, body: dict[str, Any], fields: set[str]) -> None:
    assert set(owner.post_json(TEAM, body, status=400).json) == fields


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_members_and_viewers_have_no_invitations(make_client: Any, owner: Any, role: str) -> None:
    made = owner.post_json(TEAM, {}).json
    client = make_client(role=role, team_id=owner.team_id)

    for reply in (
        client.get(TEAM, status=403),
        client.post_json(TEAM, {}, status=403),
        client.post(f"{TEAM}{made['id']}/revoke/", status=403),
    ):
        assert reply.json["code"] == "permission_denied"


def test_admin_invites_admins(make_client: Any, owner: Any) -> None:
    client = make_client(role="admin", team_id=owner.team_id)

    assert client.post_json(TEAM, {"role": "admin"}, status=201).json["role"] == "admin"


def test_admin_cannot_name_owners(make_client: Any, owner: Any) -> None:
    client = make_client(role="admin", team_id=owner.team_id)

    assert client.post_json(TEAM, {"role": "owner"}, status=403).json["code"] == "permission_denied"


def test_admin_is_not_told_an_owners_code(make_client: Any, owner: Any) -> None:
    owner.post_json(TEAM, {"role": "owner"}, status=201)
    client = make_client(role="admin", team_id=owner.team_id)

    assert [entry["code"] for entry in client.get(TEAM).json] == [""]


def test_admin_cannot_revoke_an_owners_invitation(make_client: Any, owner: Any) -> None:
    made = owner.post_json(TEAM, {"role": "owner"}).json
    client = make_client(role="admin", team_id=owner.team_id)

    client.post(f"{TEAM}{made['id']}/revoke/", status=403)

    assert owner.get(TEAM).json == [made]


def test_team_sees_its_own_invitations_newest_first(owner: Any, other: Any) -> None:
    made = [owner.post_json(TEAM, {}).json for _ in range(3)]
    other.post_json(TEAM, {})

    assert owner.get(TEAM, status=200).json == made[::-1]


def test_accepted_invitation_tells_by_whom(api: TestApp, owner: Any) -> None:
    user = register(api, owner.post_json(TEAM, {}).json["code"])["user"]

    [entry] = owner.get(TEAM).json
    assert (entry["status"], entry["accepted_by"]) == ("accepted", user["id"])
    assert moment(entry["accepted_at"]) > moment(entry["created_at"])


def test_expired_invitation_says_so(owner: Any, database: Database) -> None:
    expire(database, owner.post_json(TEAM, {}).json["id"])

    assert [entry["status"] for entry in owner.get(TEAM).json] == ["expired"]


def test_revoked_code_admits_nobody(api: TestApp, owner: Any) -> None:
    made = owner.post_json(TEAM, {}).json

    revoked = owner.post(f"{TEAM}{made['id']}/revoke/", status=200).json

    assert revoked == {**made, "status": "revoked"}
    assert register(api, made["code"], status=400)["code"] == "invalid_invite"


def test_revoking_twice_answers_the_same(owner: Any) -> None:
    path = f"{TEAM}{owner.post_json(TEAM, {}).json['id']}/revoke/"

    assert owner.post(path).json == owner.post(path, status=200).json


def test_expired_invitation_can_be_revoked(owner: Any, database: Database) -> None:
    made = owner.post_json(TEAM, {}).json
    expire(database, made["id"])

    assert owner.post(f"{TEAM}{made['id']}/revoke/", status=200).json["status"] == "revoked"


def test_accepted_invitation_cannot_be_revoked(api: TestApp, owner: Any) -> None:
    made = owner.post_json(TEAM, {}).json
    register(api, made["code"])

    assert owner.post(f"{TEAM}{made['id']}/revoke/", status=400).json["code"] == "conflict"
    assert [entry["status"] for entry in owner.get(TEAM).json] == ["accepted"]


def test_another_teams_invitation_is_unknown(owner: Any, other: Any) -> None:
    made = other.post_json(TEAM, {}).json

    assert owner.post(f"{TEAM}{made['id']}/revoke/", status=404).json["code"] == "not_found"
    assert [entry["status"] for entry in other.get(TEAM).json] == ["pending"]


@pytest.mark.parametrize("path", [TEAM, PLATFORM])
@pytest.mark.parametrize("invitation_id", ["nonsense", "00000000-0000-7000-8000-000000000000"])
def test_unknown_invitation_is_not_found(owner: Any, admin: Any, path: str, invitation_id: str) -> None:
    client = owner if path == TEAM else admin

    assert client.post(f"{path}{invitation_id}/revoke/", status=404).json["code"] == "not_found"


def test_new_member_comes_with_the_invitations_limit(api: TestApp, owner: Any) -> None:
    made = owner.post_json(TEAM, {"role": "admin", "monthly_credit_limit": 5}).json

    reply = register(api, made["code"])

    assert (reply["user"]["role"], reply["team"]["id"]) == ("admin", str(owner.team_id))


# The platform's


def test_administrator_invites_founders(api: TestApp, admin: Any) -> None:
    made = admin.post_json(PLATFORM, {"email": "anna@example.com"}, status=201).json

    assert set(made) == MEMBERS
    assert (made["kind"], made["role"], made["email"]) == ("create_team", "owner", "anna@example.com")
    assert (made["team"], made["team_name"], made["status"]) == (None, None, "pending")
    assert register(api, made["code"])["user"]["role"] == "owner"


def test_administrators_invitation_needs_no_fields(admin: Any) -> None:
    assert admin.post(PLATFORM, b"", status=201).json["email"] == ""


def test_bad_email_of_a_founder_is_named(admin: Any) -> None:
    assert set(admin.post_json(PLATFORM, {"email": "nowhere"}, status=400).json) == {"email"}


def test_back_office_is_the_administrators(owner: Any, admin: Any) -> None:
    made = admin.post_json(PLATFORM, {}).json

    for reply in (
        owner.get(PLATFORM, status=403),
        owner.post_json(PLATFORM, {}, status=403),
        owner.post(f"{PLATFORM}{made['id']}/revoke/", status=403),
    ):
        assert reply.json["code"] == "permission_denied"


def test_administrator_sees_all_teams_invitations(admin: Any, owner: Any, other: Any) -> None:
    made = [
        owner.post_json(TEAM, {}).json,
        other.post_json(TEAM, {}).json,
        admin.post_json(PLATFORM, {}).json,
    ]

    page = admin.get(PLATFORM, status=200).json

    assert (page["count"], page["page"], page["page_size"]) == (3, 1, 20)
    assert page["results"] == made[::-1]


def test_administrators_list_comes_in_pages(admin: Any) -> None:
    made = [admin.post_json(PLATFORM, {}).json["id"] for _ in range(3)]

    page = admin.get(f"{PLATFORM}?page=2&page_size=2").json

    assert (page["count"], [entry["id"] for entry in page["results"]]) == (3, [made[0]])
    assert page["next"] is None
    assert page["previous"] == f"http://localhost{PLATFORM}?page_size=2&page=1"


@pytest.mark.parametrize("query", ["kind=join_team", "kind=create_team"])
def test_list_is_filtered_by_kind(admin: Any, owner: Any, query: str) -> None:
    admin.post_json(PLATFORM, {})
    owner.post_json(TEAM, {})

    entries = admin.get(f"{PLATFORM}?{query}").json["results"]

    assert [f"kind={entry['kind']}" for entry in entries] == [query]


@pytest.mark.parametrize("status", ["pending", "accepted", "revoked", "expired"])
def test_list_is_filtered_by_status(api: TestApp, admin: Any, database: Database, status: str) -> None:
    made = {
        name: admin.post_json(PLATFORM, {}).json for name in ("pending", "accepted", "revoked", "expired")
    }
    register(api, made["accepted"]["code"])
    admin.post(f"{PLATFORM}{made['revoked']['id']}/revoke/")
    expire(database, made["expired"]["id"])

    page = admin.get(f"{PLATFORM}?status={status}").json

    assert page["count"] == 1
    assert [(entry["id"], entry["status"]) for entry in page["results"]] == [(made[status]["id"], status)]


@pytest.mark.parametrize(
    ("search", "found"), [("ANNA@", "email"), ("shop%25", "team"), ("_", None), ("%25%25", None)]
)
def test_search_is_literal_text_in_email_and_team(
    admin: Any, owner: Any, database: Database, search: str, found: str | None
) -> None:
    with database() as session:
        session.execute(update(Team).where(Team.id == owner.team_id).values(name="Corner Shop%"))
    made = {
        "email": admin.post_json(PLATFORM, {"email": "anna@example.com"}).json["id"],
        "team": owner.post_json(TEAM, {}).json["id"],
    }

    page = admin.get(f"{PLATFORM}?search={search}").json

    assert [entry["id"] for entry in page["results"]] == ([made[found]] if found else [])
    assert page["count"] == len(page["results"])


def test_search_finds_a_whole_code(admin: Any) -> None:
    made = [admin.post_json(PLATFORM, {}).json for _ in range(2)]

    page = admin.get(f"{PLATFORM}?search={made[0]['code']}").json

    assert [entry["id"] for entry in page["results"]] == [made[0]["id"]]


@pytest.mark.parametrize("query", ["kind=other", "status=open", "page=0", "page_size=x"])
def test_bad_query_is_refused(admin: Any, query: str) -> None:
    assert set(admin.get(f"{PLATFORM}?{query}", status=400).json) == {query.partition("=")[0]}


def test_administrator_revokes_a_teams_invitation(admin: Any, owner: Any) -> None:
    made = owner.post_json(TEAM, {}).json

    revoked = admin.post(f"{PLATFORM}{made['id']}/revoke/", status=200).json

    assert revoked == {**made, "status": "revoked"}


def test_administrator_cannot_revoke_an_accepted_one(api: TestApp, admin: Any) -> None:
    made = admin.post_json(PLATFORM, {}).json
    register(api, made["code"])

    assert admin.post(f"{PLATFORM}{made['id']}/revoke/", status=400).json["code"] == "conflict"


def test_changes_are_recorded_without_the_code(admin: Any, database: Database) -> None:
    made = admin.post_json(PLATFORM, {"email": "anna@example.com"}).json
    for _ in range(2):
        admin.post(f"{PLATFORM}{made['id']}/revoke/")

    with database() as session:
        records = session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)).all()
    assert [(record.action, str(record.target_id)) for record in records] == [
        ("invitation.create", made["id"]),
        ("invitation.revoke", made["id"]),
    ]
    assert {record.actor_id for record in records} == {admin.user_id}
    assert records[1].before["status"] == "pending"
    assert records[1].after["status"] == "revoked"
    assert made["code"] not in str([(record.before, record.after) for record in records])


@pytest.mark.parametrize("path", [TEAM, PLATFORM])
def test_lists_take_the_same_queries_for_one_and_for_many(
    make_client: Any, owner: Any, registry: Registry, database: Database, path: str
) -> None:
    client = make_client(platform=True, team_id=owner.team_id)
    owner.post_json(TEAM, {})
    with count_queries(registry) as one:
        client.get(path, status=200)
    for number in range(10):
        make_client().post_json(TEAM, {"email": f"user{number}@example.com"}, status=201)
        owner.post_json(TEAM, {}, status=201)

    with count_queries(registry) as many:
        listed = client.get(path, status=200).json

    assert len(listed if path == TEAM else listed["results"]) > 10
    assert len(many) == len(one)
