"""Providers in bad weather: whatever they answer, nothing is ordered or charged twice, all is settled."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import ColumnElement, func, select, update

from contentsvc.assets.models import Asset
from contentsvc.billing.models import CreditAccount, LedgerRow
from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskAttempt, TaskStatus
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_job
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig, Provider, ProviderTrouble
from tests.fakes.stormy import LATE_SHARE, LOST_SHARE, STORM, StormyProvider, Trade
from tests.system.installation import Installation, installed
from tests.system.processes import eventually

WORKERS = 2
BALANCE = 1000
PICTURE_COST = Decimal("0.30")
SETTINGS = {
    # Less than an outage, so that circuits open; closed again soon.
    "providers__circuit_failures": "2",
    "providers__circuit_seconds": "0.5",
    # What doesn't get through is given up by its provider's answers, not by waiting.
    "generation__poll_max_seconds": "0.4",
    # Jobs are taken over on purpose only, however slow the machine is.
    "jobs__lease_seconds": "20",
    "log__level": "error",
}

Providers = Mapping[Trade, StormyProvider]


@dataclass
class Account:
    """What the database says of one task."""

    trade: Trade
    status: str
    is_unknown: bool
    ledger: list[tuple[str, Decimal]] = field(default_factory=list)
    works: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)


@contextmanager
def _weathered(url: str, folder: Path, tasks: int) -> Iterator[tuple[Installation, Providers]]:
    """A service with a provider of each trade, each with a third of the orders to come."""
    with ExitStack() as stack:
        providers = {
            trade: stack.enter_context(closing(StormyProvider(trade, tasks // len(Trade), seed)))
            for seed, trade in enumerate(Trade)
        }
        service = stack.enter_context(installed(url, folder, **SETTINGS))
        with transaction_scope(service.registry) as session:
            for trade, server in providers.items():
                row = Provider(name=trade, display_name=trade, driver="fake", base_url=server.url)
                session.add(row)
                session.flush()
                session.add(
                    ModelConfig(
                        provider_id=row.id,
                        name=trade,
                        display_name=trade,
                        capability=Capability.IMAGE_GENERATION,
                        unit_price=Decimal("0.02"),
                        billing_unit=BillingUnit.IMAGE,
                        options={"resubmit_safe": trade is Trade.KEYED},
                    )
                )
        yield service, providers


class _Storm:
    """Orders go out; what comes too late is given up meanwhile."""

    def __init__(self, service: Installation, providers: Providers) -> None:
        self._service = service
        self._providers = providers
        self.opened: set[uuid.UUID] = set()

    def order(self, tasks: int) -> None:
        person = self._service.person(BALANCE)
        for _ in range(tasks // 12 // len(Trade)):
            for trade in Trade:
                person.order(image_model=trade, count=12)
            # Who waits for a late work keeps a thread from all the others.
            self.is_over()

    def is_over(self) -> bool:
        """Look after what comes too late; whether every task is final."""
        for provider in self._providers.values():
            for key in list(provider.waited_for):
                taken = self._take_over(key)
                # What is ordered again may wait for its turn, the first work needn't.
                if (taken and provider.trade is Trade.KEYED) or not self._open_tasks(AITask.id == _task(key)):
                    provider.let_go(key)
        with transaction_scope(self._service.registry) as session:
            is_open = ProviderTrouble.open_until.is_not(None)
            self.opened.update(session.scalars(select(ProviderTrouble.provider_id).where(is_open)))
        return not self._open_tasks()

    def _open_tasks(self, *conditions: ColumnElement[bool]) -> int:
        with transaction_scope(self._service.registry) as session:
            counted = select(func.count()).where(AITask.status.in_(OPEN_STATUSES), *conditions)
            return session.scalar(counted) or 0

    def _take_over(self, key: str) -> bool:
        """Be another worker, who takes a job up because its own has been silent for too long.

        Remote work turns out to have been ordered longer ago than anybody waits. False where
        nobody holds the job.
        """
        registry = self._service.registry
        with transaction_scope(registry) as session:
            held = (Job.subject_id == _task(key), Job.lease_until.is_not(None))
            free = {"lease_until": None, "held_by": None, "ring_at": func.now()}
            job = session.execute(
                update(Job).where(*held).values(free).returning(Job.id, Job.fence)
            ).one_or_none()
            accepted = (AITask.id == _task(key), AITask.submitted_at.is_not(None))
            long_ago = AITask.submitted_at - timedelta(days=1)
            session.execute(update(AITask).where(*accepted).values(submitted_at=long_ago))
        return job is not None and run_job(registry, job.id, job.fence)


def _task(key: str) -> uuid.UUID:
    """The task of an order with this idempotency key."""
    return uuid.UUID(key[:36])


def _accounts(service: Installation) -> dict[uuid.UUID, Account]:
    with transaction_scope(service.registry) as session:
        accounts = {
            task.id: Account(Trade(task.model_name), task.status, "outcome_unknown" in task.meta)
            for task in session.scalars(select(AITask))
        }
        rows = select(LedgerRow.task_id, LedgerRow.ledger_type, LedgerRow.amount).order_by(LedgerRow.id)
        for task, kind, amount in session.execute(rows.where(LedgerRow.task_id.is_not(None))):
            accounts[task].ledger.append((kind, abs(amount)))
        for task, meta in session.execute(select(Asset.task_id, Asset.meta)):
            accounts[task].works["late" if meta.get("late") else "in time"] += 1
        for task, outcome in session.execute(select(TaskAttempt.task_id, TaskAttempt.outcome)):
            accounts[task].attempts[outcome] += 1
    return accounts


def _late_works(service: Installation) -> int:
    with transaction_scope(service.registry) as session:
        return session.scalar(select(func.count()).where(Asset.meta["late"].as_boolean())) or 0


def _run(service: Installation, providers: Providers, tasks: int) -> None:
    """Place the orders, and wait until all are over."""
    service.start_web()
    for _ in range(WORKERS):
        service.start_worker()
    storm = _Storm(service, providers)
    storm.order(tasks)
    eventually(storm.is_over, within=tasks, every=0.1, what="all tasks are over")
    assert storm.opened, "no outage was long enough for a circuit"
    late = sum(len(provider.late) for trade, provider in providers.items() if trade is not Trade.KEYED)
    eventually(lambda: _late_works(service) >= late, what="late works are kept")


def _check_weather(providers: Providers, tasks: int) -> None:
    """It was as bad as it should have been."""
    assert sum(len(provider.lost) for provider in providers.values()) >= 0.9 * LOST_SHARE * tasks
    assert sum(len(provider.late) for provider in providers.values()) >= 0.9 * LATE_SHARE * tasks
    assert all(provider.refusals >= STORM for provider in providers.values())
    assert providers[Trade.REMOTE].lost_polls > 0


def _check_orders(providers: Providers) -> None:
    """Nothing was ordered twice, not even under another key."""
    for provider in providers.values():
        assert set(provider.made.values()) == {1}
        assert len({_task(key) for key in provider.asked}) == len(provider.asked)
    keyed = providers[Trade.KEYED]
    assert all(keyed.asked[key] > 1 for key in keyed.lost)


def _check_tasks(accounts: Mapping[uuid.UUID, Account], providers: Providers) -> None:
    """Every task is settled once, in the way that fits what became of its order."""
    for account in accounts.values():
        assert "running" not in account.attempts
        if account.status == TaskStatus.SUCCEEDED:
            assert account.ledger == [("RESERVE", PICTURE_COST), ("CHARGE", PICTURE_COST)]
            assert account.works == {"in time": 1}
        else:
            assert account.status == TaskStatus.FAILED
            assert account.ledger == [("RESERVE", PICTURE_COST), ("RELEASE", PICTURE_COST)]
            assert account.works["in time"] == 0
            assert account.works["late"] <= 1
    for trade, provider in providers.items():
        mine = {id_: account for id_, account in accounts.items() if account.trade is trade}
        late = {_task(key) for key in provider.late}
        astray = late | {_task(key) for key in provider.lost}
        unknown = {id_ for id_, account in mine.items() if account.is_unknown}
        assert unknown == (set() if trade is Trade.KEYED else astray)
        kept = {id_ for id_, account in mine.items() if account.works["late"] == 1}
        # Where an order can be placed again under its key, it is, and the first work isn't needed.
        assert kept <= late if trade is Trade.KEYED else kept == late
        # The others that failed were refused each time, or broke down each time they were repeated.
        made = {_task(key) for key in provider.made}
        failed = {id_ for id_, account in mine.items() if account.status == TaskStatus.FAILED}
        assert failed - unknown <= (set(mine) - made) | (astray if trade is Trade.KEYED else set())


def _check_books(service: Installation, accounts: Mapping[uuid.UUID, Account]) -> None:
    """Charges are the successes, and the books add up."""
    charged = PICTURE_COST * sum(account.status == TaskStatus.SUCCEEDED for account in accounts.values())
    with transaction_scope(service.registry) as session:
        account = session.scalars(select(CreditAccount)).one()
        assert (account.balance, account.frozen) == (BALANCE - charged, 0)
    assert service.faults() == []


def _weather(url: str, folder: Path, tasks: int) -> None:
    with _weathered(url, folder, tasks) as (service, providers):
        _run(service, providers, tasks)
        accounts = _accounts(service)
        assert len(accounts) == tasks
        _check_weather(providers, tasks)
        _check_orders(providers)
        _check_tasks(accounts, providers)
        _check_books(service, accounts)


def test_bad_weather_orders_and_charges_nothing_twice(postgres_url: str, tmp_path: Path) -> None:
    _weather(postgres_url, tmp_path, 144)


@pytest.mark.nightly
def test_bad_weather_over_two_thousand_tasks(postgres_url: str, tmp_path: Path) -> None:
    _weather(postgres_url, tmp_path, 2016)
