"""Local servers at several loopback addresses: those that may be called, and one that must not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from contentsvc.providers.outbound import Gateway, Network, OutboundPolicy

HOME = "127.0.0.2"
AWAY = "127.0.0.3"


@dataclass
class Canary:
    """A listener at all addresses of this machine that counts who comes; nobody may."""

    port: int
    visits: int = 0


@contextmanager
def canary() -> Iterator[Canary]:
    """Listening while the block runs; at its end every visit has been counted."""
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        bird = Canary(listener.getsockname()[1])
        yield bird
        listener.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                connection, _ = listener.accept()
                connection.close()
                bird.visits += 1


@dataclass
class Page:
    """What is answered at a path. ``length`` is a wrong Content-Length; ``endless`` never stops.

    ``wait`` are seconds before the answer; ``then`` is what is answered the next time.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    endless: bool = False
    wait: float = 0.0
    then: Page | None = None


@dataclass
class Site:
    """A server at one address. ``seen`` are the headers of the requests it got, by path."""

    address: str
    pages: dict[str, Page] = field(default_factory=dict)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def site(address: str = HOME) -> Iterator[Site]:
    """A running server that is closed at the end."""
    made = Site(address)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            page = made.pages.get(self.path, Page(404))
            if page.then is not None:
                made.pages[self.path] = page.then
            time.sleep(page.wait)
            self.send_response(page.status)
            for name, value in page.headers.items():
                self.send_header(name, value)
            if not page.endless:
                self.send_header(
                    "Content-Length", str(len(page.body) if page.length is None else page.length)
                )
            self.end_headers()
            self.close_connection = True
            with suppress(OSError):
                self.wfile.write(page.body)
                while page.endless:
                    self.wfile.write(bytes(65536))

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            """Keep the tests' output clean."""

    server = ThreadingHTTPServer((address, 0), Handler)
    server.daemon_threads = True
    made.url = f"http://{address}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def gateway(
    *allowed: Network,
    resolve: Callable[[str, int], Sequence[str]] | None = None,
    seconds: float = 60.0,
    max_bytes: int = 100_000,
) -> Gateway:
    """A gateway to these networks, with replies of so many bytes at most."""
    policy = OutboundPolicy(allowed) if resolve is None else OutboundPolicy(allowed, resolve)
    return Gateway(policy, seconds, max_bytes)
