"""What a process knows about jobs: runners, recurring work, doorbells, the leases it holds."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias, cast

from pyramid.registry import Registry

from contentsvc.jobs.bell import Doorbell
from contentsvc.jobs.models import Queue
from contentsvc.jobs.run import JobRun

JOBS: Final = "contentsvc.jobs"

Runner: TypeAlias = Callable[[JobRun], None]
RecurringFunction: TypeAlias = Callable[[Registry], None]
Answer: TypeAlias = Callable[[Registry, uuid.UUID, int], object]


@dataclass(frozen=True, slots=True)
class Recurring:
    """Work that comes back every ``seconds``."""

    name: str
    seconds: int
    function: RecurringFunction


@dataclass(slots=True)
class Jobs:
    """One process's side of the queue; lives on the registry.

    ``answer(registry, job_id, fence)`` is what a ring leads to. ``rounds`` are the newest
    rounds of recurring work this process has seen. ``worker_id`` names the
    process in leases and beats. ``doorbells`` are made at first use. ``held`` are the runs
    whose leases this process renews. While ``draining`` is set, no new work is taken.
    ``expects_worker`` is set in a web server that was started together with a worker: it
    counts as ready only while one is online.
    """

    answer: Answer
    worker_id: uuid.UUID = field(default_factory=uuid.uuid4)
    runners: dict[str, tuple[Queue, Runner]] = field(default_factory=dict)
    recurring: dict[str, Recurring] = field(default_factory=dict)
    rounds: dict[str, datetime] = field(default_factory=dict)
    doorbells: dict[Queue, Doorbell] = field(default_factory=dict)
    silent_until: float = 0.0
    expects_worker: bool = False
    held: set[JobRun] = field(default_factory=set)
    renewer: threading.Thread | None = None
    draining: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_runner(self, kind: str, queue: Queue, runner: Runner) -> None:
        """Raises ValueError for a kind that has a runner already."""
        if kind in self.runners:
            raise ValueError(f"two runners for jobs of kind {kind!r}")
        self.runners[kind] = (Queue(queue), runner)

    def add_recurring(self, work: Recurring) -> None:
        """Raises ValueError for a name that is taken, or seconds below one."""
        if work.name in self.recurring or work.seconds < 1:
            raise ValueError(f"recurring work {work.name!r} is registered twice, or has no interval")
        self.recurring[work.name] = work


def jobs_of(registry: Registry) -> Jobs:
    """This process's job state."""
    return cast("Jobs", registry[JOBS])
