"""One claim of a job: what a runner gets, and how it lets the job go."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field

from pyramid.registry import Registry
from sqlalchemy import ColumnElement, and_, select, tuple_, update
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.models import JOB_TABLE, Job, JobState

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
        statement = update(JOB_TABLE).where(self._mine()).values(values).returning(JOB_TABLE.c.id)
        self.let_go = session.scalar(statement) is not None
        return self.let_go


def lock_all(session: Session, runs: Collection[JobRun]) -> None:
    """Lock the rows of many runs' jobs for the caller's transaction.

    In one order everywhere: two statements that lock the same rows as they find them could
    wait for each other.
    """
    jobs = select(Job.id).where(Job.id.in_([run.job_id for run in runs]))
    session.execute(jobs.order_by(Job.id).with_for_update())


def finish_all(session: Session, runs: Collection[JobRun]) -> list[JobRun]:
    """Close the jobs of these runs in the caller's transaction; those that were still theirs."""
    lock_all(session, runs)
    statement = (
        update(Job)
        .where(tuple_(Job.id, Job.fence).in_([(run.job_id, run.fence) for run in runs]))
        .where(Job.state == JobState.OPEN)
        .values(state=JobState.DONE.value, lease_until=None, held_by=None, finished_at=now())
        .returning(Job.id)
    )
    closed = set(session.scalars(statement, execution_options=_NO_SYNC))
    finished = [run for run in runs if run.job_id in closed]
    for run in finished:
        run.let_go = True
    return finished
