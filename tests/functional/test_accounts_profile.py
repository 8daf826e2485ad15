"""One's own profile, password and sessions."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, text, update
from webtest import TestApp

from contentsvc.accounts.services import set_password
from contentsvc.security.models import LoginSession, User
from contentsvc.security.passwords import hash_password
from contentsvc.storage.models import MediaFile

ME = "/api/auth/me/"
CHANGE = "/api/auth/me/password/"
SESSIONS = "/api/auth/me/sessions/"
OTHERS = "/api/auth/me/sessions/revoke-others/"
PASSWORD = "correct horse battery"
NEW = "new horse battery"

Database = Callable[..., Any]


@pytest.fixture
def username(owner: Any, database: Database) -> str:
    """The owner's."""
    with database() as session:
        return str(session.scalar(select(User.username).where(User.id == owner.user_id)))


def log_in(api: TestApp, username: str, password: str = PASSWORD, status: int = 200) -> Any:
    body = {"username": username, "password": password}
    return api.post_json("/api/auth/login/", body, status=status).json


def with_token(token: str) -> dict[str, str]:
    return {"Authorization": f"Token {token}"}


# Profile


def test_profile_has_user_and_team(owner: Any, username: str) -> None:
    profile = owner.get(ME, status=200).json

    assert set(profile) == {"user", "team"}
    assert profile["user"]["username"] == username
    assert profile["team"]["id"] == profile["user"]["team"] == str(owner.team_id)


def test_administrator_without_a_team_has_a_profile(admin: Any) -> None:
    profile = admin.get(ME, status=200).json

    assert profile["team"] is None
    assert profile["user"]["is_platform_admin"] is True


def test_viewer_changes_his_own_profile(make_client: Any) -> None:
    viewer = make_client(role="viewer")
    changes = {"name": "Anna Ärmel", "phone": "+43 1 234", "email": "anna@example.com"}

    reply = viewer.patch_json(ME, changes, status=200).json

    assert {field: reply["user"][field] for field in changes} == changes
    assert viewer.get(ME).json == reply


def test_fields_left_out_stay(owner: Any) -> None:
    owner.patch_json(ME, {"name": "Anna", "phone": "123"})

    reply = owner.patch_json(ME, {"phone": ""}).json

    assert (reply["user"]["name"], reply["user"]["phone"]) == ("Anna", "")


def test_empty_change_changes_nothing(owner: Any) -> None:
    before = owner.get(ME).json

    assert owner.patch(ME, b"", status=200).json == before


def test_read_only_fields_are_ignored(make_client: Any) -> None:
    member = make_client(role="member")
    before = member.get(ME).json

    reply = member.patch_json(
        ME, {"role": "owner", "is_platform_admin": True, "username": "root", "team": str(uuid.uuid4())}
    )

    assert reply.json == before


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"name": 5}, {"name"}),
        ({"name": None}, {"name"}),
        ({"name": "x" * 256}, {"name"}),
        ({"phone": "1" * 65}, {"phone"}),
        ({"email": "nowhere"}, {"email"}),
        ({"name": "a\x00b", "phone": True}, {"name"}),
    ],
)
def test_bad_profile_fields_are_named(owner: Any, body: dict[str, Any], fields: set[str]) -> None:
    assert set(owner.patch_json(ME, body, status=400).json) == fields


# Picture


def test_avatar_is_the_default_picture_when_unset(api: TestApp, owner: Any) -> None:
    url = owner.get(ME).json["user"]["avatar"]

    picture = api.get(url, status=200)

    assert url == "http://localhost/api/media-default/avatar.png"
    assert picture.content_type == "image/png"
    assert picture.body.startswith(b"\x89PNG")
    assert picture.headers["ETag"] == f'"{hashlib.sha256(picture.body).hexdigest()}"'


def test_default_picture_honours_if_none_match(api: TestApp) -> None:
    url = "/api/media-default/avatar.png"
    tag = api.get(url).headers["ETag"]

    assert api.get(url, headers={"If-None-Match": tag}, status=304).body == b""


def test_default_picture_is_served_in_ranges(api: TestApp) -> None:
    reply = api.get("/api/media-default/avatar.png", headers={"Range": "bytes=1-3"}, status=206)

    assert reply.body == b"PNG"


def test_avatar_is_the_users_file_when_set(owner: Any, database: Database) -> None:
    with database() as session:
        file = MediaFile(key="k" * 22, filename="me.webp", media_type="image/webp", size_bytes=1, etag="e")
        session.add(file)
        session.flush()
        session.execute(update(User).where(User.id == owner.user_id).values(avatar_file_id=file.id))

    assert owner.get(ME).json["user"]["avatar"] == f"http://localhost/api/media/{'k' * 22}/me.webp"


# Password


def change(client: Any, old: Any = PASSWORD, new: Any = NEW, status: int = 200) -> Any:
    return client.post_json(CHANGE, {"old_password": old, "new_password": new}, status=status)


def test_new_password_replaces_the_old(api: TestApp, owner: Any, username: str) -> None:
    change(owner)

    assert log_in(api, username, PASSWORD, 400)["code"] == "invalid_credentials"
    log_in(api, username, NEW)


def test_password_change_rotates_the_token(api: TestApp, owner: Any) -> None:
    reply = change(owner)

    assert set(reply.json) == {"token"}
    assert owner.get(ME, status=401).json["code"] == "invalid_token"
    api.get(ME, headers=with_token(reply.json["token"]), status=200)


def test_password_change_keeps_the_session(api: TestApp, owner: Any) -> None:
    [before] = owner.get(SESSIONS).json

    token = change(owner).json["token"]

    [after] = api.get(SESSIONS, headers=with_token(token)).json
    assert after["id"] == before["id"]
    assert after["is_current"] is True


def test_password_change_ends_other_sessions(api: TestApp, owner: Any, username: str) -> None:
    second = log_in(api, username)["token"]

    change(owner)

    assert api.get(ME, headers=with_token(second), status=401).json["code"] == "invalid_token"


def test_password_change_leaves_other_users_alone(owner: Any, other: Any) -> None:
    change(owner)

    other.get(ME, status=200)


def test_wrong_old_password_is_named(api: TestApp, owner: Any, username: str) -> None:
    assert set(change(owner, old="wrong horse battery", status=400).json) == {"old_password"}
    log_in(api, username)
    owner.get(ME, status=200)


@pytest.mark.parametrize("new", ["short", "x" * 257, None, 5])
def test_bad_new_password_is_named(owner: Any, new: Any) -> None:
    assert set(change(owner, new=new, status=400).json) == {"new_password"}


def test_new_password_is_not_the_username(owner: Any, username: str, database: Database) -> None:
    with database() as session:
        session.execute(update(User).where(User.id == owner.user_id).values(username="annabella"))

    assert set(change(owner, new="AnnaBella", status=400).json) == {"new_password"}


def test_wrong_old_passwords_count_with_those_of_login(api: TestApp, owner: Any, username: str) -> None:
    for _ in range(5):
        change(owner, old="wrong horse battery", status=400)
        log_in(api, username, "wrong horse battery", 400)

    assert change(owner, status=429).json["code"] == "rate_limited"
    log_in(api, username, status=429)


def test_password_change_is_not_remembered_for_repeats(owner: Any, database: Database) -> None:
    """The remembered reply would hold a token that works."""
    token = owner.post_json(
        CHANGE,
        {"old_password": PASSWORD, "new_password": NEW},
        headers={"Idempotency-Key": "once"},
        status=200,
    ).json["token"]

    with database() as session:
        bodies = session.scalars(text("SELECT body FROM idempotency_record")).all()
    assert not [body for body in bodies if token.encode() in bytes(body)]


def test_password_set_by_somebody_else_ends_all_sessions(
    api: TestApp, owner: Any, username: str, registry: Registry, database: Database
) -> None:
    hashed = hash_password(registry, NEW)
    with database() as session:
        set_password(session, session.get(User, owner.user_id), hashed)

    owner.get(ME, status=401)
    log_in(api, username, NEW)


# Sessions


def test_sessions_are_listed_newest_first(api: TestApp, owner: Any, username: str) -> None:
    second = log_in(api, username)["session"]

    listed = owner.get(SESSIONS, status=200).json

    assert [entry["is_current"] for entry in listed] == [False, True]
    assert listed[0] == {**second, "is_current": False}
    assert listed[1]["user_agent"] == "tests"


def test_session_shows_no_secret(owner: Any) -> None:
    [entry] = owner.get(SESSIONS).json

    assert set(entry) == {
        "id",
        "created_at",
        "last_seen_at",
        "expires_at",
        "ip",
        "user_agent",
        "is_current",
    }


def test_dead_sessions_leave_the_list(api: TestApp, owner: Any, username: str, database: Database) -> None:
    expired, revoked = (log_in(api, username)["session"]["id"] for _ in range(2))
    with database() as session:
        for session_id, column in ((expired, "expires_at"), (revoked, "revoked_at")):
            session.execute(
                update(LoginSession)
                .where(LoginSession.id == uuid.UUID(session_id))
                .values({column: text("clock_timestamp()")})
            )

    assert [entry["is_current"] for entry in owner.get(SESSIONS).json] == [True]


def test_revoked_sessions_token_is_invalid(api: TestApp, owner: Any, username: str) -> None:
    second = log_in(api, username)

    reply = owner.post(f"{SESSIONS}{second['session']['id']}/revoke/", status=200)

    assert reply.json == {"revoked": 1}
    assert api.get(ME, headers=with_token(second["token"]), status=401).json["code"] == "invalid_token"


def test_session_revoked_before_counts_nothing(api: TestApp, owner: Any, username: str) -> None:
    path = f"{SESSIONS}{log_in(api, username)['session']['id']}/revoke/"
    owner.post(path)

    assert owner.post(path, status=200).json == {"revoked": 0}


def test_current_session_can_be_revoked(owner: Any) -> None:
    [current] = owner.get(SESSIONS).json

    assert owner.post(f"{SESSIONS}{current['id']}/revoke/").json == {"revoked": 1}
    owner.get(ME, status=401)


def test_another_users_session_is_unknown(owner: Any, other: Any) -> None:
    [foreign] = other.get(SESSIONS).json

    assert owner.post(f"{SESSIONS}{foreign['id']}/revoke/", status=404).json["code"] == "not_found"
    other.get(ME, status=200)


@pytest.mark.parametrize("session_id", ["nonsense", "00000000-0000-7000-8000-000000000000"])
def test_unknown_session_is_not_found(owner: Any, session_id: str) -> None:
    assert owner.post(f"{SESSIONS}{session_id}/revoke/", status=404).json["code"] == "not_found"


def test_revoke_others_keeps_one_session_with_a_fresh_token(api: TestApp, owner: Any, username: str) -> None:
    second = log_in(api, username)["token"]

    reply = owner.post(OTHERS, status=200)

    assert set(reply.json) == {"token"}
    owner.get(ME, status=401)
    api.get(ME, headers=with_token(second), status=401)
    [only] = api.get(SESSIONS, headers=with_token(reply.json["token"]), status=200).json
    assert only["is_current"] is True
