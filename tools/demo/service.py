"""A service of one's own for as long as the demo takes."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

START_SECONDS = 60.0
STOP_SECONDS = 40.0


@dataclass(frozen=True)
class RunningService:
    """Where it listens, how its administrator signs in, where it keeps its things."""

    base_url: str
    admin_password: str
    var_dir: Path
    process_id: int


@contextmanager
def own_service(ini: Path, *overrides: str, folder: Path | None = None) -> Iterator[RunningService]:
    """Start ``contentsvc up`` on a free port with a throw-away folder; stop it afterwards.

    ``overrides`` are KEY=VALUE words. A ``folder`` that is given is kept, so that the next
    start finds what this one has left. Raises RuntimeError with the service's last output
    when it doesn't come up.
    """
    password = secrets.token_urlsafe(12)
    port = _free_port()
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="contentsvc-demo-")))
        log_file = folder / "service.log"
        var_dir = folder / "var"
        with log_file.open("wb") as output:
            process = subprocess.Popen(
                [
                    str(Path(sys.executable).with_name("contentsvc")),
                    *("up", str(ini), f"port={port}", f"var_dir={var_dir}", *overrides),
                ],
                env={**os.environ, "CONTENTSVC_ADMIN_PASSWORD": password},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_until_ready(url, process, log_file)
                yield RunningService(url, password, var_dir, process.pid)
            finally:
                _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log_file: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/api/health/ready/", timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError("The service did not start:\n" + log_file.read_text(errors="replace")[-4000:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
