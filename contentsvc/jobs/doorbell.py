"""huey as a doorbell: it wakes a worker with a job's id, and forgets.

Nothing here is trusted: a ring may get lost, come twice or come late. Its fence says
which state of the job it was for, so that a late one does nothing. This module must
keep its name, and :func:`run_job` inside must too: together they are the name of the
task on the wire, which old and new processes share during a deployment.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

import structlog
from huey.api import Huey, PostgresHuey, RedisHuey
from huey.registry import Message
from huey.serializer import Serializer
from pyramid.registry import Registry
from redis import ConnectionPool
from typing_extensions import override

from contentsvc.db.session import engine_of
from contentsvc.jobs.bell import Doorbell
from contentsvc.jobs.models import Queue
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

# After a ring that failed, others don't wait for the same time-out: the due scan rings for them.
SILENT_SECONDS = 5.0
CONNECT_SECONDS = 2
READ_SECONDS = 5

log = structlog.get_logger(__name__)


class JsonSerializer(Serializer):
    """Messages as JSON: who can write to the queue can't make a worker load pickles."""

    def __init__(self) -> None:
        super().__init__()

    def _serialize(self, data: Message) -> bytes:
        return json.dumps({k: v for k, v in data._asdict().items() if v is not None}).encode()

    def _deserialize(self, data: bytes) -> Message:
        return Message(**json.loads(data))


class Ring(NamedTuple):
    """A job to tell the workers about, and the state of it that the ring is for."""

    job_id: uuid.UUID
    fence: int


class Unrevoked(Huey):
    """Rings are never taken back: nobody needs to look, twice a ring, whether one was."""

    @override
    def is_revoked(self, task: Any, timestamp: Any = None, peek: bool = True) -> bool:
        return False

    @override
    def delete(self, key: Any) -> bool:
        return False


class PostgresBell(Unrevoked, PostgresHuey):
    """Rings in PostgreSQL."""

    def send(self, messages: Sequence[bytes]) -> None:
        """One statement for the rows, and one that wakes whoever listens: each takes one ring
        and, when it is done, looks for the next."""
        storage = self.storage
        rows = f"INSERT INTO {storage.table_task} (queue, data) SELECT %s, unnest(%s::bytea[])"
        with storage.db(commit=True) as cursor:
            cursor.execute(rows, (storage.name, list(messages)))
            cursor.execute("SELECT pg_notify(%s, '')", (storage.channel,))


class RedisBell(Unrevoked, RedisHuey):
    """Rings in Redis."""

    def send(self, messages: Sequence[bytes]) -> None:
        """One command."""
        self.storage.conn.lpush(self.storage.queue_key, *messages)


def doorbell_of(registry: Registry, queue: Queue) -> Doorbell:
    """The process's doorbell of a queue, made at first use."""
    jobs = jobs_of(registry)
    with jobs.lock:
        if queue not in jobs.doorbells:
            jobs.doorbells[queue] = _make(registry, queue)
        return jobs.doorbells[queue]


def ring(registry: Registry, queue: Queue, rings: Sequence[Ring]) -> bool:
    """Tell the workers of a queue about jobs; whether that worked. Never raises."""
    jobs = jobs_of(registry)
    if time.monotonic() < jobs.silent_until:
        return False
    try:
        bell = doorbell_of(registry, queue)
        messages = [bell.message(str(one.job_id), one.fence) for one in rings]
        try:
            bell.send(messages)
        except Exception:  # noqa: BLE001 - a connection that went stale fails once, its successor works
            bell.send(messages)
    except Exception as error:  # noqa: BLE001 - the due scan rings again, whatever it was
        jobs.silent_until = time.monotonic() + SILENT_SECONDS
        log.warning("ring_failed", jobs=len(rings), queue=str(queue), error=repr(error))
        return False
    return True


def backlog(registry: Registry, queue: Queue) -> int:
    """Rings that wait in a queue. Raises whatever the doorbell's own connection raises."""
    waiting = int(doorbell_of(registry, queue).huey.storage.queue_size())
    jobs_of(registry).silent_until = 0.0
    return waiting


def close_doorbells(registry: Registry) -> None:
    """Close this process's connections to the doorbells; the next ring opens new ones."""
    jobs = jobs_of(registry)
    with jobs.lock:
        bells = list(jobs.doorbells.values())
        jobs.doorbells.clear()
    for bell in bells:
        bell.huey.storage.close()


def _make(registry: Registry, queue: Queue) -> Doorbell:
    huey = _make_huey(registry, queue)
    answer = jobs_of(registry).answer

    def run_job(job_id: str, fence: int) -> None:
        answer(registry, uuid.UUID(job_id), fence)

    task = huey.task()(run_job)
    return Doorbell(
        huey, send=huey.send, message=lambda job_id, fence: huey.serialize_task(task.s(job_id, fence))
    )


def _make_huey(registry: Registry, queue: Queue) -> PostgresBell | RedisBell:
    settings: Settings = registry["contentsvc.settings"]
    name = f"{settings.queue.name}.{queue.value}"
    common: dict[str, Any] = {"results": False, "serializer": JsonSerializer()}
    if settings.queue.backend == "redis":
        pool = ConnectionPool.from_url(
            str(settings.queue.redis_url),
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=READ_SECONDS,
        )
        return RedisBell(name, connection_pool=pool, **common)
    url = engine_of(registry).url.set(drivername="postgresql")
    dsn = url.render_as_string(hide_password=False)
    # A ring that a crash of the server takes away is rung again by the due scan: no commit waits
    # for the disk, while all of a process's threads wait for its one connection.
    options = "-c synchronous_commit=off"
    return PostgresBell(
        name, dsn=dsn, create_tables=False, connect_timeout=CONNECT_SECONDS, options=options, **common
    )
