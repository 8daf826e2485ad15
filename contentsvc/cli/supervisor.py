"""Child processes that are kept running, and stopped in order."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from contentsvc.cli.lifeline import SUPERVISOR

# Pauses before a child that died is started again; the last one repeats.
PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
# Who lived that long was well: the next pause is the first again.
WELL_AFTER_SECONDS: Final = 60.0
# An exit status that another start can't change: settings, or a port that is taken.
HOPELESS: Final = frozenset({1, 2})
STEP_SECONDS: Final = 0.05
STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Child:
    """A subcommand that runs in a process group of its own.

    ``patience`` is how many seconds it may take to stop before it is killed.
    """

    name: str
    arguments: Sequence[str]
    patience: float
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_again_at: float | None = None
    failures: int = 0

    def start(self) -> None:
        """Start it; it gets a group of its own so that Ctrl-C reaches only the supervisor."""
        self.start_again_at = None
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "contentsvc", *self.arguments],
            env={**os.environ, SUPERVISOR: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            process_group=0,
        )

    def signal(self, number: int) -> None:
        """Signal the process itself."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill_group(self) -> None:
        """Kill what is left of it: the process, and what it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def next_pause(self) -> float:
        """Seconds to wait before it is started again."""
        if time.monotonic() - self.started_at > WELL_AFTER_SECONDS:
            self.failures = 0
        pause = PAUSES[min(self.failures, len(PAUSES) - 1)]
        self.failures += 1
        return pause


@dataclass
class Supervisor:
    """Keeps children running until a signal comes; stops them in the order given."""

    children: Sequence[Child]
    say: Callable[[str], None]
    # The one queue that a signal handler may safely write to.
    signals: queue.SimpleQueue[int] = field(default_factory=queue.SimpleQueue)

    def watch_signals(self) -> None:
        """From here on Ctrl-C, SIGTERM and SIGHUP mean: stop."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_signal)

    def told_to_stop(self) -> bool:
        """Whether a signal has come and was not taken by :meth:`stop` yet."""
        return not self.signals.empty()

    def start(self) -> None:
        """Start all children."""
        for child in self.children:
            child.start()

    def look_after(self) -> int | None:
        """Start again who has died; the exit status of a child for which that is hopeless."""
        for child in self.children:
            if child.start_again_at is not None:
                if time.monotonic() >= child.start_again_at:
                    child.start()
                continue
            status = child.process.poll() if child.process else None
            if status is None:
                continue
            child.kill_group()
            if status in HOPELESS and child.failures == 0 and not self._was_well(child):
                return status
            pause = child.next_pause()
            child.start_again_at = time.monotonic() + pause
            self.say(f"{child.name} ended with status {status}; starting it again in {pause:g} s")
        return None

    def run(self) -> int:
        """Look after the children until told to stop; the exit status."""
        while not self.told_to_stop():
            status = self.look_after()
            if status is not None:
                return status
            time.sleep(STEP_SECONDS)
        return 0

    def stop(self) -> None:
        """Stop one child after the other; a further signal kills what is left at once."""
        while not self.signals.empty():
            self.signals.get()
        for child in self.children:
            child.signal(signal.SIGTERM)
            deadline = time.monotonic() + child.patience
            while child.process is not None and child.process.poll() is None:
                if self.told_to_stop() or time.monotonic() > deadline:
                    self.say(f"{child.name} is killed")
                    break
                time.sleep(STEP_SECONDS)
            child.kill_group()

    def _was_well(self, child: Child) -> bool:
        return time.monotonic() - child.started_at > WELL_AFTER_SECONDS

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.signals.put(number)
