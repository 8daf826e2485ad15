"""The durable queue: job rows with leases and fences; huey only rings.

PostgreSQL remembers what has to be done; a ring that gets lost costs a moment, never
the work. Domains register what runs a kind of job with ``config.add_job_runner`` and
work that comes back with ``config.add_recurring``.
"""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.http.idempotency import forget_expired
from contentsvc.jobs import housekeeping, metrics, readiness
from contentsvc.jobs.models import Queue
from contentsvc.jobs.runner import run_job
from contentsvc.jobs.state import JOBS, Jobs, Recurring, RecurringFunction, Runner, jobs_of


def add_job_runner(config: Configurator, kind: str, queue: Queue, runner: Runner) -> None:
    """``config.add_job_runner(kind, queue, runner)``: who runs jobs of a kind, on which queue.

    The runner takes a :class:`~contentsvc.jobs.run.JobRun`. It may run twice for the
    same subject, never at the same time with a valid fence; what it writes belongs into
    the transaction of ``run.finish(session)`` or ``run.again(session, seconds)``. An
    exception drops the lease, and the job is tried again after a growing pause.
    """
    jobs_of(config.registry).add_runner(kind, queue, runner)


def add_recurring(config: Configurator, name: str, seconds: int, function: RecurringFunction) -> None:
    """``config.add_recurring(name, seconds, function)``: work that comes back every ``seconds``.

    ``function(registry)`` runs in one worker process a round, however many there are. A
    round that a dying process began is not made up for: the next one has to catch up.
    """
    jobs_of(config.registry).add_recurring(Recurring(name, seconds, function))


def includeme(config: Configurator) -> None:
    """The directives, the process's job state, the queue's own housekeeping, readiness, figures."""
    config.registry[JOBS] = Jobs(answer=run_job)
    config.add_directive("add_job_runner", add_job_runner)
    config.add_directive("add_recurring", add_recurring)
    config.add_recurring("forget_expired", 3600, forget_expired)
    config.add_metrics("jobs", metrics.read)
    config.include(housekeeping)
    config.include(readiness)
