"""The team's billing routes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.billing import reservations, services
from contentsvc.billing.counters import Usage
from contentsvc.billing.reservations import Order
from contentsvc.db.session import transaction_scope
from tests.functional.queries import count_queries


def reserve(
    registry: Registry, client: Any, *amounts: str, project: uuid.UUID | None = None
) -> list[uuid.UUID]:
    orders = [Order(uuid.uuid4(), client.user_id, project, Decimal(amount)) for amount in amounts]
    with transaction_scope(registry, client.team_id) as session:
        reservations.reserve(session, registry["contentsvc.settings"], client.team_id, orders)
    return [order.task_id for order in orders]


def charge(registry: Registry, client: Any, task_id: uuid.UUID, amount: str) -> None:
    with transaction_scope(registry, client.team_id) as session:
        reservations.charge(session, registry["contentsvc.settings"], task_id, 1, Decimal(amount))


def test_the_summary_of_a_new_team(owner: Any) -> None:
    assert owner.get("/api/billing/summary/").json == {
        "balance": "100.00",
        "frozen": "0.00",
        "available": "100.00",
        "today_charged": "0.00",
        "month_charged": "0.00",
        "total_charged": "0.00",
        "monthly_credit_limit": None,
        "price_multiplier": "1",
        "credit_value": "0.1",
        "currency": "USD",
    }


def test_the_summary_tells_what_is_held_and_what_was_charged(registry: Registry, owner: Any) -> None:
    first, _ = reserve(registry, owner, "10", "7.50")
    charge(registry, owner, first, "9.25")
    summary = owner.get("/api/billing/summary/").json
    assert [summary[name] for name in ("balance", "frozen", "available")] == ["90.75", "7.50", "83.25"]
    charged = [summary[name] for name in ("today_charged", "month_charged", "total_charged")]
    assert charged == ["9.25", "9.25", "9.25"]


def test_a_ledger_row_has_the_contracts_members(registry: Registry, owner: Any) -> None:
    project = uuid.uuid4()
    (task,) = reserve(registry, owner, "10", project=project)
    row = owner.get("/api/billing/ledgers/").json["results"][0]
    assert uuid.UUID(row.pop("id")).version == 7
    assert row.pop("created_at").endswith("Z")
    assert row == {
        "ledger_type": "RESERVE",
        "amount": "10.00",
        "balance_after": "100.00",
        "frozen_after": "10.00",
        "task": str(task),
        "project": str(project),
        "member": str(owner.user_id),
        "reason": "",
        "channel": "",
        "reservation_no": 1,
    }


def test_the_ledger_lists_newest_first(registry: Registry, owner: Any) -> None:
    first, second = reserve(registry, owner, "1", "2")
    charge(registry, owner, first, "1")
    rows = owner.get("/api/billing/ledgers/").json["results"]
    assert [(row["ledger_type"], row["amount"], row["task"]) for row in rows] == [
        ("CHARGE", "-1.00", str(first)),
        ("RESERVE", "2.00", str(second)),
        ("RESERVE", "1.00", str(first)),
        ("ADJUSTMENT", "100.00", None),
    ]


def test_the_count_follows_the_filter(registry: Registry, owner: Any) -> None:
    reserve(registry, owner, "1", "2", "3")
    page = owner.get("/api/billing/ledgers/?ledger_type=RESERVE&page_size=2").json
    assert (page["count"], len(page["results"])) == (3, 2)
    assert owner.get("/api/billing/ledgers/?ledger_type=BONUS").json["count"] == 0


@pytest.mark.parametrize("query", ["ledger_type=GIFT", "ledger_type=charge", "page=0", "page_size=x"])
def test_a_query_that_means_nothing_is_refused(owner: Any, query: str) -> None:
    reply = owner.get(f"/api/billing/ledgers/?{query}", status=400).json
    assert list(reply) == [query.partition("=")[0]]


def test_another_teams_rows_are_not_listed(registry: Registry, owner: Any, other: Any) -> None:
    reserve(registry, other, "1", "2")
    assert owner.get("/api/billing/ledgers/").json["count"] == 1


@pytest.mark.parametrize("path", ["/api/billing/summary/", "/api/billing/ledgers/"])
class TestWhoReads:
    def test_a_viewer_may(self, make_client: Callable[..., Any], owner: Any, path: str) -> None:
        make_client(role="viewer", team_id=owner.team_id).get(path, status=200)

    def test_without_a_token_nobody(self, api: Any, path: str) -> None:
        api.get(path, status=401)

    def test_without_a_team_there_is_nothing_to_read(self, admin: Any, path: str) -> None:
        assert admin.get(path, status=403).json["code"] == "permission_denied"


def test_two_hundred_rows_take_as_many_queries_as_one(registry: Registry, owner: Any) -> None:
    owner.get("/api/billing/ledgers/")
    with count_queries(registry) as one:
        owner.get("/api/billing/ledgers/?page_size=200")
    reserve(registry, owner, *["0.01"] * 200)
    with count_queries(registry) as many:
        assert len(owner.get("/api/billing/ledgers/?page_size=200").json["results"]) == 200
    assert len(many) == len(one)


def test_an_order_of_many_takes_as_many_queries_as_one(registry: Registry, owner: Any) -> None:
    with count_queries(registry) as one:
        reserve(registry, owner, "1")
    with count_queries(registry) as many:
        reserve(registry, owner, *["1"] * 12)
    assert len(many) == len(one)


def test_each_members_use_is_told(registry: Registry, make_client: Any, owner: Any) -> None:
    member = make_client(role="member", team_id=owner.team_id)
    task, _ = reserve(registry, member, "3", "4")
    charge(registry, member, task, "2.50")
    with transaction_scope(registry, owner.team_id) as session:
        used = services.members_usage(
            session, registry["contentsvc.settings"], owner.team_id, [owner.user_id, member.user_id]
        )
    spent = Decimal("2.50")
    assert used == {
        owner.user_id: Usage(),
        member.user_id: Usage(day=spent, month=spent, total=spent, reserved=Decimal(4)),
    }
