"""Who may do what: each role at each operation, with ids that name nothing and an empty body."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update
from webtest import TestApp, TestResponse

from contentsvc.db.session import transaction_scope
from contentsvc.http.operations import Operation
from contentsvc.security.models import User
from tests.contract.operations import OPERATIONS, Contracted, Who
from tests.functional.conftest import Client, MakeClient
from tests.functional.walking import operations_of

# Open to everybody by its declaration, and closed by its view to whoever isn't its scraper.
METRICS = "GET /api/metrics/"
# These end the token they are called with.
LAST = ("POST /api/auth/me/sessions/revoke-others/", "POST /api/auth/logout/")


class Role(StrEnum):
    """Everybody there can be."""

    ANONYMOUS = "anonymous"
    DISABLED = "disabled"
    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"
    PLATFORM = "platform"


_TEAM = {
    Who.VIEWER: {Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER},
    Who.MEMBER: {Role.MEMBER, Role.ADMIN, Role.OWNER},
    Who.ADMIN: {Role.ADMIN, Role.OWNER},
    Who.OWNER: {Role.OWNER},
}
ALLOWED: dict[Who, set[Role]] = {
    **_TEAM,
    Who.PUBLIC: set(Role),
    Who.ANYONE: {*_TEAM[Who.VIEWER], Role.PLATFORM},
    Who.AUDITOR: {*_TEAM[Who.ADMIN], Role.PLATFORM},
    Who.PLATFORM: {Role.PLATFORM},
}

Caller = TestApp | Client
MakeCaller = Callable[[Role], Caller]


@pytest.fixture
def make_caller(registry: Registry, api: TestApp, make_client: MakeClient, owner: Client) -> MakeCaller:
    def make(role: Role) -> Caller:
        if role is Role.ANONYMOUS:
            return api
        if role is Role.PLATFORM:
            return make_client(platform=True)
        if role is not Role.DISABLED:
            return make_client(role.value, team_id=owner.team_id)
        client = make_client("owner", team_id=owner.team_id)
        with transaction_scope(registry) as session:
            session.execute(update(User).where(User.id == client.user_id).values(is_active=False))
        return client

    return make


def _call(caller: Caller, operation: Contracted, body: bytes, **headers: str) -> TestResponse:
    path = re.sub(r"{\w+}", str(uuid.uuid4()), operation.path)
    return caller.request(
        path,
        method=operation.method,
        body=body if operation.method != "GET" else b"",
        content_type="application/json",
        headers=headers or None,
        expect_errors=True,
    )


def _in_order() -> list[Contracted]:
    rest = [operation for operation in OPERATIONS if operation.label not in (METRICS, *LAST)]
    return rest + [operation for label in LAST for operation in OPERATIONS if operation.label == label]


@pytest.mark.parametrize("role", Role)
def test_a_role_is_refused_what_it_may_not_before_anything_else_is_looked_at(
    make_caller: MakeCaller, role: Role
) -> None:
    caller = make_caller(role)
    told = {}
    for operation in _in_order():
        if role not in ALLOWED[operation.who]:
            reply = _call(caller, operation, b"{", **{"Idempotency-Key": " "})
            told[operation.label] = (reply.status_int, reply.json["code"])
    refusal = {
        Role.ANONYMOUS: (401, "not_authenticated"),
        Role.DISABLED: (401, "invalid_token"),
    }.get(role, (403, "permission_denied"))
    assert {label: reply for label, reply in told.items() if reply != refusal} == {}


@pytest.mark.parametrize("role", Role)
def test_a_role_gets_as_far_as_the_operation_itself(
    registry: Registry, make_caller: MakeCaller, role: Role
) -> None:
    declared = {f"{one.method} {one.path}": one for one in operations_of(registry)}
    caller = make_caller(role)
    told = {}
    for operation in _in_order():
        if role in ALLOWED[operation.who]:
            # Revoking the others ends this token and answers another.
            caller = make_caller(role) if operation.label == LAST[1] else caller
            told[operation.label] = _call(caller, operation, b"{}").status_int
    wrong = {
        label: status for label, status in told.items() if status not in _expected(declared[label], label)
    }
    assert wrong == {}


def _expected(operation: Operation, label: str) -> set[int]:
    """What an operation says to ids that name nothing, or to an empty body."""
    if "{" in operation.path:
        return {404}
    if operation.upload is not None:
        return {415}
    parts: list[Any] = [part for part in (operation.body, operation.query) if part is not None]
    if any(one.is_required() for part in parts for one in part.model_fields.values()):
        return {400}
    return {200, 201, 204, 400} if operation.body is not None else {200, 204}


@pytest.mark.parametrize("role", Role)
def test_figures_of_the_process_are_for_its_scraper(make_caller: MakeCaller, role: Role) -> None:
    [metrics] = [operation for operation in OPERATIONS if operation.label == METRICS]
    assert _call(make_caller(role), metrics, b"").status_int == 403
