"""Figures of the queue and its workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pyramid.registry import Registry
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.http.metrics import Family, Kind, Sample
from contentsvc.jobs.beats import workers_online
from contentsvc.jobs.clock import now
from contentsvc.jobs.models import Job, JobState, Queue, WorkerBeat

# Held by a worker; due and waiting for one; to be rung later.
STATES = ("held", "due", "later")


def read(registry: Registry) -> list[Family]:
    """Open jobs, how long the oldest due one has waited, and who is there to take them."""
    with transaction_scope(registry) as session:
        return [*_jobs(session), *_workers(workers_online(session, registry))]


def _jobs(session: Session) -> list[Family]:
    standing = case((Job.lease_until > now(), "held"), (Job.ring_at <= now(), "due"), else_="later")
    waited = func.extract("epoch", now() - func.min(Job.ring_at))
    open_jobs = select(
        Job.queue, standing.label("standing"), func.count().label("number"), waited.label("waited")
    )
    rows = session.execute(open_jobs.where(Job.state == JobState.OPEN).group_by(Job.queue, "standing")).all()
    numbers = {(row.queue, row.standing): row.number for row in rows}
    oldest = {row.queue: float(row.waited) for row in rows if row.standing == "due"}
    counted = [
        Sample(numbers.get((queue, state), 0), {"queue": queue, "state": state})
        for queue in Queue
        for state in STATES
    ]
    ages = [Sample(round(oldest.get(queue, 0.0), 3), {"queue": queue}) for queue in Queue]
    return [
        Family("jobs", Kind.GAUGE, "Open jobs: held by a worker, due, or to be rung later.", counted),
        Family("job_oldest_due_seconds", Kind.GAUGE, "How long the oldest due job has waited.", ages),
    ]


def _workers(workers: Sequence[WorkerBeat]) -> list[Family]:
    serving = Counter(queue for worker in workers for queue in worker.queues)
    online = [Sample(serving[queue.value], {"queue": queue}) for queue in Queue]
    running = [Sample(sum(worker.running for worker in workers))]
    return [
        Family("workers_online", Kind.GAUGE, "Worker processes that serve a queue.", online),
        Family("worker_jobs", Kind.GAUGE, "Jobs the workers held at their last beat.", running),
    ]
