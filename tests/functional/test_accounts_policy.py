"""How a request's token becomes an identity: refusals, roles, renewal, and its one query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, text, update
from webtest import TestApp

from contentsvc.security.models import LoginSession, Team, TeamStatus, User
from contentsvc.security.tokens import sweep_sessions
from tests.functional.queries import count_queries

ME = "/api/auth/me/"
INVITATIONS = "/api/auth/team/invitations/"


def only_session(database: Callable[..., Any], user_id: Any) -> LoginSession:
    with database() as session:
        found = session.scalars(select(LoginSession).where(LoginSession.user_id == user_id)).one()
        assert isinstance(found, LoginSession)
        return found


def age_session(database: Callable[..., Any], user_id: Any, **ages: str) -> None:
    """Move a session's times: ``last_seen_at="-2 hours"`` counts from now."""
    moved = {column: text(f"clock_timestamp() + interval '{age}'") for column, age in ages.items()}
    with database() as session:
        session.execute(update(LoginSession).where(LoginSession.user_id == user_id).values(**moved))


@pytest.mark.parametrize("header", [None, "", "Token", "Bearer abc", "Basic YTpi"])
def test_request_without_a_token_is_not_authenticated(api: TestApp, header: str | None) -> None:
    reply = api.get(ME, headers={} if header is None else {"Authorization": header}, status=401)

    assert reply.json["code"] == "not_authenticated"
    assert reply.headers["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("token", ["unknown", "a b", "ÿ"])
def test_unknown_token_is_invalid(api: TestApp, token: str) -> None:
    reply = api.get(ME, headers={"Authorization": f"Token {token}"}, status=401)

    assert reply.json["code"] == "invalid_token"
    assert reply.headers["WWW-Authenticate"] == "Token"


def test_scheme_is_read_without_case(api: TestApp, owner: Any) -> None:
    api.get(ME, headers={"Authorization": f"token {owner.token}"}, status=200)


def test_expired_token_is_invalid(owner: Any, database: Callable[..., Any]) -> None:
    age_session(database, owner.user_id, expires_at="-1 second")

    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_revoked_token_is_invalid(owner: Any, database: Callable[..., Any]) -> None:
    age_session(database, owner.user_id, revoked_at="-1 second")

    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_disabled_users_token_is_invalid(owner: Any, database: Callable[..., Any]) -> None:
    with database() as session:
        session.execute(update(User).where(User.id == owner.user_id).values(is_active=False))

    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_removed_users_token_is_invalid(owner: Any, database: Callable[..., Any]) -> None:
    with database() as session:
        session.execute(
            update(User).where(User.id == owner.user_id).values(removed_at=text("clock_timestamp()"))
        )

    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_disabled_teams_tokens_are_invalid(owner: Any, database: Callable[..., Any]) -> None:
    with database() as session:
        session.execute(update(Team).where(Team.id == owner.team_id).values(status=TeamStatus.DISABLED))

    assert owner.get(ME, status=401).json["code"] == "invalid_token"


def test_database_has_the_digest_and_not_the_token(owner: Any, database: Callable[..., Any]) -> None:
    stored = only_session(database, owner.user_id).token_digest

    assert len(stored) == 32
    assert owner.token.encode() not in stored


def test_use_within_the_hour_does_not_renew(owner: Any, database: Callable[..., Any]) -> None:
    age_session(database, owner.user_id, last_seen_at="-59 minutes")
    before = only_session(database, owner.user_id)

    owner.get(ME)

    after = only_session(database, owner.user_id)
    assert (after.last_seen_at, after.expires_at) == (before.last_seen_at, before.expires_at)


def test_use_after_an_hour_starts_the_lifetime_anew(owner: Any, database: Callable[..., Any]) -> None:
    age_session(database, owner.user_id, last_seen_at="-61 minutes", expires_at="1 day")

    owner.get(ME)

    after = only_session(database, owner.user_id)
    assert datetime.now(UTC) - after.last_seen_at < timedelta(minutes=1)
    assert timedelta(days=29) < after.expires_at - after.last_seen_at <= timedelta(days=30, seconds=1)


def test_renewal_survives_a_refusal(owner: Any, database: Callable[..., Any]) -> None:
    age_session(database, owner.user_id, last_seen_at="-2 hours", expires_at="1 day")

    owner.post_json("/api/auth/me/password/", {}, status=400)

    assert only_session(database, owner.user_id).expires_at > datetime.now(UTC) + timedelta(days=29)


def test_renewal_does_not_revive_a_session_ended_by_the_same_request(
    owner: Any, database: Callable[..., Any]
) -> None:
    age_session(database, owner.user_id, last_seen_at="-2 hours", expires_at="1 day")

    owner.post("/api/auth/logout/", status=204)

    ended = only_session(database, owner.user_id)
    assert ended.revoked_at is not None
    assert ended.expires_at < datetime.now(UTC) + timedelta(days=2)


def test_administrator_without_a_team_has_no_team_routes(admin: Any) -> None:
    assert admin.get(INVITATIONS, status=403).json["code"] == "permission_denied"


def test_team_owner_has_no_back_office(owner: Any) -> None:
    assert owner.get("/api/admin/invitations/", status=403).json["code"] == "permission_denied"


def test_refused_role_is_told_before_the_body_is_read(make_client: Any) -> None:
    viewer = make_client(role="viewer")

    reply = viewer.post(INVITATIONS, "{broken", content_type="text/plain", status=403)

    assert reply.json["code"] == "permission_denied"


def test_identity_takes_one_query(owner: Any, registry: Registry) -> None:
    with count_queries(registry) as statements:
        owner.get(ME, status=200)

    assert [statement.split()[0] for statement in statements] == ["SELECT"]


@pytest.mark.parametrize("column", ["revoked_at", "expires_at"])
def test_sweep_removes_sessions_that_ended_a_month_ago(
    owner: Any, other: Any, registry: Registry, database: Callable[..., Any], column: str
) -> None:
    age_session(database, owner.user_id, **{column: "-31 days"})
    age_session(database, other.user_id, **{column: "-29 days"})

    sweep_sessions(registry)

    with database() as session:
        assert session.scalars(select(LoginSession.user_id)).all() == [other.user_id]
