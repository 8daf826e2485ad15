"""The worker process: consumers that answer rings, and the loops that keep the queue alive."""

from __future__ import annotations

import logging
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog
from huey.consumer import Consumer
from pyramid.registry import Registry

from contentsvc.jobs.beats import beat_once, say_goodbye
from contentsvc.jobs.claims import drop_lease
from contentsvc.jobs.doorbell import Ring, doorbell_of, ring
from contentsvc.jobs.models import Queue
from contentsvc.jobs.recurring import run_recurring
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.scan import ring_due
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings

log = structlog.get_logger(__name__)

# While the doorbell is out of order, consumers look again after at most this long.
LONGEST_DOORBELL_PAUSE: Final = 2.0
# huey's own scheduler has nothing to do here; once a minute is the least it can be told.
SCHEDULER_SECONDS: Final = 60
# How often the main thread looks whether the last run has ended while it drains.
DRAIN_LOOK_SECONDS: Final = 0.05


class QueueConsumer(Consumer):
    """huey's consumer for one queue, off the main thread: signals are the process's business."""

    def _set_signal_handlers(self) -> None:
        """Leave the handlers alone."""


class Worker:
    """One worker process that serves some queues. Make it and run it in the main thread."""

    def __init__(self, registry: Registry, queues: Sequence[Queue]) -> None:
        self._registry = registry
        self._queues = list(queues)
        self._settings: Settings = registry["contentsvc.settings"]
        self._jobs = jobs_of(registry)
        self._stopping = threading.Event()
        # The one queue that a signal handler may safely write to.
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._consumers: list[Consumer] = []

    def run(self) -> int:
        """Work until SIGTERM or SIGINT, drain, and return the exit status.

        Where threads have to be left behind, the process ends in here instead.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _frame: self._signals.put(number))
        self._start()
        log.info("worker_started", queues=[served.value for served in self._queues], pid=os.getpid())
        self._signals.get()
        self._stopping.set()
        self._drain()
        return 0

    def _start(self) -> None:
        for served in self._queues:
            consumer = QueueConsumer(
                doorbell_of(self._registry, served).huey,
                workers=self._settings.workers.threads(served.value),
                periodic=False,
                max_delay=LONGEST_DOORBELL_PAUSE,
                scheduler_interval=SCHEDULER_SECONDS,
            )
            self._consumers.append(consumer)
            threading.Thread(target=consumer.run, name=f"consumer-{served.value}", daemon=True).start()
        jobs = self._settings.jobs
        self._repeat("beat", jobs.beat_seconds, lambda: beat_once(self._registry, self._queues))
        self._repeat("scan", jobs.scan_seconds, lambda: ring_due(self._registry))
        self._repeat("recurring", jobs.scan_seconds, lambda: run_recurring(self._registry))

    def _repeat(self, name: str, seconds: float, function: Callable[[], object]) -> None:
        def loop() -> None:
            while not self._stopping.is_set():
                try:
                    function()
                except Exception as error:  # noqa: BLE001 - whatever it was, the next round may do better
                    log.warning("worker_loop_failed", loop=name, error=repr(error))
                self._stopping.wait(seconds)

        threading.Thread(target=loop, name=name, daemon=True).start()

    def _drain(self) -> None:
        """Take nothing new, let running work finish, hand the rest over."""
        log.info("worker_draining", running=len(self._jobs.held))
        self._jobs.draining.set()
        for consumer in self._consumers:
            consumer.stop_flag.set()
        self._quietly(lambda: say_goodbye(self._registry))
        deadline = time.monotonic() + self._settings.workers.drain_seconds
        while self._busy() and self._signals.empty() and time.monotonic() < deadline:
            time.sleep(DRAIN_LOOK_SECONDS)
        with self._jobs.lock:
            unfinished = list(self._jobs.held)
        for run in unfinished:
            self._hand_over(run)
        log.info("worker_stopped", handed_over=len(unfinished))
        if self._busy():
            # Threads in the middle of something must not get to the interpreter's tear-down.
            logging.shutdown()
            os._exit(0)

    def _busy(self) -> bool:
        threads = [thread for consumer in self._consumers for _, thread in consumer.worker_threads]
        return bool(self._jobs.held) or any(thread.is_alive() for thread in threads)

    def _hand_over(self, run: JobRun) -> None:
        run.lost.set()
        served, _ = self._jobs.runners[run.kind]
        if self._quietly(lambda: drop_lease(run, 0)):
            ring(self._registry, served, [Ring(run.job_id, run.fence)])

    def _quietly(self, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - leases and beats run out by themselves
            log.warning("drain_step_failed", error=repr(error))
            return None
