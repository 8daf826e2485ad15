"""A local HTTP server that plays a provider: a script of replies, a history of orders."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from PIL import Image


def picture(width: int = 96, height: int = 96, colour: str = "teal") -> bytes:
    """A small PNG."""
    stream = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(stream, "PNG")
    return stream.getvalue()


PICTURE = picture()
Piece: TypeAlias = bytes | threading.Event | float


@dataclass
class Reply:
    """What an order or a poll gets. ``cut`` breaks the connection instead; ``gate`` is waited for first.

    ``pieces`` are sent one by one instead of a body: bytes at once, an event once it is set, a
    number of seconds as a pause; with ``cut`` the connection breaks after them.
    """

    status: int = 200
    body: bytes = PICTURE
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    gate: threading.Event | None = None
    pieces: Sequence[Piece] = ()

    @classmethod
    def json(cls, status: int, document: dict[str, Any]) -> Reply:
        return cls(status=status, body=json.dumps(document).encode())


class FakeProvider:
    """The server. ``replies`` are used up by orders, ``polls`` by polls; then ``default``."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.polls: deque[Reply] = deque()
        self.default = Reply()
        self.orders: list[dict[str, Any]] = []
        self.polled: list[str] = []
        self.ordered = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def order(self, document: dict[str, Any]) -> Reply:
        with self._lock:
            self.orders.append(document)
            reply = self.replies.popleft() if self.replies else self.default
        self.ordered.release()
        return reply

    def poll(self, job_id: str) -> Reply:
        with self._lock:
            self.polled.append(job_id)
            return self.polls.popleft() if self.polls else self.default

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                document = json.loads(self.rfile.read(length))
                document["key"] = self.headers.get("Idempotency-Key")
                document["authorization"] = self.headers.get("Authorization")
                self._answer(provider.order(document))

            def do_GET(self) -> None:
                self._answer(provider.poll(self.path.rpartition("/")[2]))

            def _answer(self, reply: Reply) -> None:
                if reply.gate is not None:
                    reply.gate.wait(60)
                if reply.pieces:
                    send_pieces(self, reply)
                    return
                if reply.cut:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                # A worker that was killed while it waited doesn't read its answer.
                try:
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True

            def log_message(self, *args: object) -> None:
                """Keep the tests' output clean."""

        return Handler


def send_pieces(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    """Answer piece by piece, until the reader goes."""
    handler.send_response(reply.status)
    if reply.cut:
        # A length that never comes: the reader sees that something is missing.
        handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    handler.close_connection = True
    for piece in reply.pieces:
        if isinstance(piece, threading.Event):
            piece.wait(60)
        elif isinstance(piece, bytes):
            try:
                handler.wfile.write(piece)
            except OSError:
                return
        else:
            time.sleep(piece)


@contextmanager
def fake_provider() -> Iterator[FakeProvider]:
    """A running server that is closed at the end."""
    provider = FakeProvider()
    try:
        yield provider
    finally:
        provider.close()
