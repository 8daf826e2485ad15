"""Renewal of leases: one thread a process, alive while something is held."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from pyramid.registry import Registry

from contentsvc.jobs.claims import renew
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

log = structlog.get_logger(__name__)


@contextmanager
def held(run: JobRun) -> Iterator[None]:
    """Renew the run's lease for the length of the block."""
    jobs = jobs_of(run.registry)
    with jobs.lock:
        jobs.held.add(run)
        if jobs.renewer is None:
            jobs.renewer = threading.Thread(
                target=_renew_while_held, args=(run.registry,), name="leases", daemon=True
            )
            jobs.renewer.start()
    try:
        yield
    finally:
        with jobs.lock:
            jobs.held.discard(run)


def _renew_while_held(registry: Registry) -> None:
    jobs = jobs_of(registry)
    settings: Settings = registry["contentsvc.settings"]
    while True:
        time.sleep(settings.jobs.lease_seconds / 3)
        with jobs.lock:
            runs = list(jobs.held)
            if not runs:
                jobs.renewer = None
                return
        renew_once(registry, runs)


def renew_once(registry: Registry, runs: list[JobRun]) -> None:
    """Renew these leases; a run whose lease is another's, or ran out unrenewed, is told."""
    settings: Settings = registry["contentsvc.settings"]
    asked_at = time.monotonic()
    try:
        ours = renew(registry, runs)
    except Exception as error:  # noqa: BLE001 - the database may be back before the leases run out
        log.warning("renewal_failed", error=repr(error))
        gone = [run for run in runs if asked_at - run.renewed_at > settings.jobs.lease_seconds]
    else:
        for run in ours:
            run.renewed_at = asked_at
        gone = [run for run in runs if run not in ours and not run.let_go]
    for run in gone:
        if not run.lost.is_set():
            log.warning("lease_lost", lost_job=str(run.job_id), kind=run.kind, fence=run.fence)
        run.lost.set()
