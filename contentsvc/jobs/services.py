"""What the other domains do with jobs: hand work over, and ask whether anybody will do it."""

from __future__ import annotations

import uuid

from pyramid.registry import Registry
from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from contentsvc.db.session import after_commit
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.doorbell import Ring, ring
from contentsvc.jobs.models import Job, JobState, Queue, WorkerBeat
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings


def enqueue(
    session: Session, registry: Registry, kind: str, subject_id: uuid.UUID, *, delay_seconds: float = 0
) -> Job:
    """Write a job in the caller's transaction, and ring for it once that is committed.

    A delayed job is rung by the due scan. Raises LookupError for a kind without a runner;
    a second open job of one kind on one subject violates a unique index.
    """
    runner = jobs_of(registry).runners.get(kind)
    if runner is None:
        raise LookupError(f"nothing runs jobs of kind {kind!r}")
    queue, _ = runner
    job = Job(kind=kind, subject_id=subject_id, queue=queue, fence=0, ring_at=in_seconds(delay_seconds))
    session.add(job)
    session.flush()
    if delay_seconds <= 0:
        after_commit(session, lambda: _ring(registry, queue, job.id))
    return job


def hasten(session: Session, kind: str, subject_id: uuid.UUID, *, seconds: float, longest: float) -> None:
    """Have a waiting job rung after ``seconds``, unless it is to be rung sooner anyway.

    One that is held is left alone, and one that waits for more than ``longest`` seconds: it
    has a reason of its own.
    """
    waiting = (Job.kind == kind, Job.subject_id == subject_id, Job.state == JobState.OPEN)
    later = (Job.lease_until.is_(None), Job.ring_at > in_seconds(seconds), Job.ring_at <= in_seconds(longest))
    session.execute(
        update(Job).where(*waiting, *later).values(ring_at=in_seconds(seconds)),
        execution_options={"synchronize_session": False},
    )


def worker_online(session: Session, registry: Registry, queue: Queue) -> bool:
    """Whether a worker process that serves the queue has been heard of lately."""
    settings: Settings = registry["contentsvc.settings"]
    alive = exists().where(
        WorkerBeat.last_seen_at > in_seconds(-settings.jobs.online_seconds),
        WorkerBeat.queues.contains([Queue(queue).value]),
    )
    return bool(session.scalar(select(alive)))


def require_worker(session: Session, registry: Registry, queue: Queue) -> None:
    """Raise ApiError ``no_worker`` (503) where nobody would take the work up."""
    if not worker_online(session, registry, queue):
        raise ApiError(
            ErrorCode.NO_WORKER, "No worker is running for this kind of work. Try again later.", retry_after=5
        )


def _ring(registry: Registry, queue: Queue, job_id: uuid.UUID) -> None:
    ring(registry, queue, [Ring(job_id, 0)])
