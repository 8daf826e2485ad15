"""The administrator's quota policies."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from contentsvc.backoffice.models import AuditRecord
from tests.functional.conftest import Client
from tests.functional.crowds import at_once

POLICIES = "/api/admin/quota-policies/"
LIMITS = ("monthly_limit", "project_limit", "per_task_limit")


def create(admin: Client, owner: Client, **values: Any) -> Any:
    return admin.post_json(POLICIES, {"team": str(owner.team_id), **values}, status=201).json


def item(policy: Any) -> str:
    return f"{POLICIES}{policy['id']}/"


def audited(database: Callable[..., Any]) -> list[AuditRecord]:
    with database() as session:
        return list(session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)).all())


def test_a_policy_without_limits_caps_nothing(admin: Client, owner: Client) -> None:
    policy = create(admin, owner)
    assert uuid.UUID(policy.pop("id")).version == 7
    assert policy.pop("created_at").endswith("Z")
    assert policy.pop("updated_at").endswith("Z")
    assert policy == {
        "team": str(owner.team_id),
        "monthly_limit": None,
        "project_limit": None,
        "per_task_limit": None,
        "is_active": True,
    }


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_null_or_from_0(admin: Client, owner: Client, limit: str) -> None:
    policy = create(admin, owner, **{limit: "12.5"})
    assert policy[limit] == "12.50"
    given = (None, 0, "0.00", 7, 10**12)
    shown = [admin.patch_json(item(policy), {limit: value}).json[limit] for value in given]
    assert shown == [None, "0.00", "0.00", "7.00", "1000000000000.00"]


@pytest.mark.parametrize("limit", LIMITS)
def test_a_bad_limit_is_refused(admin: Client, owner: Client, other: Client, limit: str) -> None:
    policy = create(admin, owner)
    for value in (-1, "-0.01", "0.001", "NaN", True, 10**13, {}):
        body = {"team": str(other.team_id), limit: value}
        assert list(admin.post_json(POLICIES, body, status=400).json) == [limit]
        assert list(admin.patch_json(item(policy), {limit: value}, status=400).json) == [limit]
    assert admin.get(POLICIES).json["results"] == [policy]


def test_the_team_must_be_known(admin: Client) -> None:
    for value in (None, str(uuid.UUID(int=7)), "not-an-id", 5):
        assert list(admin.post_json(POLICIES, {"team": value}, status=400).json) == ["team"]


def test_a_policy_is_on_or_off(admin: Client, owner: Client) -> None:
    policy = create(admin, owner)
    for value in (None, 0, "true"):
        assert list(admin.patch_json(item(policy), {"is_active": value}, status=400).json) == ["is_active"]


def test_a_team_has_one_policy(admin: Client, owner: Client, other: Client) -> None:
    create(admin, owner)
    refused = admin.post_json(POLICIES, {"team": str(owner.team_id)}, status=409)
    assert refused.json["code"] == "conflict"
    create(admin, other)


def test_of_policies_made_at_one_moment_one_stays(admin: Client, owner: Client) -> None:
    body = {"team": str(owner.team_id)}
    replies = at_once(*[lambda: admin.post_json(POLICIES, body, expect_errors=True)] * 4)
    assert sorted(reply.status_int for reply in replies) == [201, 409, 409, 409]


def test_a_patch_leaves_what_it_does_not_name(admin: Client, owner: Client) -> None:
    policy = create(admin, owner, monthly_limit=5, project_limit=6, per_task_limit=7)
    changed = admin.patch_json(item(policy), {"monthly_limit": None, "project_limit": 0}).json
    assert [changed[name] for name in LIMITS] == [None, "0.00", "7.00"]
    assert changed["updated_at"] > policy["updated_at"]


def test_a_policy_stays_with_its_team(admin: Client, owner: Client, other: Client) -> None:
    policy = create(admin, owner)
    changed = admin.patch_json(item(policy), {"team": str(other.team_id), "id": str(uuid.uuid4())}).json
    assert (changed["team"], changed["id"]) == (policy["team"], policy["id"])


def test_a_deleted_policy_is_gone(admin: Client, owner: Client) -> None:
    policy = create(admin, owner)
    admin.delete(item(policy), status=204)
    assert admin.get(POLICIES).json["count"] == 0
    admin.delete(item(policy), status=404)
    admin.patch_json(item(policy), {}, status=404)
    create(admin, owner)


def test_the_list_is_newest_first_and_filters_by_team(admin: Client, owner: Client, other: Client) -> None:
    first, second = create(admin, owner), create(admin, other)
    assert admin.get(POLICIES).json["results"] == [second, first]
    one = admin.get(f"{POLICIES}?team={owner.team_id}").json
    assert (one["count"], one["results"]) == (1, [first])
    assert admin.get(f"{POLICIES}?team={uuid.uuid4()}").json["count"] == 0
    assert list(admin.get(f"{POLICIES}?team=12", status=400).json) == ["team"]


def test_changes_are_audited(admin: Client, owner: Client, database: Callable[..., Any]) -> None:
    policy = create(admin, owner, monthly_limit=5)
    changed = admin.patch_json(item(policy), {"monthly_limit": 6}).json
    admin.patch_json(item(policy), {"monthly_limit": "6.00"})
    admin.delete(item(policy))
    assert [(row.action, row.before, row.after) for row in audited(database)] == [
        ("quota_policy.create", None, policy),
        ("quota_policy.change", policy, changed),
        ("quota_policy.delete", changed, None),
    ]
