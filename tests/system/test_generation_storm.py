"""Many orders while workers are killed at random: none lost, none settled twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from contentsvc.billing.models import LedgerRow
from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import AITask, TaskAttempt
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import FakeProvider, Reply
from tests.functional.generating import add_fake_models
from tests.system.installation import Installation, installed, redis_server
from tests.system.processes import eventually

WORKERS = 3
# Pictures take a while, so that kills meet them at every stage.
SLOWEST_SECONDS = 0.4


class SlowProvider(FakeProvider):
    """Takes its time over every order, never the same."""

    def __init__(self) -> None:
        super().__init__()
        self._random = random.Random(7)

    def order(self, document: dict[str, object]) -> Reply:
        reply = super().order(document)
        time.sleep(self._random.uniform(0, SLOWEST_SECONDS))
        return reply


@pytest.fixture
def provider() -> Iterator[SlowProvider]:
    server = SlowProvider()
    yield server
    server.close()


@pytest.fixture(params=["postgres", "redis"])
def service(
    request: pytest.FixtureRequest, postgres_url: str, tmp_path: Path, provider: SlowProvider
) -> Iterator[Installation]:
    # A picture may be hit by several kills: this is about losing it, not about giving it up.
    settings = {"generation__max_attempts": "20"}
    with redis_server(tmp_path) as redis:
        if request.param == "redis":
            settings |= {"queue__backend": "redis", "queue__redis_url": redis.url}
        with installed(postgres_url, tmp_path, **settings) as made:
            with transaction_scope(made.registry) as session:
                add_fake_models(session, provider.url)
                session.execute(update(ModelConfig).values(options={"resubmit_safe": True}))
            yield made


def _storm(service: Installation, tasks: int, kills: int) -> None:
    """Place the orders and kill working workers, each replaced at once, until all is over."""
    chance = random.Random(11)
    service.start_web()
    workers = [service.start_worker() for _ in range(WORKERS)]
    person = service.person()
    for _ in range(tasks // 12):
        person.order(count=12)
    for _ in range(kills):
        victim = workers.pop(chance.randrange(WORKERS))
        time.sleep(chance.uniform(0, SLOWEST_SECONDS))
        service.kill(victim)
        workers.append(service.start_worker())
    eventually(lambda: not service.open_tasks(), within=120, what="all tasks are over")


def _settlements(service: Installation) -> Counter[tuple[str, ...]]:
    """How many tasks have which ledger rows."""
    with transaction_scope(service.registry) as session:
        rows: dict[object, list[str]] = {task: [] for task in session.scalars(select(AITask.id))}
        statement = select(LedgerRow.task_id, LedgerRow.ledger_type).where(LedgerRow.task_id.is_not(None))
        for task, kind in session.execute(statement.order_by(LedgerRow.id)):
            rows[task].append(kind)
    return Counter(tuple(kinds) for kinds in rows.values())


def _cut_off(service: Installation) -> int:
    """How many orders were cut off by their worker's death."""
    with transaction_scope(service.registry) as session:
        return session.scalar(select(func.count()).where(TaskAttempt.outcome == "unknown")) or 0


def _check(service: Installation, tasks: int) -> None:
    assert service.statuses() == {"succeeded": tasks}
    assert _settlements(service) == {("RESERVE", "CHARGE"): tasks}
    assert service.faults() == []


def test_no_task_is_lost_or_settled_twice(service: Installation) -> None:
    _storm(service, tasks=300, kills=30)
    # How many orders a kill meets is the machine's affair; that many of them meet one is the test's.
    assert _cut_off(service) >= 10
    _check(service, 300)


@pytest.mark.nightly
def test_no_task_of_three_thousand_is_lost_or_settled_twice(service: Installation) -> None:
    _storm(service, tasks=3000, kills=300)
    assert _cut_off(service) >= 100
    _check(service, 3000)
