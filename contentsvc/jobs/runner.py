"""Running jobs: claim, hand to the kind's runner, clean up after it."""

from __future__ import annotations

import uuid

import structlog
from pyramid.registry import Registry
from sqlalchemy import ColumnElement, and_, or_, select, update

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.claims import claim, drop_lease
from contentsvc.jobs.clock import in_seconds, statement_start
from contentsvc.jobs.doorbell import Ring, ring
from contentsvc.jobs.leases import held
from contentsvc.jobs.models import Job, JobState, Queue
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

# During a deployment an old worker may get a ring for a kind that only new ones know.
UNKNOWN_KIND_SECONDS = 5.0

log = structlog.get_logger(__name__)


def is_free() -> ColumnElement[bool]:
    """Open, and held by nobody."""
    return and_(
        Job.state == JobState.OPEN, or_(Job.lease_until.is_(None), Job.lease_until < statement_start())
    )


def is_due() -> ColumnElement[bool]:
    """Open, held by nobody, and its time has come."""
    return and_(is_free(), Job.ring_at <= statement_start())


def run_job(registry: Registry, job_id: uuid.UUID, fence: int) -> bool:
    """Answer a ring: run the job unless it is held, over, or rung for an earlier state.

    Whether a runner ran. Never raises for what a runner does.
    """
    run = None if jobs_of(registry).draining.is_set() else claim(registry, job_id, fence)
    if run is None:
        _pass_on(registry, job_id, fence)
        return False
    with held(run):
        _run(run)
    return True


def run_due(registry: Registry, limit: int = 1000) -> int:
    """Run what is due in the caller's thread until nothing is; how many runs that took.

    For tests and tools: no doorbell, no worker process.
    """
    count = 0
    for _ in range(limit):
        with transaction_scope(registry) as session:
            due = select(Job.id, Job.fence).where(is_due()).order_by(Job.ring_at, Job.id).limit(1)
            found = session.execute(due).one_or_none()
        if found is None:
            break
        count += run_job(registry, found.id, found.fence)
    return count


def _pass_on(registry: Registry, job_id: uuid.UUID, fence: int) -> None:
    """See that somebody else hears of a job that this process doesn't run."""
    jobs = jobs_of(registry)
    with transaction_scope(registry) as session:
        found = session.execute(select(Job.kind, Job.queue).where(Job.id == job_id)).one_or_none()
    if found is None:
        return
    if jobs.draining.is_set():
        ring(registry, Queue(found.queue), [Ring(job_id, fence)])
    elif found.kind not in jobs.runners:
        log.warning("unknown_job_kind", job_id=str(job_id), kind=found.kind)
        _ring_later(registry, job_id, fence)


def _run(run: JobRun) -> None:
    _, runner = jobs_of(run.registry).runners[run.kind]
    facts = {"job_id": str(run.job_id), "job_kind": run.kind, "attempt": run.attempt}
    with structlog.contextvars.bound_contextvars(**facts):
        try:
            runner(run)
        except Exception:
            log.exception("job_raised")
        else:
            if run.let_go:
                return
        if drop_lease(run, _pause(run)):
            log.warning("job_left_open")


def _pause(run: JobRun) -> float:
    settings: Settings = run.registry["contentsvc.settings"]
    first, longest = settings.generation.retry_seconds, settings.generation.retry_max_seconds
    return min(first * 2.0 ** min(run.attempt - 1, 30), longest)


def _ring_later(registry: Registry, job_id: uuid.UUID, fence: int) -> None:
    statement = (
        update(Job)
        .where(Job.id == job_id, Job.fence == fence, is_free())
        .values(ring_at=in_seconds(UNKNOWN_KIND_SECONDS))
    )
    with transaction_scope(registry) as session:
        session.execute(statement, execution_options={"synchronize_session": False})
