"""Explanations of bills: who may read them, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from pyramid.registry import Registry

from tests.fakes.provider import Reply
from tests.functional.clipping import clip
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, unknown_id
from tests.functional.queries import count_queries
from tests.functional.videoing import made, task_of, video_studio

CENT = Decimal("0.01")


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with video_studio(registry, database) as studio:
        yield studio


def explain(client: Any, task_id: str, status: int = 200) -> Any:
    return client.get(f"/api/ai/tasks/{task_id}/explain/", status=status).json


def _half_up(value: Decimal) -> Decimal:
    return value.quantize(CENT, ROUND_HALF_UP)


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("admin", 200), ("member", 403), ("viewer", 403)]
)
def test_owners_and_admins_read_explanations(
    studio: Studio, owner: Client, make_client: MakeClient, role: str, status: int
) -> None:
    explain(make_client(role, owner.team_id), task_of(owner), status=status)


def test_the_platforms_administrator_reads_every_teams(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = task_of(owner)
    assert explain(admin, task_id)["task"]["id"] == task_id


def test_an_administrator_with_a_team_reads_every_teams_too(
    studio: Studio, owner: Client, database: Database, make_client: MakeClient
) -> None:
    from contentsvc.security.models import User

    insider = make_client("viewer")
    with database() as session:
        session.get_one(User, insider.user_id).is_platform_admin = True
    explain(insider, task_of(owner))


def test_another_teams_task_is_unknown(studio: Studio, owner: Client, other: Client) -> None:
    explain(other, task_of(owner), status=404)


def test_a_task_nobody_has_is_unknown_to_the_administrator_too(admin: Client) -> None:
    explain(admin, unknown_id(), status=404)


def test_the_prices_figures_give_its_amounts(studio: Studio, owner: Client) -> None:
    price = explain(owner, made(studio, owner, duration=7))["price"]
    factors = [Decimal(price[name]) for name in ("unit_price", "exchange_rate", "margin_factor")]
    listed = _half_up(factors[0] * factors[1] * factors[2] * Decimal(price["units_estimated"]) * 10)
    estimated = _half_up(_half_up(listed * Decimal(price["multiplier"])) * Decimal(price["buffer"]))
    assert (price["list"], price["estimated"]) == (str(listed), str(estimated))


def test_the_price_has_all_its_members(studio: Studio, owner: Client) -> None:
    assert explain(owner, made(studio, owner))["price"] == {
        "unit_price": "0.02",
        "billing_unit": "second",
        "units_estimated": "5",
        "units_actual": "5",
        "exchange_rate": "1",
        "margin_factor": "1.5",
        "multiplier": "1",
        "buffer": "1.1",
        "list": "1.50",
        "estimated": "1.65",
        "charged": "1.50",
    }


def test_nothing_is_charged_while_a_task_runs(studio: Studio, owner: Client) -> None:
    price = explain(owner, task_of(owner))["price"]
    assert (price["units_actual"], price["charged"]) == (None, None)


def test_each_cap_is_told_as_it_stood_before_the_order(studio: Studio, owner: Client) -> None:
    owner.patch_json("/api/auth/team/settings/", {"monthly_credit_limit": 50})
    made(studio, owner)
    task_of(owner)
    caps = {cap["cap"]: cap for cap in explain(owner, task_of(owner))["caps"]}
    assert list(caps) == [
        "policy_task",
        "policy_month",
        "policy_project",
        "team_month",
        "member_day",
        "member_month",
        "member_total",
        "balance",
    ]
    assert caps["team_month"] == {
        "cap": "team_month",
        "limit": "50.00",
        "used": "1.50",
        "reserved": "1.65",
        "asked": "1.65",
        "allowed": True,
    }


def test_attempts_tell_what_the_provider_reported(studio: Studio, owner: Client) -> None:
    [attempt] = explain(owner, made(studio, owner, clip(5000)))["attempts"]
    assert (attempt["provider"], attempt["outcome"], attempt["error"]) == ("fake", "succeeded", "")
    assert attempt["usage"] == {"units": "5", "raw": {"completion_tokens": 5000}}
    assert attempt["started_at"] < attempt["finished_at"]


def test_the_timeline_tells_every_status(studio: Studio, owner: Client) -> None:
    timeline = explain(owner, made(studio, owner))["timeline"]
    assert [step["status"] for step in timeline] == ["RESERVED", "SUBMITTED", "succeeded"]
    assert [step["at"] for step in timeline] == sorted(step["at"] for step in timeline)


def test_the_ledger_tells_reserve_and_charge(studio: Studio, owner: Client) -> None:
    task_id = made(studio, owner)
    rows = explain(owner, task_id)["ledgers"]
    assert [(row["ledger_type"], row["amount"], row["task"]) for row in rows] == [
        ("RESERVE", "1.65", task_id),
        ("CHARGE", "-1.50", task_id),
    ]


def test_a_failed_task_is_explained_with_its_errors(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply(503))
    studio.provider.default = Reply(422)
    task_id = task_of(owner)
    studio.work()
    found = explain(owner, task_id)
    assert [(each["outcome"], each["error"]) for each in found["attempts"]] == [
        ("failed", "The provider has failed."),
        ("rejected", "The provider refuses this content."),
    ]
    assert [row["ledger_type"] for row in found["ledgers"]] == ["RESERVE", "RELEASE"]
    assert found["price"]["charged"] is None


def test_an_explanation_costs_the_same_for_one_attempt_and_for_many(
    studio: Studio, registry: Registry, owner: Client
) -> None:
    first = task_of(owner)
    with count_queries(registry) as one:
        explain(owner, first)
    studio.provider.replies.append(Reply(503))
    second = made(studio, owner)
    with count_queries(registry) as many:
        explain(owner, second)
    assert len(one) == len(many)
