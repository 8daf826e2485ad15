"""Caps as clients meet them: set through the API, and refused with their own code and sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import add_fake_models

ORDER = "/api/ai/generate-image/"
SETTINGS = "/api/auth/team/settings/"
POLICIES = "/api/admin/quota-policies/"
PICTURE = {"prompt": "a quiet table", "image_model": "fake-one"}
TWO = {**PICTURE, "count": 2}
"""0.30 credits each."""


@pytest.fixture(autouse=True)
def ready(registry: Registry, database: Callable[..., Any]) -> None:
    with database() as session:
        add_fake_models(session, "http://127.0.0.1:9")
    beat_once(registry, list(Queue))


@pytest.fixture
def member(make_client: MakeClient, owner: Client) -> Client:
    return make_client(role="member", team_id=owner.team_id)


def set_policy(admin: Client, owner: Client, **limits: Any) -> None:
    known = admin.get(f"{POLICIES}?team={owner.team_id}").json["results"]
    if known:
        admin.patch_json(f"{POLICIES}{known[0]['id']}/", limits)
    else:
        admin.post_json(POLICIES, {"team": str(owner.team_id), **limits})


def refused(client: Client, body: Any = TWO) -> tuple[str, str]:
    reply = client.post_json(ORDER, body, status=402).json
    return reply["code"], reply["detail"]


def words(cap: str, *, reserved: str = "0.30") -> str:
    used = f"0.00 are used, {reserved} are reserved by running tasks, and 0.60 were asked for."
    return f"{cap} allows 0.50 credits; {used}"


def test_a_quota_policys_month(admin: Client, owner: Client) -> None:
    owner.post_json(ORDER, PICTURE, status=202)
    set_policy(admin, owner, monthly_limit="0.50")
    assert refused(owner) == ("quota_exceeded", words("The quota policy's monthly cap"))


def test_a_quota_policys_cap_per_task(admin: Client, owner: Client) -> None:
    set_policy(admin, owner, per_task_limit="0.29")
    said = "The quota policy's cap per task allows 0.29 credits; 0.30 were asked for."
    assert refused(owner) == ("quota_exceeded", said)


def test_a_policy_of_0_allows_nothing_one_of_null_everything(admin: Client, owner: Client) -> None:
    set_policy(admin, owner, monthly_limit=0)
    assert refused(owner, PICTURE)[0] == "quota_exceeded"
    for lifted in ({"monthly_limit": None}, {"monthly_limit": 0, "is_active": False}):
        set_policy(admin, owner, **lifted)
        owner.post_json(ORDER, TWO, status=202)


def test_the_team_month(owner: Client, member: Client) -> None:
    owner.patch_json(SETTINGS, {"monthly_credit_limit": "0.50"})
    member.post_json(ORDER, PICTURE, status=202)
    assert refused(owner) == ("team_limit_exceeded", words("The team's monthly limit"))
    for unlimited in (0, None):
        owner.patch_json(SETTINGS, {"monthly_credit_limit": unlimited})
        owner.post_json(ORDER, TWO, status=202)


@pytest.mark.parametrize("window", ["daily", "monthly", "total"])
def test_a_members_limit(owner: Client, member: Client, window: str) -> None:
    path, limit = f"/api/auth/team/members/{member.user_id}/", f"{window}_credit_limit"
    owner.patch_json(path, {limit: "0.50"})
    said = words(f"The member's {window} limit", reserved="0.00")
    assert refused(member) == ("member_limit_exceeded", said)
    owner.post_json(ORDER, TWO, status=202)
    owner.patch_json(path, {limit: 0})
    member.post_json(ORDER, TWO, status=202)


def test_the_balance(make_client: MakeClient) -> None:
    client = make_client(balance="0.59")
    figures = "0.59 credits; 0.00 are reserved by running tasks, and 0.60 were asked for."
    assert refused(client) == ("insufficient_balance", f"The team's balance allows {figures}")
    client.post_json("/api/billing/recharge/", {"amount": "0.01"}, status=201)
    client.post_json(ORDER, TWO, status=202)


def test_what_is_refused_leaves_nothing_behind(owner: Client) -> None:
    owner.patch_json(SETTINGS, {"monthly_credit_limit": "0.50"})
    refused(owner)
    assert owner.get("/api/ai/tasks/").json["count"] == 0
    assert owner.get("/api/billing/ledgers/").json["count"] == 1
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.00"
