"""Claims: whoever raises the fence holds the job, as long as the lease is renewed."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field

from pyramid.registry import Registry
from sqlalchemy import ColumnElement, and_, or_, select, tuple_, update
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.models import Job, JobState
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

_NO_SYNC = {"synchronize_session": False}


@dataclass(eq=False, slots=True)
class JobRun:
    """One claim of a job: what a runner gets.

    ``attempt`` counts claims from 1. ``lost`` is set when the lease could not be renewed:
    the job may be somebody else's by now, and the runner should stop. ``let_go`` is set
    when the run has given the job up itself, by ``finish`` or ``again``.
    """

    registry: Registry
    job_id: uuid.UUID
    subject_id: uuid.UUID
    kind: str
    attempt: int
    fence: int
    lost: threading.Event = field(default_factory=threading.Event)
    let_go: bool = False
    renewed_at: float = field(default_factory=time.monotonic)

    def still_held(self) -> bool:
        """Whether no other process has taken or settled the job, asked from the database."""
        with transaction_scope(self.registry) as session:
            return session.scalar(select(Job.id).where(self._mine())) is not None

    def hold(self, session: Session) -> bool:
        """Lock the job's row for the caller's transaction; False: fenced out, write nothing."""
        return session.scalar(select(Job.id).where(self._mine()).with_for_update()) is not None

    def finish(self, session: Session) -> bool:
        """Close the job in the caller's transaction; False: fenced out, roll back."""
        values: dict[str, object] = {
            "state": JobState.DONE.value,
            "lease_until": None,
            "held_by": None,
            "finished_at": now(),
        }
        return self._write(session, values)

    def again(self, session: Session, seconds: float, *, progress: bool = False) -> bool:
        """Keep the job open and have it rung after ``seconds``; False: fenced out, roll back.

        ``progress`` says that this was a step forward (a poll that found the work running):
        attempts count from 1 again.
        """
        values: dict[str, object] = {"lease_until": None, "held_by": None, "ring_at": in_seconds(seconds)}
        if progress:
            values["attempt"] = 0
        return self._write(session, values)

    def _mine(self) -> ColumnElement[bool]:
        return and_(Job.id == self.job_id, Job.fence == self.fence, Job.state == JobState.OPEN)

    def _write(self, session: Session, values: dict[str, object]) -> bool:
        statement = update(Job).where(self._mine()).values(values).returning(Job.id)
        self.let_go = session.scalar(statement, execution_options=_NO_SYNC) is not None
        return self.let_go


def claim(registry: Registry, job_id: uuid.UUID, fence: int) -> JobRun | None:
    """Take an open job that nobody holds and whose fence is still ``fence``.

    None: somebody has it, it is over, or the ring was for an earlier claim.
    """
    jobs = jobs_of(registry)
    lease = _lease_seconds(registry)
    free = or_(Job.lease_until.is_(None), Job.lease_until < now())
    statement = (
        update(Job)
        .where(Job.id == job_id, Job.fence == fence, Job.state == JobState.OPEN, free)
        .values(
            fence=Job.fence + 1,
            attempt=Job.attempt + 1,
            lease_until=in_seconds(lease),
            ring_at=in_seconds(lease),
            held_by=jobs.worker_id,
        )
        .returning(Job.subject_id, Job.kind, Job.attempt, Job.fence)
    )
    asked_at = time.monotonic()
    with transaction_scope(registry) as session:
        row = session.execute(statement, execution_options=_NO_SYNC).one_or_none()
    if row is None:
        return None
    return JobRun(registry, job_id, row.subject_id, row.kind, row.attempt, row.fence, renewed_at=asked_at)


def drop_lease(run: JobRun, seconds: float) -> bool:
    """Drop a lease that the runner left behind, and ring after ``seconds``.

    False where there is nothing to drop: the run finished, asked for another, or lost the job.
    """
    statement = (
        update(Job)
        .where(Job.id == run.job_id, Job.fence == run.fence, Job.state == JobState.OPEN)
        .where(Job.lease_until.is_not(None))
        .values(lease_until=None, held_by=None, ring_at=in_seconds(seconds))
        .returning(Job.id)
    )
    with transaction_scope(run.registry) as session:
        return session.scalar(statement, execution_options=_NO_SYNC) is not None


def renew(registry: Registry, runs: Collection[JobRun]) -> set[JobRun]:
    """Extend the leases of these runs; those that are still ours."""
    lease = _lease_seconds(registry)
    statement = (
        update(Job)
        .where(tuple_(Job.id, Job.fence).in_([(run.job_id, run.fence) for run in runs]))
        .where(Job.state == JobState.OPEN, Job.lease_until.is_not(None))
        .values(lease_until=in_seconds(lease), ring_at=in_seconds(lease))
        .returning(Job.id, Job.fence)
    )
    with transaction_scope(registry) as session:
        renewed = {(row.id, row.fence) for row in session.execute(statement, execution_options=_NO_SYNC)}
    return {run for run in runs if (run.job_id, run.fence) in renewed}


def _lease_seconds(registry: Registry) -> float:
    settings: Settings = registry["contentsvc.settings"]
    return settings.jobs.lease_seconds
