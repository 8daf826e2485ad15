"""Claims: whoever raises the fence holds the job, as long as the lease is renewed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection

from pyramid.registry import Registry
from sqlalchemy import Float, bindparam, or_, tuple_, update

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import SECOND, in_seconds, now
from contentsvc.jobs.models import JOB_TABLE, Job, JobState
from contentsvc.jobs.run import JobRun, lock_all
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

_NO_SYNC = {"synchronize_session": False}
_LEASE_END = now() + bindparam("lease", type_=Float(53)) * SECOND
_CLAIM = (
    update(JOB_TABLE)
    .where(
        JOB_TABLE.c.id == bindparam("job_id"),
        JOB_TABLE.c.fence == bindparam("known_fence"),
        JOB_TABLE.c.state == JobState.OPEN,
        or_(JOB_TABLE.c.lease_until.is_(None), JOB_TABLE.c.lease_until < now()),
        JOB_TABLE.c.kind.in_(bindparam("kinds", expanding=True)),
    )
    .values(
        fence=JOB_TABLE.c.fence + 1,
        attempt=JOB_TABLE.c.attempt + 1,
        lease_until=_LEASE_END,
        ring_at=_LEASE_END,
        held_by=bindparam("worker"),
    )
    .returning(JOB_TABLE.c.subject_id, JOB_TABLE.c.kind, JOB_TABLE.c.attempt, JOB_TABLE.c.fence)
)


def claim(registry: Registry, job_id: uuid.UUID, fence: int) -> JobRun | None:
    """Take an open job that nobody holds and whose fence is still ``fence``.

    None: somebody has it, it is over, the ring was for an earlier claim, or no runner of
    this process is for its kind.
    """
    jobs = jobs_of(registry)
    known = {
        "job_id": job_id,
        "known_fence": fence,
        "kinds": list(jobs.runners),
        "lease": _lease_seconds(registry),
        "worker": jobs.worker_id,
    }
    asked_at = time.monotonic()
    with transaction_scope(registry) as session:
        row = session.execute(_CLAIM, known).one_or_none()
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
        lock_all(session, runs)
        renewed = {(row.id, row.fence) for row in session.execute(statement, execution_options=_NO_SYNC)}
    return {run for run in runs if (run.job_id, run.fence) in renewed}


def _lease_seconds(registry: Registry) -> float:
    settings: Settings = registry["contentsvc.settings"]
    return settings.jobs.lease_seconds
