"""Workers killed in the middle of an order: the customer neither loses nor pays twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import update

from contentsvc.db.session import transaction_scope
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.generating import add_fake_models
from tests.system.installation import LEASE_SECONDS, Installation, installed
from tests.system.processes import eventually

# The lease of the dead worker, the scan that finds it, and a busy machine.
TAKE_OVER_SECONDS = LEASE_SECONDS + 12


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as server:
        yield server


@pytest.fixture(scope="module")
def service(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider
) -> Iterator[Installation]:
    """One for all of this module: a test looks at its own task only, and leaves no worker."""
    with installed(postgres_url, tmp_path_factory.mktemp("service")) as made:
        with transaction_scope(made.registry) as session:
            add_fake_models(session, provider.url)
        made.start_web()
        yield made
        assert made.faults() == []


@dataclass
class Orphan:
    """An order whose worker was killed while it waited for the picture, seen from outside."""

    service: Installation
    task_id: str
    orders: list[dict[str, Any]]

    def after_another_worker(self) -> tuple[str, list[str]]:
        """Status and ledger once a new worker has found it."""
        worker = self.service.start_worker()
        status = self.service.final_status(self.task_id, TAKE_OVER_SECONDS)
        self.service.stop(worker)
        return status, self.service.ledger(self.task_id)


@contextmanager
def _orphan(service: Installation, provider: FakeProvider, **options: Any) -> Iterator[Orphan]:
    with transaction_scope(service.registry) as session:
        session.execute(update(ModelConfig).values(options=options))
    gate = threading.Event()
    provider.replies.append(Reply(gate=gate))
    provider.orders.clear()
    worker = service.start_worker()
    [task_id] = service.person().order()
    eventually(lambda: provider.orders, what="the order reaches the provider")
    service.kill(worker)
    try:
        yield Orphan(service, task_id, provider.orders)
    finally:
        gate.set()


def test_a_resubmit_safe_order_survives_its_worker(service: Installation, provider: FakeProvider) -> None:
    with _orphan(service, provider, resubmit_safe=True) as orphan:
        assert orphan.after_another_worker() == ("succeeded", ["RESERVE", "CHARGE"])
        assert len({order["key"] for order in orphan.orders}) == 1


def test_an_order_that_must_not_be_repeated_is_released(
    service: Installation, provider: FakeProvider
) -> None:
    with _orphan(service, provider) as orphan:
        assert orphan.after_another_worker() == ("failed", ["RESERVE", "RELEASE"])
        assert len(orphan.orders) == 1
        assert service.metadata(orphan.task_id)["outcome_unknown"] is True


def test_an_accepted_order_is_asked_for_not_repeated(service: Installation, provider: FakeProvider) -> None:
    provider.orders.clear()
    provider.replies.append(Reply.json(202, {"job": "remote-1"}))
    provider.default = Reply.json(202, {"progress": 0.4})
    worker = service.start_worker()
    [task_id] = service.person().order()
    eventually(lambda: provider.polled, what="the accepted order is asked for")
    service.kill(worker)
    provider.default = Reply()
    asked = len(provider.polled)
    orphan = Orphan(service, task_id, provider.orders)
    assert orphan.after_another_worker() == ("succeeded", ["RESERVE", "CHARGE"])
    assert len(orphan.orders) == 1
    assert set(provider.polled[asked:]) == {"remote-1"}
