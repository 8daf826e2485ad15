"""`contentsvc serve`: it drains, takes new code, and survives the death of its parts."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.processes import command, descendants, eventually, is_alive, kill
from tests.system.service import free_port


@dataclass
class Server:
    """A web server of two processes, whose code is in ``modules``."""

    process: subprocess.Popen[bytes]
    port: int
    modules: Path
    log: Path

    def get(self, path: str = "/probe/version", **query: Any) -> httpx.Response:
        """One request on a connection of its own."""
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", params=query, timeout=20)

    def version(self) -> str:
        """The version of the code that answers."""
        return str(self.get().json()["version"])

    def write_code(self, source: str) -> None:
        """What the next reload finds."""
        (self.modules / "probe_version.py").write_text(source, encoding="utf-8")

    def parts(self) -> set[int]:
        """Ids of the processes that answer."""
        return {process.pid for process in descendants(self.process.pid)}

    def answers(self) -> bool:
        """Whether anybody listens and answers."""
        try:
            return self.get("/api/health/").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False


@dataclass
class Poller:
    """Asks all the time, and counts what fails."""

    server: Server
    stop: threading.Event = field(default_factory=threading.Event)
    answered: int = 0
    failed: list[str] = field(default_factory=list)

    def __call__(self) -> None:
        while not self.stop.wait(0.01):
            try:
                reply = self.server.get()
            except httpx.TransportError as error:
                self.failed.append(repr(error))
                continue
            self.answered += 1
            if reply.status_code != httpx.codes.OK:
                self.failed.append(reply.text)


@contextmanager
def served(url: str, app_settings: dict[str, Any], folder: Path) -> Iterator[Server]:
    """A web server that answers."""
    settings = {**app_settings, "database.url": url, "log.level": "warning"}
    lines = [f"{key} = {value.replace('%', '%%')}" for key, value in settings.items()]
    port = free_port()
    ini = folder / "server.ini"
    ini.write_text(
        "[app:main]\n" + "\n".join(lines) + f"\n[server:main]\nport = {port}\nworkers = 2\nthreads = 8\n",
        encoding="utf-8",
    )
    modules = folder / "modules"
    modules.mkdir()
    log = folder / "log"
    (modules / "probe_version.py").write_text('VERSION = "first"\n', encoding="utf-8")
    with command("serve", str(ini), log=log, modules=modules) as process:
        server = Server(process, port, modules, log)
        eventually(server.answers, within=60, what="the web server to answer")
        yield server


@pytest.fixture
def server(database_url: str, app_settings: dict[str, Any], tmp_path: Path) -> Iterator[Server]:
    """One for a test that ends it."""
    with served(database_url, app_settings, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def lasting(
    make_database: Callable[[], str], app_settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """One for all the tests that it survives."""
    with served(make_database(), app_settings, tmp_path_factory.mktemp("serve")) as made:
        yield made


def test_told_to_stop_it_finishes_the_request_it_is_at(server: Server, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(server.get, seconds=1.5, begun=str(begun))
        eventually(begun.exists, what="the request to be running")
        server.process.send_signal(signal.SIGTERM)
        assert running.result().json()["version"] == "first"
    assert server.process.wait(20) == 0


def test_a_reload_takes_new_code_and_drops_no_request(lasting: Server) -> None:
    poller = Poller(lasting)
    with ThreadPoolExecutor(1) as pool:
        polling = pool.submit(poller)
        lasting.write_code('VERSION = "the second"\n')
        lasting.process.send_signal(signal.SIGHUP)
        eventually(
            lambda: {lasting.version() for _ in range(10)} == {"the second"}, what="the new code to answer"
        )
        poller.stop.set()
        polling.result()
    assert poller.failed == []
    assert poller.answered > 0


def test_a_killed_process_of_two_is_replaced(lasting: Server) -> None:
    eventually(lambda: len(lasting.parts()) == 2, what="no process of an earlier reload is left")
    before = lasting.version()
    victim = int(lasting.get().json()["pid"])
    kill(victim)
    eventually(lambda: len(lasting.parts() - {victim}) == 2, what="the next process")
    assert lasting.version() == before


def test_an_overlong_header_is_refused(lasting: Server) -> None:
    reply = httpx.get(
        f"http://127.0.0.1:{lasting.port}/api/health/", headers={"X-Long": "x" * 10_000}, timeout=20
    )
    assert 400 <= reply.status_code < 500


def test_a_reload_that_could_not_start_changes_nothing(lasting: Server) -> None:
    ini = lasting.log.parent / "server.ini"
    good, before = ini.read_text(encoding="utf-8"), lasting.version()
    ini.write_text("[app:main]\nauth.token_dais = 1\n", encoding="utf-8")
    try:
        lasting.process.send_signal(signal.SIGHUP)
        eventually(lambda: "Nothing was reloaded" in lasting.log.read_text(encoding="utf-8"))
        assert lasting.version() == before
        assert "auth.token_dais: unknown setting" in lasting.log.read_text(encoding="utf-8")
    finally:
        ini.write_text(good, encoding="utf-8")


def test_without_its_master_it_ends(server: Server) -> None:
    parts = server.parts()
    kill(server.process.pid)
    eventually(lambda: not any(is_alive(pid) for pid in parts), what="the processes to end")
    assert not server.answers()
