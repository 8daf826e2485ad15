"""What goes over the wire when a doorbell rings."""

from __future__ import annotations

import json
import pickle
import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from cryptography.fernet import Fernet
from huey.api import MemoryHuey, PostgresHuey, RedisHuey
from pyramid.registry import Registry

from contentsvc.db.session import install, make_engine, make_sessions
from contentsvc.jobs import doorbell
from contentsvc.jobs.doorbell import JsonSerializer, Ring, doorbell_of, ring
from contentsvc.jobs.models import Queue
from contentsvc.jobs.state import JOBS, Jobs
from contentsvc.settings import load


def make_registry(answered: list[Any], **more: str) -> Registry:
    raw = {
        "var_dir": "/nowhere",
        "database.url": "postgresql://user:pass%40word@db.example:5433/content",
        "queue.backend": "postgres",
        "storage.root": "/nowhere",
        "secrets.keys": Fernet.generate_key().decode(),
    }
    registry = Registry()
    settings = load(raw | more)
    engine = make_engine(settings.database, settings.database.url)
    install(registry, engine, make_sessions(engine))
    registry["contentsvc.settings"] = settings
    registry[JOBS] = Jobs(answer=lambda _registry, job_id, fence: answered.append((job_id, fence)))
    return registry


class MemoryBell(MemoryHuey):
    """Rings in this process's memory."""

    def send(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self.storage.enqueue(message)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What rings have led to; the doorbell is in memory."""

    def in_memory(_registry: Registry, queue: Queue) -> MemoryBell:
        return MemoryBell(queue.value, results=False, serializer=JsonSerializer())

    monkeypatch.setattr(doorbell, "_make_huey", in_memory)
    return []


def test_a_ring_is_json_with_an_id_a_fence_and_a_name_that_never_changes(answered: list[Any]) -> None:
    registry = make_registry(answered)
    job_id = uuid.uuid4()
    assert ring(registry, Queue.POLL, [Ring(job_id, 7)])
    (sent,) = doorbell_of(registry, Queue.POLL).huey.storage.enqueued_items()
    message = json.loads(sent)
    assert message["args"] == [str(job_id), 7]
    assert message["name"] == "contentsvc.jobs.doorbell.run_job"


def test_a_worker_that_gets_a_ring_answers_it(answered: list[Any]) -> None:
    registry = make_registry(answered)
    job_id = uuid.uuid4()
    ring(registry, Queue.EXPORT, [Ring(job_id, 3)])
    huey = doorbell_of(registry, Queue.EXPORT).huey
    huey.execute(huey.dequeue())
    assert answered == [(job_id, 3)]


def test_a_pickle_in_the_queue_is_not_loaded() -> None:
    with pytest.raises(ValueError, match=r"utf-8|Expecting"):
        JsonSerializer().deserialize(pickle.dumps({"name": "run"}))


def test_each_queue_has_its_own_doorbell_made_once(answered: list[Any]) -> None:
    registry = make_registry(answered)
    assert doorbell_of(registry, Queue.POLL) is doorbell_of(registry, Queue.POLL)
    assert doorbell_of(registry, Queue.POLL) is not doorbell_of(registry, Queue.GENERATE)


def test_embedded_rings_go_through_the_services_own_database() -> None:
    huey = doorbell_of(make_registry([]), Queue.GENERATE).huey
    assert isinstance(huey, PostgresHuey)
    assert huey.storage.dsn == "postgresql://user:pass%40word@db.example:5433/content"
    assert (huey.name, huey.results) == ("contentsvc.generate", False)


def test_rings_through_redis_use_the_inis_address_and_name() -> None:
    redis = {
        "queue.backend": "redis",
        "queue.redis_url": "redis://redis.example:6380/2",
        "queue.name": "blue",
    }
    huey = doorbell_of(make_registry([], **redis), Queue.POLL).huey
    assert isinstance(huey, RedisHuey)
    assert huey.name == "blue.poll"
    assert huey.storage.pool.connection_kwargs["host"] == "redis.example"
    assert huey.storage.pool.connection_kwargs["db"] == 2


def test_a_kind_can_have_one_runner_only(answered: list[Any]) -> None:
    jobs = Jobs(answer=lambda *_args: None)
    jobs.add_runner("paint", Queue.GENERATE, lambda _run: None)
    with pytest.raises(ValueError, match="two runners"):
        jobs.add_runner("paint", Queue.POLL, lambda _run: None)
