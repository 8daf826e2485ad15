"""What the queue no longer needs is removed, once an hour."""

from __future__ import annotations

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import delete

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Job, JobState, RecurringRun, WorkerBeat

HOUR = 3600
DAY = 24 * HOUR


def sweep(registry: Registry) -> None:
    """Remove finished jobs after a week, rounds of recurring work and dead workers after a day."""
    with transaction_scope(registry) as session:
        session.execute(delete(RecurringRun).where(RecurringRun.due_at < in_seconds(-DAY)))
        session.execute(delete(WorkerBeat).where(WorkerBeat.last_seen_at < in_seconds(-DAY)))
        session.execute(delete(Job).where(Job.state == JobState.DONE, Job.finished_at < in_seconds(-7 * DAY)))


def includeme(config: Configurator) -> None:
    """Register the sweep."""
    config.add_recurring("jobs.sweep", HOUR, sweep)
