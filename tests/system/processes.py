"""Handling of real processes in tests."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import psutil

from tests.canary import assert_no_trace, assert_no_trace_in_file, traces_in_titles

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROBE = HERE / "probe"

ResultT = TypeVar("ResultT")


def eventually(
    question: Callable[[], ResultT], *, within: float = 30.0, every: float = 0.05, what: str = ""
) -> ResultT:
    """The first true answer; an AssertionError when there is none in time."""
    deadline = time.monotonic() + within
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {within} s: {what or question}"
        time.sleep(every)


def is_alive(pid: int) -> bool:
    """Whether a process runs; what only waits to be collected doesn't."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def descendants(pid: int) -> list[psutil.Process]:
    """All processes below one."""
    return psutil.Process(pid).children(recursive=True)


@contextlib.contextmanager
def command(*arguments: str, log: Path, modules: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """`contentsvc ...` as a process with the probe plugin; killed with its children at the end.

    ``modules`` is a further folder on the import path.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "contentsvc", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=environment(modules),
            start_new_session=True,
        )
    try:
        yield process
        assert_no_trace("a process's title", traces_in_titles([process.pid]))
    finally:
        left = [process, *_below(process.pid)]
        for one in left:
            with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
                one.kill()
        process.wait()
    assert_no_trace_in_file(log)


def environment(modules: Path | None = None) -> dict[str, str]:
    """This process's, with the probe plugin and ``modules`` on the import path."""
    folders = [modules, PROBE, ROOT, os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder) for folder in folders if folder)}


def _below(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return descendants(pid)
    return []


class Forked:
    """A process that another one has forked, with the names that ``Popen`` has."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """None while it runs; how it has ended isn't known."""
        return None if is_alive(self.pid) else 0

    def terminate(self) -> None:
        """SIGTERM."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float = 10.0) -> int:
        """Return once it is gone."""
        eventually(lambda: not is_alive(self.pid), within=timeout, what=f"process {self.pid} to be gone")
        return 0


class Stable:
    """Worker processes on demand (see ``stable.py``)."""

    def __init__(self, ini: Path, overrides: Sequence[str], log: Path, modules: Path | None = None) -> None:
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, str(HERE / "stable.py"), str(ini), *overrides],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                cwd=ROOT,
                env=environment(modules),
                text=True,
            )
        assert self._answer() == "ready"

    def start_worker(self) -> int:
        """The process id of a new worker."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._answer())

    def close(self) -> None:
        """Kill every worker that is left."""
        for process in [*_below(self._process.pid), self._process]:
            with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
                process.kill()
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Signal a process and, where that kills it, wait until it is gone."""
    os.kill(pid, number)
    if number == signal.SIGKILL:
        eventually(lambda: not is_alive(pid), within=5, what=f"process {pid} to be gone")
