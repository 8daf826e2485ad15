"""Any sequence of money steps, on the real database, against a model of a few lines.

The model knows no counters and no SQL: it keeps lists of what was held and charged, and adds
them up. After each step the books must agree with it and with themselves.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from pyramid.registry import Registry
from sqlalchemy import true

from contentsvc.billing import accounts, counters, reservations
from contentsvc.billing.models import QuotaPolicy
from contentsvc.billing.reservations import Order
from tests.functional.ledgers import Books

MEMBERS = 2
PROJECTS = (None, uuid.UUID(int=1), uuid.UUID(int=2))
AMOUNTS = st.integers(0, 3000).map(lambda cents: Decimal(cents) / 100)
LIMITS = st.sampled_from([None, Decimal(0), Decimal("7.50"), Decimal(20), Decimal(45)])
BALANCE = Decimal(60)
ZERO = Decimal(0)


@dataclass
class Entry:
    """One order in the model: held while ``settled`` is None, charged that much afterwards."""

    order: Order
    settled: Decimal | None = None


class Ledger(RuleBasedStateMachine):
    """A team with two members and two projects under changing caps."""

    registry: Registry
    tasks: Bundle[uuid.UUID] = Bundle("tasks")

    @initialize()
    def open(self) -> None:
        self.books = Books(self.registry, balance=BALANCE)
        self.books.add(QuotaPolicy(team_id=self.books.team_id))
        self.members = [self.books.member_id, *(self.books.add_member() for _ in range(MEMBERS - 1))]
        self.balance = BALANCE
        self.entries: dict[uuid.UUID, Entry] = {}
        self.limits: dict[Any, Decimal | None] = {}

    @rule(
        target=tasks,
        wanted=st.lists(
            st.tuples(AMOUNTS, st.integers(0, MEMBERS - 1), st.sampled_from(PROJECTS)), min_size=1, max_size=3
        ),
    )
    def reserve(self, wanted: list[tuple[Decimal, int, uuid.UUID | None]]) -> Any:
        orders = [self.books.order(amount, self.members[who], project) for amount, who, project in wanted]
        expected = self.first_refusal(orders)
        error = self.books.refused(*orders)
        assert (error.code if error else None) == expected
        if error:
            return multiple()
        self.entries |= {order.task_id: Entry(order) for order in orders}
        return multiple(*(order.task_id for order in orders))

    @rule(task=tasks, portion=st.sampled_from([Decimal(0), Decimal("0.5"), Decimal(1), Decimal("1.5")]))
    def charge(self, task: uuid.UUID, portion: Decimal) -> None:
        entry = self.entries[task]
        amount = (entry.order.amount * portion).quantize(Decimal("0.01"))
        assert self.books.charge(task, amount) is (entry.settled is None)
        if entry.settled is None:
            entry.settled = amount
            self.balance -= amount

    @rule(task=tasks)
    def release(self, task: uuid.UUID) -> None:
        entry = self.entries[task]
        assert self.books.release(task) is (entry.settled is None)
        if entry.settled is None:
            entry.settled = ZERO

    @rule(cents=st.integers(-3000, 3000).filter(bool))
    def adjust(self, cents: int) -> None:
        amount = Decimal(cents) / 100
        self.books.adjust(amount)
        self.balance += amount

    @rule(column=st.sampled_from(["per_task_limit", "monthly_limit", "project_limit"]), limit=LIMITS)
    def change_policy(self, column: str, limit: Decimal | None) -> None:
        self.books.set("quota_policy", self.books.team_id, column, limit)
        self.limits[column] = limit

    @rule(limit=LIMITS)
    def change_team_limit(self, limit: Decimal | None) -> None:
        self.books.set("team", self.books.team_id, "monthly_credit_limit", limit)
        self.limits["team"] = limit or None

    @rule(
        who=st.integers(0, MEMBERS - 1),
        column=st.sampled_from(["daily_credit_limit", "monthly_credit_limit", "total_credit_limit"]),
        limit=LIMITS.map(lambda limit: limit or ZERO),
    )
    def change_member_limit(self, who: int, column: str, limit: Decimal) -> None:
        self.books.set("app_user", self.members[who], column, limit)
        self.limits[self.members[who], column] = limit or None

    @invariant()
    def the_books_agree_with_the_model_and_themselves(self) -> None:
        held, faults = self.books.audit()
        assert (held.balance, held.frozen) == (self.balance, self.held(lambda _order: True))
        assert faults == []

    def held(self, counts: Callable[[Order], bool]) -> Decimal:
        return sum(
            (e.order.amount for e in self.entries.values() if e.settled is None and counts(e.order)), ZERO
        )

    def used(self, counts: Callable[[Order], bool]) -> Decimal:
        charged = (e.settled for e in self.entries.values() if e.settled is not None and counts(e.order))
        return sum(charged, ZERO) + self.held(counts)

    def first_refusal(self, orders: list[Order]) -> str | None:
        """The code of the first cap that the orders together would break."""
        for code, exceeded in self.caps(orders):
            if exceeded:
                return code
        return None

    def caps(self, orders: list[Order]) -> Iterator[tuple[str, bool]]:
        def over(limit: Decimal | None, counts: Callable[[Order], bool]) -> bool:
            asked = sum((order.amount for order in orders if counts(order)), ZERO)
            return limit is not None and self.used(counts) + asked > limit

        everything: Callable[[Order], bool] = lambda _order: True  # noqa: E731
        for column in ("per_task_limit", "monthly_limit", "project_limit"):
            closes = column != "project_limit" or any(order.project_id for order in orders)
            yield "quota_exceeded", self.limits.get(column) == 0 and closes
        per_task = self.limits.get("per_task_limit")
        yield "quota_exceeded", per_task is not None and any(order.amount > per_task for order in orders)
        yield "quota_exceeded", over(self.limits.get("monthly_limit"), everything)
        for project in {order.project_id for order in orders} - {None}:
            limit = self.limits.get("project_limit")
            yield "quota_exceeded", over(limit, lambda order, of=project: order.project_id == of)
        yield "team_limit_exceeded", over(self.limits.get("team"), everything)
        for member in {order.member_id for order in orders}:
            for column in ("daily_credit_limit", "monthly_credit_limit", "total_credit_limit"):
                limit = self.limits.get((member, column))
                yield "member_limit_exceeded", over(limit, lambda order, of=member: order.member_id == of)
        total = sum((order.amount for order in orders), ZERO)
        yield "insufficient_balance", self.balance - self.held(everything) < total


@pytest.fixture
def machine(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> type[Ledger]:
    """The machine on this test's database. Its clock stands in the middle of a month's day."""
    noon = datetime(2031, 5, 15, 12, tzinfo=UTC)
    ticks = iter(range(10**9))
    monkeypatch.setattr(reservations, "moment", lambda _session: noon.replace(microsecond=next(ticks)))
    monkeypatch.setattr(accounts, "moment", lambda _session: noon.replace(microsecond=next(ticks)))
    return type("Ledger", (Ledger,), {"registry": registry})


def steps(examples: int, length: int, **more: Any) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )


def test_the_books_hold_after_every_step(machine: type[Ledger]) -> None:
    run_state_machine_as_test(machine, settings=steps(25, 15))


@pytest.mark.nightly
def test_the_books_hold_after_every_step_for_long(machine: type[Ledger]) -> None:
    run_state_machine_as_test(machine, settings=steps(300, 50))


def no_balance_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_covers", lambda _amount: true())


def no_state_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reservations, "_is_open", true)


def open_counter_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "lower_open", lambda *_arguments: None)


@pytest.mark.parametrize("mutate", [no_balance_condition, no_state_guard, open_counter_never_falls])
def test_the_machine_notices(
    mutate: Callable[[pytest.MonkeyPatch], None], machine: type[Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    broken = steps(100, 20, phases=[Phase.generate], derandomize=True, database=None)
    with pytest.raises(Exception):  # noqa: B017, PT011  # any of its assertions, or a unique index
        run_state_machine_as_test(machine, settings=broken)
