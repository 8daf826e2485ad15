"""A database with a queue, and real workers for it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import Engine, text

from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.jobs.services import enqueue
from tests.system.processes import Stable, eventually

# Everything that waits for a time-out in production, within a test's patience.
HURRIED = (
    "jobs.lease_seconds=1.5",
    "jobs.scan_seconds=0.2",
    "jobs.beat_seconds=0.3",
    "jobs.online_seconds=3",
    "generation.retry_seconds=0.2",
    "workers.drain_seconds=10",
    "database.pool_size=3",
)


@dataclass
class Farm:
    """A database with a queue, and workers for it."""

    registry: Registry
    ini: Path
    log: Path
    _stable: Stable | None = None

    @property
    def engine(self) -> Engine:
        """The test's own connections to the farm's database."""
        return engine_of(self.registry)

    def start_worker(self) -> int:
        """The process id of a new worker."""
        if self._stable is None:
            self._stable = Stable(self.ini, HURRIED, self.log)
        return self._stable.start_worker()

    def start_workers(self, count: int) -> list[int]:
        """Several, online."""
        pids = [self.start_worker() for _ in range(count)]
        eventually(lambda: self.online() >= count, what="the workers to be online")
        return pids

    def order(self, seconds: float = 0.0, *, steps: int = 1, ring: bool = True) -> uuid.UUID:
        """Commit an order with its job; without a ring as if the server had died after the commit."""
        order_id = uuid.uuid4()
        with transaction_scope(self.registry) as session:
            session.execute(
                text("INSERT INTO probe_order (id, seconds, steps_left) VALUES (:id, :seconds, :steps)"),
                {"id": order_id, "seconds": seconds, "steps": steps},
            )
            enqueue(session, self.registry, "probe", order_id)
            if not ring:
                # The ring is a callback that waits here for the commit.
                session.info.clear()
        return order_id

    def scalar(self, query: str, **parameters: Any) -> Any:
        """One value from the database."""
        with self.engine.connect() as connection:
            return connection.execute(text(query), parameters).scalar()

    def settled(self) -> int:
        """How many settlements there are."""
        return int(self.scalar("SELECT count(*) FROM probe_effect"))

    def settled_twice(self) -> int:
        """How many orders were settled more than once."""
        again = (
            "SELECT count(*) FROM (SELECT 1 FROM probe_effect GROUP BY order_id HAVING count(*) > 1) AS twice"
        )
        return int(self.scalar(again))

    def at_work(self, pids: Sequence[int]) -> list[int]:
        """Which of these workers are in the middle of a job."""
        running = text(
            "SELECT DISTINCT pid FROM probe_order JOIN job ON job.subject_id = probe_order.id"
            " WHERE job.state = 'open' AND job.held_by IS NOT NULL AND pid = ANY(:pids) ORDER BY pid"
        )
        with self.engine.connect() as connection:
            return list(connection.scalars(running, {"pids": list(pids)}))

    def steps_begun(self) -> int:
        """How often a step of an order was begun."""
        return int(self.scalar("SELECT sum(begun) FROM probe_order"))

    def open_jobs(self) -> int:
        """How many jobs are open."""
        return int(self.scalar("SELECT count(*) FROM job WHERE state = 'open'"))

    def online(self) -> int:
        """How many workers have been heard of lately."""
        return int(
            self.scalar(
                "SELECT count(*) FROM worker_beat WHERE last_seen_at > clock_timestamp() - interval '3 s'"
            )
        )

    def close(self) -> None:
        """End all workers, close all connections."""
        if self._stable is not None:
            self._stable.close()
        close_doorbells(self.registry)
        self.engine.dispose()
