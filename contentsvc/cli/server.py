"""The web server: gunicorn with threads, set up from ``[server:main]``.

Every worker process builds the application itself, after the fork: connections are its
own, and a reload (SIGHUP) runs new code. For that the master process must not import the
application; ``contentsvc.cli`` is all it knows.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from contentsvc.cli.ini import CommandError, Ini

DEFAULTS: Final[Mapping[str, int | str]] = {
    "host": "127.0.0.1",
    "port": 6543,
    "workers": 2,
    "threads": 300,
    "timeout": 60,
    "graceful_timeout": 25,
    "keepalive": 30,
    "backlog": 2048,
    "limit_request_line": 8190,
    "limit_request_fields": 100,
    "limit_request_field_size": 8190,
    # The application itself decides which proxies it believes (http.trusted_proxies).
    "forwarded_allow_ips": "",
}
"""Keys of ``[server:main]``. Times are seconds, sizes are bytes."""

STREAMS_SHARE: Final = 0.7
"""Share of a process's threads that streams may hold; the others keep answering everybody else."""

# A server that is shutting down frees its port within this time.
_PORT_PATIENCE_SECONDS: Final = 3.0
_MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - gunicorn makes its heartbeat files there safely


class WebServer(BaseApplication):
    """gunicorn, told by an ini. ``read`` reads it, at the start and at every reload.

    ``supervised``: `contentsvc up` has started it, together with a worker.
    """

    def __init__(self, read: Callable[[], Ini], *, supervised: bool = False) -> None:
        self._read = read
        self._supervised = supervised
        self.ini = read()
        super().__init__()

    def load_config(self) -> None:
        """Take over ``[server:main]``."""
        self.ini = self._read()
        options: dict[str, Any] = dict(server_options(self.ini.server))
        host, port = options.pop("host"), options.pop("port")
        options |= {
            "bind": f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}",
            "worker_class": "gthread",
            "worker_connections": int(options["threads"]) + 700,
            "accesslog": None,
            "loglevel": "warning" if self._supervised else "info",
            "control_socket_disable": True,
            "proc_name": "contentsvc",
            "post_worker_init": _end_streams_on_stop,
        }
        if _MEMORY_FOLDER.is_dir():
            options["worker_tmp_dir"] = str(_MEMORY_FOLDER)
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Build the application, in a worker. Settings that can't be used end the server."""
        try:
            return _application(self.ini, expects_worker=self._supervised, threads=int(self.cfg.threads))
        except CommandError as error:
            print(error, file=sys.stderr, flush=True)
            sys.exit(Arbiter.APP_LOAD_ERROR)

    def run(self) -> None:
        """Serve until told to stop; ends by SystemExit."""
        _ReloadingArbiter(self).run()

    def can_reload(self) -> bool:
        """Whether the ini and the code on disk make an application; tried in a child process."""

        def try_out() -> None:
            ini = self._read()
            options = server_options(ini.server)
            _application(ini, expects_worker=False, threads=int(options["threads"]))

        return _in_child(try_out) == 0


class _ReloadingArbiter(Arbiter):
    """An arbiter that keeps serving the old code when the new one doesn't start."""

    def reload(self) -> None:
        if self.app.can_reload():
            super().reload()
        else:
            self.log.error("Nothing was reloaded: the new settings or code don't start.")


def serve(read: Callable[[], Ini], *, supervised: bool = False) -> int:
    """Run the web server of an ini until it is told to stop; the exit status.

    Raises CommandError where the settings can't be used or the port is taken.
    """
    server = WebServer(read, supervised=supervised)
    options = server_options(server.ini.server)
    if status := _in_child(server.ini.settings):
        return status
    require_free_port(str(options["host"]), int(options["port"]))
    master = os.getpid()
    try:
        server.run()
    except SystemExit as end:
        if os.getpid() != master:
            # A worker process ends by it as well, and its status is the master's business.
            raise
        return 2 if end.code == Arbiter.APP_LOAD_ERROR else int(end.code or 0)
    return 0


def _in_child(function: Callable[[], object]) -> int:
    """Call it in a child process, so that this one imports nothing; the exit status to have."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        function()
        status = 0
    except CommandError as error:
        print(error, file=sys.stderr, flush=True)
        status = error.status
    except Exception:  # noqa: BLE001 - new code may fail with anything
        traceback.print_exc()
    finally:
        os._exit(status)


def _application(ini: Ini, *, expects_worker: bool, threads: int) -> Any:
    from contentsvc.cli.database import running_database
    from contentsvc.http.streaming import streams_of
    from contentsvc.jobs.state import jobs_of

    config = running_database(ini).configure()
    jobs_of(config.registry).expects_worker = expects_worker
    streams_of(config.registry).limit = max(1, int(threads * STREAMS_SHARE))
    return config.make_wsgi_app()


def _end_streams_on_stop(worker: Any) -> None:
    """gunicorn's hook in a worker that is about to serve: a SIGTERM reaches the open streams too.

    Without it they would be cut off, unsettled, at the end of the graceful time-out.
    """
    from contentsvc.http.streaming import streams_of

    streams = streams_of(worker.wsgi.registry)
    stop = signal.getsignal(signal.SIGTERM)

    def drain(number: int, frame: FrameType | None) -> None:
        streams.draining = True
        if callable(stop):
            stop(number, frame)

    signal.signal(signal.SIGTERM, drain)


def server_options(section: Mapping[str, str]) -> dict[str, int | str]:
    """``[server:main]`` with its defaults, typed. Raises CommandError with every fault."""
    faults = [f"{key}: unknown" for key in sorted(set(section) - set(DEFAULTS) - {"use"})]
    options = dict(DEFAULTS)
    for key, value in section.items():
        if isinstance(DEFAULTS.get(key), int):
            if value.isdecimal():
                options[key] = int(value)
            else:
                faults.append(f"{key}: a whole number is needed")
        elif key in DEFAULTS:
            options[key] = value
    if not faults and not 0 < int(options["port"]) < 65536:
        faults.append("port: a number from 1 to 65535 is needed")
    if faults:
        raise CommandError("[server:main] can't be used:\n" + "\n".join(f"  - {line}" for line in faults))
    return options


def require_free_port(host: str, port: int) -> None:
    """Raise CommandError when something else keeps listening there."""
    deadline = time.monotonic() + _PORT_PATIENCE_SECONDS
    while True:
        try:
            family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                return
        except OSError as error:
            if time.monotonic() > deadline:
                raise CommandError(
                    f"Port {port} on {host} can't be used: {error.strerror}. "
                    f"Stop what listens there, or take another one with port={port + 1}.",
                    status=1,
                ) from None
        time.sleep(0.1)
