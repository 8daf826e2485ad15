"""``contentsvc up INI``: everything, as one process tree."""

from __future__ import annotations

import argparse
import fcntl
import http.client
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import CommandError, Ini, add_ini, read_ini
from contentsvc.cli.supervisor import Child, Supervisor

if TYPE_CHECKING:
    from contentsvc.settings import Settings

LOCK_FILE: Final = "up.lock"
READY_SECONDS: Final = 60.0
READY_LOOK_SECONDS: Final = 0.15
# What a child gets beyond its own drain time before it is killed.
PATIENCE_SECONDS: Final = 5.0

EXAMPLES: Final = """\
Examples:

  contentsvc up development.ini
  contentsvc up development.ini port=8080 var_dir=/tmp/contentsvc
  contentsvc up development.ini workers.generate=8 log.level=debug"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "up",
        help="run everything: database, migrations, web server, worker",
        description="Run everything an ini needs as one process tree: the embedded PostgreSQL (where "
        "database.url says embedded), migrations, the web server, a worker. What dies is started "
        "again; Ctrl-C or SIGTERM stops all of it in order, a second one at once.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    add_ini(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run everything until told to stop."""
    from contentsvc.cli.server import require_free_port, server_options

    ini = read_ini(arguments.ini, arguments.overrides)
    options = server_options(ini.server)
    settings = ini.settings()
    supervisor = Supervisor(children=(), say=_say)
    supervisor.watch_signals()
    with _alone_in(settings.var_dir):
        require_free_port(str(options["host"]), int(options["port"]))
        try:
            with _database(ini) as reachable:
                made = _prepare(reachable)
                if supervisor.told_to_stop():
                    return 0
                supervisor.children = _children(reachable, settings, int(options["graceful_timeout"]))
                return _supervise(supervisor, str(options["host"]), int(options["port"]), made)
        except subprocess.SubprocessError as error:
            if supervisor.told_to_stop():
                # Ctrl-C reaches the programs that make a database, too.
                return 0
            raise CommandError(f"PostgreSQL doesn't start: {error}", status=1) from error


def _supervise(supervisor: Supervisor, host: str, port: int, made: str | None) -> int:
    try:
        supervisor.start()
        status = _wait_until_ready(supervisor, host, port)
        if status is not None:
            return status
        if not supervisor.told_to_stop():
            _say_where(host, port, made)
        return supervisor.run()
    finally:
        supervisor.stop()


def _children(ini: Ini, settings: Settings, graceful_timeout: int) -> tuple[Child, ...]:
    """Web before worker: nothing new comes in while the worker finishes what it has."""
    words = (str(ini.path), *ini.overrides)
    drain = settings.workers.drain_seconds
    return (
        Child("web server", ("serve", *words), graceful_timeout + PATIENCE_SECONDS),
        Child("worker", ("worker", *words), drain + PATIENCE_SECONDS),
    )


@contextmanager
def _alone_in(var_dir: Path) -> Iterator[None]:
    """One supervisor a folder; the lock goes with the process, however that ends."""
    var_dir.mkdir(parents=True, exist_ok=True)
    with (var_dir / LOCK_FILE).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Another `contentsvc up` runs in {var_dir}. Stop it, or take another folder: var_dir=...",
                status=1,
            ) from None
        yield


@contextmanager
def _database(ini: Ini) -> Iterator[Ini]:
    """The ini with a database that answers; an embedded one stops with the block."""
    from contentsvc.cli.database import embedded_server

    server = embedded_server(ini)
    if server is None:
        yield ini
        return
    try:
        with ThreadPoolExecutor(max_workers=1) as beside:
            starting = beside.submit(server.start)
            # The longest imports, while PostgreSQL comes up.
            import contentsvc.bootstrap
            import contentsvc.metadata  # noqa: F401

            url = starting.result()
        yield ini.with_database(url)
    finally:
        server.stop()


def _prepare(ini: Ini) -> str | None:
    from contentsvc.cli.migrate import prepare
    from contentsvc.db.session import engine_of

    registry = ini.configure().registry
    try:
        return prepare(registry)
    finally:
        engine_of(registry).dispose()


def _wait_until_ready(supervisor: Supervisor, host: str, port: int) -> int | None:
    """None once it answers, or a signal came; an exit status where that is hopeless."""
    deadline = time.monotonic() + READY_SECONDS
    while not supervisor.told_to_stop():
        status = supervisor.look_after()
        if status is not None:
            return status
        if _is_ready(host, port):
            return None
        if time.monotonic() > deadline:
            _say("still not ready; see the messages above, and /api/health/ready/")
            deadline = float("inf")
        time.sleep(READY_LOOK_SECONDS)
    return None


def _is_ready(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(_reachable(host), port, timeout=5)
    try:
        connection.request("GET", "/api/health/ready/", headers={"Connection": "close"})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - a name for "every address"


def _say_where(host: str, port: int, made: str | None) -> None:
    shown = _reachable(host)
    base = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
    lines = [f"ready at {base}", f"reference: {base}/api/docs/", f"health: {base}/api/health/ready/"]
    if made:
        lines.append(made)
    lines.append("Ctrl-C stops everything")
    for line in lines:
        _say(line)


def _say(line: str) -> None:
    print(f"contentsvc: {line}", flush=True)
