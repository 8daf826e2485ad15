"""Rings that never happen or get lost: PostgreSQL remembers, the due scan rings again."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy import func, select

from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.generation.models import AITask
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.doorbell import backlog
from contentsvc.jobs.models import Queue
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.generating import add_fake_models
from tests.system.installation import Installation, Person, RedisServer, installed, redis_server
from tests.system.processes import eventually

# Twice the lease, and a busy machine.
CATCH_UP_SECONDS = 20.0


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as server:
        yield server


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


@contextmanager
def _ready(service: Installation, provider: FakeProvider) -> Iterator[Installation]:
    with transaction_scope(service.registry) as session:
        add_fake_models(session, provider.url)
    service.start_web()
    yield service
    assert service.faults() == []


@pytest.fixture
def on_postgres(postgres_url: str, tmp_path: Path, provider: FakeProvider) -> Iterator[Installation]:
    with installed(postgres_url, tmp_path) as made, _ready(made, provider) as service:
        yield service


@pytest.fixture
def on_redis(
    postgres_url: str, tmp_path: Path, provider: FakeProvider, redis: RedisServer
) -> Iterator[Installation]:
    settings = {"queue__backend": "redis", "queue__redis_url": redis.url}
    with installed(postgres_url, tmp_path, **settings) as made, _ready(made, provider) as service:
        yield service


def _order_many(person: Person, number: int) -> None:
    while number:
        count = min(12, number)
        person.order(count=count)
        number -= count


def test_a_queue_emptied_by_hand_loses_nothing(
    on_redis: Installation, provider: FakeProvider, redis: RedisServer
) -> None:
    gate = threading.Event()
    provider.default = Reply(gate=gate)
    on_redis.start_worker()
    _order_many(on_redis.person(), 50)
    eventually(lambda: len(provider.orders) == 4, what="every thread of the worker waits for a picture")
    assert on_redis.statuses() == {"RESERVED": 50}
    assert backlog(on_redis.registry, Queue.GENERATE) > 0
    redis.client.flushall()
    gate.set()
    eventually(lambda: not on_redis.open_tasks(), within=CATCH_UP_SECONDS, what="all tasks are over")
    assert on_redis.statuses() == {"succeeded": 50}


def test_an_order_is_taken_while_redis_is_down(on_redis: Installation, redis: RedisServer) -> None:
    on_redis.start_worker()
    person = on_redis.person()
    redis.kill()
    asked_at = time.monotonic()
    [task_id] = person.order()
    assert time.monotonic() - asked_at < 2
    redis.start()
    assert on_redis.final_status(task_id, CATCH_UP_SECONDS) == "succeeded"


def _is_committed(service: Installation) -> bool:
    with transaction_scope(service.registry) as session:
        return session.scalar(select(func.count()).select_from(AITask)) == 1


@contextmanager
def _ordering(service: Installation) -> Iterator[Future[httpx.Response]]:
    """An order under way in a thread, while a beat without a worker lets it in."""
    person = service.person()
    beat_once(service.registry, list(Queue))
    with ThreadPoolExecutor(max_workers=1) as beside:
        yield beside.submit(person.try_order)


def _is_cut_off(reply: Future[httpx.Response]) -> bool:
    with suppress(httpx.TransportError):
        reply.result(timeout=10)
        return False
    return True


def test_a_server_killed_before_it_rings_redis(on_redis: Installation, redis: RedisServer) -> None:
    web = on_redis.processes[-1]
    with redis.frozen(), _ordering(on_redis) as reply:
        eventually(lambda: _is_committed(on_redis), what="the order is committed")
        on_redis.kill(web)
        assert _is_cut_off(reply)
    assert backlog(on_redis.registry, Queue.GENERATE) == 0
    on_redis.start_worker()
    eventually(
        lambda: on_redis.statuses() == {"succeeded": 1},
        within=CATCH_UP_SECONDS,
        what="the task has succeeded",
    )


def test_a_server_killed_before_it_rings_postgres(on_postgres: Installation) -> None:
    web = on_postgres.processes[-1]
    url = engine_of(on_postgres.registry).url.set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as blocker:
        blocker.execute("LOCK TABLE huey_task IN ACCESS EXCLUSIVE MODE")
        with _ordering(on_postgres) as reply:
            eventually(lambda: _is_committed(on_postgres), what="the order is committed")
            on_postgres.kill(web)
            # PostgreSQL finds out that a waiting client is gone only after it got the lock.
            blocker.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE NOT granted AND relation = 'huey_task'::regclass"
            )
            assert _is_cut_off(reply)
        blocker.rollback()
        assert backlog(on_postgres.registry, Queue.GENERATE) == 0
    on_postgres.start_worker()
    eventually(
        lambda: on_postgres.statuses() == {"succeeded": 1},
        within=CATCH_UP_SECONDS,
        what="the task has succeeded",
    )
