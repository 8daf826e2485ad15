"""The trend: periods without gaps, in the platform's time zone."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.billing import accounts, reservations, trend
from contentsvc.billing.accounts import book
from contentsvc.billing.models import LedgerType
from contentsvc.billing.trend import TrendPoint, TrendRange
from contentsvc.db.session import transaction_scope
from contentsvc.settings import BillingSettings
from tests.functional.conftest import Client
from tests.functional.ledgers import Books
from tests.functional.queries import count_queries

WEDNESDAY = datetime(2031, 3, 12, 12, tzinfo=UTC)


@pytest.fixture
def books(registry: Registry) -> Books:
    return Books(registry, balance=10_000)


def clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    for module in (accounts, reservations, trend):
        monkeypatch.setattr(module, "moment", lambda _session: at)


def points(books: Books, range_: str) -> list[TrendPoint]:
    with transaction_scope(books.registry, books.team_id) as session:
        return list(trend.trend(session, books.settings, books.team_id, TrendRange(range_)).points)


def told(books: Books, range_: str) -> dict[str, tuple[str, str, int]]:
    """The periods in which anything happened."""
    return {
        point.period.isoformat(): (str(point.charged), str(point.recharged), point.tasks)
        for point in points(books, range_)
        if point.charged or point.recharged or point.tasks
    }


@pytest.mark.parametrize(
    ("range_", "count", "first", "second", "last"),
    [
        ("day", 30, "2031-02-11", "2031-02-12", "2031-03-12"),
        ("week", 12, "2030-12-23", "2030-12-30", "2031-03-10"),
        ("month", 12, "2030-04-01", "2030-05-01", "2031-03-01"),
    ],
)
def test_every_period_is_there_oldest_first(
    books: Books,
    monkeypatch: pytest.MonkeyPatch,
    range_: str,
    count: int,
    first: str,
    second: str,
    last: str,
) -> None:
    clock(monkeypatch, WEDNESDAY)
    days = [point.period for point in points(books, range_)]
    assert (len(days), sorted(days)) == (count, days)
    assert [str(days[0]), str(days[1]), str(days[-1])] == [first, second, last]


@pytest.mark.parametrize(
    ("range_", "expected"),
    [
        ("day", {"2031-03-09": ("4.00", "0", 1), "2031-03-10": ("2.50", "0", 2)}),
        (
            "week",
            {"2031-01-06": ("7.00", "0", 1), "2031-03-03": ("4.00", "0", 1), "2031-03-10": ("2.50", "0", 2)},
        ),
        ("month", {"2031-01-01": ("7.00", "0", 1), "2031-03-01": ("6.50", "0", 3)}),
    ],
)
def test_charges_and_orders_fall_into_their_periods(
    books: Books, monkeypatch: pytest.MonkeyPatch, range_: str, expected: dict[str, Any]
) -> None:
    for at, amount in (((2029, 6, 1), 9), ((2031, 1, 8), 7), ((2031, 3, 9), 4), ((2031, 3, 10), "2.50")):
        clock(monkeypatch, datetime(*at, 8, tzinfo=UTC))
        books.spend(amount)
    books.reserve_amount(3)
    clock(monkeypatch, WEDNESDAY)
    assert told(books, range_) == expected


def test_days_begin_in_the_platforms_zone(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.settings = books.settings.model_copy(
        update={"billing": BillingSettings(timezone="America/Los_Angeles")}
    )
    clock(monkeypatch, datetime(2031, 3, 10, 6, 59, tzinfo=UTC))
    books.spend(1)
    clock(monkeypatch, datetime(2031, 3, 10, 7, 0, tzinfo=UTC))
    books.spend(2)
    assert told(books, "day") == {"2031-03-09": ("1.00", "0", 1), "2031-03-10": ("2.00", "0", 1)}


def test_recharges_are_counted_without_bonus_and_adjustments(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(monkeypatch, WEDNESDAY)
    with transaction_scope(books.registry, books.team_id) as session:
        for ledger_type in (LedgerType.RECHARGE, LedgerType.BONUS, LedgerType.GRANT, LedgerType.ADJUSTMENT):
            book(session, books.team_id, ledger_type, Decimal(50))
    assert told(books, "day") == {"2031-03-12": ("0", "50.00", 0)}


def test_a_task_that_is_tried_again_counts_once(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    clock(monkeypatch, WEDNESDAY)
    order = books.order(5)
    books.reserve(order)
    books.release(order.task_id)
    books.reserve(order, number=2)
    assert told(books, "day") == {"2031-03-12": ("0", "0", 1)}


def test_other_teams_do_not_count(registry: Registry, books: Books) -> None:
    Books(registry).spend(5)
    assert told(books, "day") == {}


@pytest.mark.parametrize(("query", "count"), [("", 30), ("?range=week", 12), ("?range=month", 12)])
def test_the_reply(owner: Client, query: str, count: int) -> None:
    reply = owner.get(f"/api/billing/trend/{query}").json
    assert reply["range"] == (query.partition("=")[2] or "day")
    assert len(reply["points"]) == count
    assert date.fromisoformat(reply["points"][0]["period"]) < date.fromisoformat(
        reply["points"][-1]["period"]
    )
    assert reply["points"][-1] | {"period": ""} == {
        "period": "",
        "charged": "0.00",
        "recharged": "0.00",
        "tasks": 0,
    }


@pytest.mark.parametrize("value", ["year", "", "DAY"])
def test_an_unknown_range_is_refused(owner: Client, value: str) -> None:
    assert list(owner.get(f"/api/billing/trend/?range={value}", status=400).json) == ["range"]


def test_without_a_team_there_is_no_trend(admin: Client) -> None:
    assert admin.get("/api/billing/trend/", status=403).json["code"] == "permission_denied"


def test_the_history_does_not_change_the_number_of_queries(registry: Registry, owner: Client) -> None:
    with count_queries(registry) as empty:
        owner.get("/api/billing/trend/?range=month")
    settings = registry["contentsvc.settings"]
    for _ in range(3):
        with transaction_scope(registry, owner.team_id) as session:
            order = reservations.Order(uuid.uuid4(), owner.user_id, None, Decimal(1))
            reservations.reserve(session, settings, owner.team_id, [order])
            reservations.charge(session, settings, order.task_id, 1, Decimal(1))
    with count_queries(registry) as full:
        assert owner.get("/api/billing/trend/?range=month").json["points"][-1]["tasks"] == 3
    assert len(full) == len(empty)
