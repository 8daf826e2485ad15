"""Two hundred orders from twenty threads: what the caps and the balance afford, and not one more."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.billing.clock import moment
from contentsvc.billing.counters import ScopeKey, Usage, read
from contentsvc.billing.invariants import check
from contentsvc.billing.models import QuotaPolicy, Scope
from contentsvc.db.session import transaction_scope
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.settings import BillingSettings, Settings
from tests.functional.conftest import Client
from tests.functional.crowds import crowd
from tests.functional.generating import add_fake_models
from tests.functional.ledgers import Books

THREADS, ORDERS, AFFORDABLE = 20, 200, 37
PROJECT = uuid.UUID("0193a000-0000-7000-8000-000000000001")
OTHER_PROJECT = uuid.UUID("0193a000-0000-7000-8000-000000000002")

Kind = tuple[str, uuid.UUID, uuid.UUID]
"""Amount, member, project."""


def ordered(books: Books, *kinds: Kind) -> Counter[str]:
    """Two hundred orders of these kinds in turn, every other one charged at once; how they ended."""
    numbers = itertools.count()

    def order() -> str:
        number = next(numbers)
        amount, member, project = kinds[number % len(kinds)]
        wanted = books.order(amount, member, project)
        error = books.refused(wanted)
        if error is None and number % 2:
            assert books.charge(wanted.task_id, amount)
        return "taken" if error is None else str(error.code)

    return Counter(crowd(THREADS, ORDERS, order))


def usage(books: Books, *keys: ScopeKey) -> dict[ScopeKey, Usage]:
    with transaction_scope(books.registry, books.team_id) as session:
        return read(session, books.settings, books.team_id, keys, moment(session))


def counted(books: Books, scope: Scope, scope_id: uuid.UUID) -> int:
    """Credits that count against the caps of one scope."""
    key = scope, scope_id
    found = usage(books, key)[key]
    return int(found.total + found.reserved)


def spent(books: Books) -> int:
    """Credits that the account has charged or holds, of the 10,000 it began with."""
    held = books.holding()
    return int(10_000 - held.balance + held.frozen)


def policy(books: Books, **limits: int) -> uuid.UUID:
    books.add(QuotaPolicy(team_id=books.team_id, **limits))
    return books.member_id


def month(books: Books, limit: int) -> uuid.UUID:
    books.set("team", books.team_id, "monthly_credit_limit", limit)
    return books.member_id


def default_month(books: Books, limit: int) -> uuid.UUID:
    billing = BillingSettings(default_team_monthly_limit=Decimal(limit))
    books.settings = books.settings.model_copy(update={"billing": billing})
    return books.member_id


def low_balance(books: Books, left: int) -> uuid.UUID:
    books.spend(10_000 - left)
    return books.member_id


# How each cap is set; answers the member who orders.
CAPS: dict[str, tuple[str, Any]] = {
    "policy month": ("quota_exceeded", lambda books: policy(books, monthly_limit=AFFORDABLE)),
    "policy project": ("quota_exceeded", lambda books: policy(books, project_limit=AFFORDABLE)),
    "team month": ("team_limit_exceeded", lambda books: month(books, AFFORDABLE)),
    "default month": ("team_limit_exceeded", lambda books: default_month(books, AFFORDABLE)),
    "member day": ("member_limit_exceeded", lambda books: books.add_member(daily_credit_limit=AFFORDABLE)),
    "member month": (
        "member_limit_exceeded",
        lambda books: books.add_member(monthly_credit_limit=AFFORDABLE),
    ),
    "member total": ("member_limit_exceeded", lambda books: books.add_member(total_credit_limit=AFFORDABLE)),
    "balance": ("insufficient_balance", lambda books: low_balance(books, AFFORDABLE)),
}


@pytest.fixture
def books(registry: Registry) -> Books:
    return Books(registry, balance=10_000)


@pytest.mark.parametrize("cap", CAPS)
def test_each_cap_alone_takes_exactly_what_it_affords(books: Books, cap: str) -> None:
    code, set_cap = CAPS[cap]
    member = set_cap(books)
    before = spent(books)
    assert ordered(books, ("1.00", member, PROJECT)) == {"taken": AFFORDABLE, code: ORDERS - AFFORDABLE}
    assert spent(books) - before == AFFORDABLE
    assert counted(books, Scope.PROJECT, PROJECT) == AFFORDABLE
    assert counted(books, Scope.TEAM, books.team_id) - before == AFFORDABLE
    assert books.faults() == []


def test_the_cap_per_task_takes_whatever_is_small_enough(books: Books) -> None:
    member = policy(books, per_task_limit=2)
    outcomes = ordered(books, ("2.00", member, PROJECT), ("2.01", member, PROJECT))
    assert outcomes == {"taken": ORDERS // 2, "quota_exceeded": ORDERS // 2}
    assert spent(books) == ORDERS
    assert books.faults() == []


def test_all_caps_together_take_what_the_tightest_affords(books: Books) -> None:
    """Three capped members could take 45, the free one 44; the balance has 60."""
    policy(books, per_task_limit=1, monthly_limit=90, project_limit=50)
    month(books, 80)
    books.adjust(60 - 10_000)
    members = {
        books.add_member(daily_credit_limit=10): 10,
        books.add_member(monthly_credit_limit=15): 15,
        books.add_member(total_credit_limit=20): 20,
        books.add_member(): 50,
    }
    kinds = [("1.00", member, project) for project in (PROJECT, OTHER_PROJECT) for member in members]
    outcomes = ordered(books, *kinds, ("1.01", books.member_id, PROJECT))
    assert outcomes["taken"] == 60
    assert set(outcomes) == {"taken", "quota_exceeded", "member_limit_exceeded", "insufficient_balance"}
    held = books.holding()
    assert 60 - held.balance + held.frozen == 60
    assert counted(books, Scope.TEAM, books.team_id) == 60
    assert counted(books, Scope.PROJECT, PROJECT) + counted(books, Scope.PROJECT, OTHER_PROJECT) == 60
    assert all(counted(books, Scope.MEMBER, member) <= limit for member, limit in members.items())
    assert books.faults() == []


@pytest.fixture
def patient_worker(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that counts as online for as long as the orders may take on a busy machine."""
    settings: Settings = registry["contentsvc.settings"]
    jobs = settings.jobs.model_copy(update={"online_seconds": 600.0})
    monkeypatch.setitem(registry, "contentsvc.settings", settings.model_copy(update={"jobs": jobs}))
    beat_once(registry, list(Queue))


@pytest.mark.usefixtures("patient_worker")
def test_orders_over_http_take_exactly_the_balance(database: Any, owner: Client) -> None:
    with database() as session:
        add_fake_models(session, "http://127.0.0.1:9")
    body = {"prompt": "a quiet table", "image_model": "fake-one", "count": 2}

    def order() -> int:
        return int(owner.post_json("/api/ai/generate-image/", body, expect_errors=True).status_int)

    assert Counter(crowd(THREADS, ORDERS, order)) == {202: 166, 402: 34}
    summary = owner.get("/api/billing/summary/").json
    assert (summary["frozen"], summary["available"]) == ("99.60", "0.40")
    assert owner.get("/api/ai/tasks/").json["count"] == 332
    assert owner.get("/api/billing/ledgers/?ledger_type=RESERVE").json["count"] == 332
    with database() as session:
        assert check(session) == []
