"""The due scan: rings for what is due, whoever lost the ring before."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import structlog
from pyramid.registry import Registry
from sqlalchemy import func, select, update

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.doorbell import Ring, backlog, ring
from contentsvc.jobs.models import Job, Queue
from contentsvc.jobs.runner import is_due, is_free
from contentsvc.settings import Settings

# Any number, the same in every process of every version.
SCAN_LOCK = 7_205_759_403_792_794
BATCH = 500
# So many waiting rings keep a queue's workers busy: more would only pile up.
FULL_QUEUE = 1000

_NO_SYNC = {"synchronize_session": False}

log = structlog.get_logger(__name__)


class Due(NamedTuple):
    """A job to ring for."""

    id: uuid.UUID
    queue: str
    fence: int


def ring_due(registry: Registry) -> int:
    """Ring for due jobs; how many rings went out. 0 also while another process scans.

    What was rung is due again after a lease's length, in case the ring gets lost; what
    could not be rung stays due.
    """
    queues = [queue for queue in Queue if _has_room(registry, queue)]
    due = _take_due(registry, queues) if queues else []
    unrung = [job.id for queue, jobs in _by_queue(due) if not _ring(registry, queue, jobs) for job in jobs]
    if unrung:
        _put_back(registry, unrung)
    return len(due) - len(unrung)


def _by_queue(due: Iterable[Due]) -> Iterator[tuple[Queue, list[Due]]]:
    found: defaultdict[str, list[Due]] = defaultdict(list)
    for job in due:
        found[job.queue].append(job)
    return ((Queue(queue), jobs) for queue, jobs in found.items())


def _ring(registry: Registry, queue: Queue, jobs: Sequence[Due]) -> bool:
    return ring(registry, queue, [Ring(job.id, job.fence) for job in jobs])


def _has_room(registry: Registry, queue: Queue) -> bool:
    try:
        return backlog(registry, queue) < FULL_QUEUE
    except Exception as error:  # noqa: BLE001 - whatever keeps the doorbell from answering, nobody can be rung
        log.warning("doorbell_unreachable", queue=queue.value, error=repr(error))
        return False


def _take_due(registry: Registry, queues: Sequence[Queue]) -> list[Due]:
    settings: Settings = registry["contentsvc.settings"]
    batch = (
        select(Job.id)
        .where(is_due(), Job.queue.in_(queues))
        .order_by(Job.ring_at)
        .limit(BATCH)
        .with_for_update(skip_locked=True)
        .cte("batch")
    )
    pushed = (
        update(Job)
        .where(Job.id.in_(select(batch.c.id)))
        .values(ring_at=in_seconds(settings.jobs.lease_seconds))
        .returning(Job.id, Job.queue, Job.fence)
    )
    with transaction_scope(registry) as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(SCAN_LOCK))):
            return []
        # Keys are time-ordered: the oldest job rings first.
        return sorted(Due(*row) for row in session.execute(pushed, execution_options=_NO_SYNC))


def _put_back(registry: Registry, ids: Sequence[uuid.UUID]) -> None:
    statement = update(Job).where(Job.id.in_(ids), is_free()).values(ring_at=in_seconds(0))
    with transaction_scope(registry) as session:
        session.execute(statement, execution_options=_NO_SYNC)
