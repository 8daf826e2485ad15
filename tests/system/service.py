"""A service that `contentsvc up` runs, seen from outside."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.system.processes import ROOT, command, descendants, eventually, is_alive

READY_SECONDS = 90.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def service_arguments(var_dir: Path, port: int) -> list[str]:
    """What development.ini is started with: a folder of its own, little patience, cheap passwords."""
    return [
        str(ROOT / "development.ini"),
        f"var_dir={var_dir}",
        f"port={port}",
        "jobs.beat_seconds=0.3",
        "jobs.online_seconds=2",
        "workers.drain_seconds=0.5",
        "auth.argon2_memory_kib=8",
        "auth.argon2_time_cost=1",
    ]


class Service:
    """`contentsvc up` on a folder; may be started again after it has ended."""

    process: subprocess.Popen[bytes]

    def __init__(self, folder: Path) -> None:
        self.var_dir = folder / "var"
        self.port = free_port()
        self.log = folder / "log"

    @contextmanager
    def running(self) -> Iterator[Service]:
        """Start it; whatever is left of it at the end is killed, PostgreSQL too."""
        with command("up", *service_arguments(self.var_dir, self.port), log=self.log) as self.process:
            try:
                yield self
            finally:
                self._kill_postgres()

    def output(self) -> str:
        """All it has printed."""
        return self.log.read_text(encoding="utf-8")

    def get(self, path: str) -> Any:
        """The JSON of a reply, whatever its status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def wait_until_ready(self) -> None:
        """Return once it says so."""
        eventually(
            self._is_ready, within=READY_SECONDS, every=0.1, what=f"the service to be ready\n{self.output()}"
        )

    def children(self, subcommand: str) -> list[psutil.Process]:
        """The direct children that run a subcommand: one, or none while it is started again."""
        children = psutil.Process(self.process.pid).children()
        return [process for process in children if subcommand in process.cmdline()]

    def child(self, subcommand: str) -> psutil.Process:
        """The direct child that runs a subcommand."""
        (found,) = self.children(subcommand)
        return found

    def tree(self) -> list[int]:
        """Ids of everything that belongs to it: itself, what is below, PostgreSQL."""
        ids = [self.process.pid, *(process.pid for process in descendants(self.process.pid))]
        postgres = self.postgres_pid()
        return ids if postgres is None else [*ids, postgres]

    def press_ctrl_c(self) -> None:
        """What a terminal does: interrupt the process and what shares its group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def postgres_pid(self) -> int | None:
        """Id of its PostgreSQL; None while there is none."""
        path = self.var_dir / "postgres" / "postmaster.pid"
        try:
            number = int(path.read_text(encoding="utf-8").split("\n", 1)[0])
        except FileNotFoundError:
            return None
        # While the database is being made, a one-off process leaves its negated number there.
        return number if number > 0 else None

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self.output()
        try:
            return bool(self.get("/api/health/ready/")["status"] == "ready")
        except (OSError, http.client.HTTPException, ValueError):
            return False

    def _kill_postgres(self) -> None:
        pid = self.postgres_pid()
        if pid is None or not is_alive(pid):
            return
        postgres = psutil.Process(pid)
        for process in [postgres, *postgres.children()]:
            process.kill()
        eventually(lambda: not is_alive(pid), within=10)
