"""Recurring work: whoever inserts the row of a round does the round."""

from __future__ import annotations

from datetime import datetime

import structlog
from pyramid.registry import Registry
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.models import RecurringRun
from contentsvc.jobs.state import Recurring, jobs_of

log = structlog.get_logger(__name__)

_ROUND = text("SELECT to_timestamp(floor(extract(epoch FROM statement_timestamp()) / :seconds) * :seconds)")


def run_recurring(registry: Registry) -> int:
    """Do the rounds that are due and that no other process does; how many that were.

    A round begins at every full multiple of the interval, by the database's clock.
    """
    return sum(_run(registry, work) for work in jobs_of(registry).recurring.values())


def _run(registry: Registry, work: Recurring) -> bool:
    if not _is_ours(registry, work):
        return False
    with structlog.contextvars.bound_contextvars(recurring=work.name):
        try:
            work.function(registry)
        except Exception:
            log.exception("recurring_work_raised")
    return True


def _is_ours(registry: Registry, work: Recurring) -> bool:
    jobs = jobs_of(registry)
    with transaction_scope(registry) as session:
        due_at: datetime = session.execute(_ROUND, {"seconds": work.seconds}).scalar_one()
        if jobs.rounds.get(work.name) == due_at:
            return False
        claim = insert(RecurringRun).values(name=work.name, due_at=due_at).on_conflict_do_nothing()
        ours = session.execute(claim.returning(RecurringRun.name)).first() is not None
    jobs.rounds[work.name] = due_at
    return ours
