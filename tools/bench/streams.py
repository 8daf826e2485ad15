"""Two hundred script streams at once: what they cost, and what happens when all are cut."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from sqlalchemy import select

from contentsvc.billing.models import CreditAccount
from contentsvc.db.session import transaction_scope
from contentsvc.plugin import Capability
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.fakes.scripts import line
from tests.functional.generating import add_default_models
from tools.bench.figures import Figure, milliseconds, percentile
from tools.bench.house import INI, PHOTO, House, house, with_plugins
from tools.demo.story import PASSWORD, add_product

STREAMS = 200
OPENED_AT_ONCE = 8
LOOKS = 200
MIB = 1024 * 1024
PATIENCE_SECONDS = 60.0


def measure(folder: Path) -> Iterator[Figure]:
    """Open streams whose author says a word a second, look at everything else, cut them all."""
    own = folder / "streams"
    own.mkdir()
    with with_plugins(), fake_provider() as author, house(own, _ini(own)) as running:
        author.default = _slow_author()
        _let_write(running, author)
        server = _web_server(running.process_id)
        alone = server.memory_info().rss
        with _opened(running, _new_project(running)) as connections:
            looks = [_look(running) for _ in range(LOOKS)]
            memory = server.memory_info().rss
            seconds = _cut(running, connections)
    yield Figure(
        f"Memory of a web server with {STREAMS} open script streams",
        f"{memory / MIB:.0f} MiB",
        f"{alone / MIB:.0f} MiB before; one process, 300 threads",
    )
    yield Figure(
        "`GET /api/auth/me/` meanwhile",
        milliseconds(looks),
        f"p50 / p95 of {LOOKS}, largest {percentile(looks, 1) * 1000:.0f} ms",
    )
    yield Figure("All of them cut at once, until the last credit is released", f"{seconds:.2f} s", "one team")


def _ini(folder: Path) -> Path:
    """development.ini with the threads a production server has."""
    path = folder / "streams.ini"
    path.write_text(
        INI.read_text(encoding="utf-8").replace("threads = 100", "threads = 300"), encoding="utf-8"
    )
    return path


def _slow_author() -> Reply:
    return Reply(pieces=[piece for _ in range(120) for piece in (line(text="Well. "), 1.0)])


def _let_write(running: House, author: FakeProvider) -> None:
    with transaction_scope(running.registry) as session:
        add_default_models(session, author.url, Capability.SCRIPT)


def _new_project(running: House) -> str:
    product = add_product(running.owner, PHOTO)
    project = running.owner.post("/api/projects/", {"name": "Bench", "product": product["id"]})
    return str(project["id"])


def _web_server(supervisor: int) -> psutil.Process:
    """The process that answers: the one below `contentsvc serve`'s master."""
    [worker] = [
        grandchild
        for child in psutil.Process(supervisor).children()
        if "serve" in child.cmdline()
        for grandchild in child.children()
    ]
    return worker


@contextmanager
def _opened(running: House, project: str) -> Iterator[list[socket.socket]]:
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        token = _token(running)
        connections = list(pool.map(lambda _: _open(running, project, token), range(STREAMS)))
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()


def _token(running: House) -> str:
    signed_in = running.owner.post("/api/auth/login/", {"username": "demo.owner", "password": PASSWORD})
    return str(signed_in["token"])


def _open(running: House, project: str, token: str) -> socket.socket:
    """A stream whose first frame has come."""
    address = urlsplit(running.base_url)
    connection = socket.create_connection((str(address.hostname), int(address.port or 80)), PATIENCE_SECONDS)
    body = json.dumps({"mode": "auto"})
    connection.sendall(
        f"POST /api/projects/{project}/script-agent-stream/ HTTP/1.1\r\nHost: bench\r\n"
        f"Authorization: Token {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    received = b""
    while b'"delta"' not in received:
        chunk = connection.recv(4096)
        received += chunk
        if not chunk or b'"code"' in received:
            raise RuntimeError(f"no stream: {received.decode(errors='replace')}")
    return connection


def _look(running: House) -> float:
    started = time.perf_counter()
    running.owner.get("/api/auth/me/")
    return time.perf_counter() - started


def _cut(running: House, connections: Sequence[socket.socket]) -> float:
    """Close all of them; seconds until nothing is held any more."""
    if not _frozen(running):
        raise RuntimeError("nothing is reserved")
    started = time.perf_counter()
    for connection in connections:
        connection.close()
    while _frozen(running):
        if time.perf_counter() - started > PATIENCE_SECONDS:
            raise RuntimeError("the credit is not released")
        time.sleep(0.02)
    return time.perf_counter() - started


def _frozen(running: House) -> bool:
    held = select(CreditAccount.frozen).where(CreditAccount.team_id == running.team_id)
    with transaction_scope(running.registry) as session:
        return bool(session.scalars(held).one())
