"""A local HTTP server that does as it is told, and remembers what it was asked."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any, Final, TypeAlias

import httpx

from contentsvc.testing.wire import Cut, Kind, Reply, Request

Answer: TypeAlias = Callable[[Request], Reply]
Classify: TypeAlias = Callable[[Request], Kind]

LOOK_SECONDS: Final = 0.005
SENT_SECONDS: Final = 0.05
MOST_SENT: Final = 32 * 1024 * 1024
"""Where even an endless reply ends: who reads so much has no limit."""


def _is_aside(_: Request) -> Kind:
    return Kind.ASIDE


class ProviderServer:
    """Listens on a port of 127.0.0.1, any that is free where it is 0; ``url`` is its address.

    ``answer`` says what a request gets, ``classify`` what it is. A kind in ``unread`` has its
    connections broken before the body is read; it is told from the head alone. ``requests``
    are all that came, in their order; ``most_sent`` is the length of the longest reply;
    ``left`` is set once a client has gone while its reply was on its way.
    """

    def __init__(self, answer: Answer, classify: Classify = _is_aside, port: int = 0) -> None:
        self.answer = answer
        self.unread: set[Kind] = set()
        self.requests: list[Request] = []
        self.most_sent = 0
        self.left = threading.Event()
        self.closing = threading.Event()
        self._classify = classify
        self._listener = _Listener(("127.0.0.1", port), _Handler)
        self._listener.provider = self
        self.url = f"http://127.0.0.1:{self._listener.server_port}"
        threading.Thread(target=self._listener.serve_forever, args=(LOOK_SECONDS,), daemon=True).start()

    def close(self) -> None:
        """Stop listening; replies that hang end."""
        self.closing.set()
        self._listener.shutdown()
        self._listener.server_close()

    def of_kind(self, kind: Kind) -> list[Request]:
        """The requests of one kind."""
        return [request for request in self.requests if request.kind is kind]

    def classified(self, request: Request) -> Request:
        """The request, knowing what it is."""
        return replace(request, kind=self._classify(request))


@contextmanager
def serving(answer: Answer, classify: Classify = _is_aside) -> Iterator[ProviderServer]:
    """A server that is closed at the end."""
    server = ProviderServer(answer, classify)
    try:
        yield server
    finally:
        server.close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    provider: ProviderServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is nothing to write about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def handle_any(self) -> None:
        provider = self.server.provider
        self.close_connection = True
        head = provider.classified(
            Request(self.command, self.path, httpx.Headers(self.headers.items()), b"", provider.url)
        )
        if head.kind in provider.unread:
            provider.requests.append(head)
            # Once the client has sent all and waits: it would see the break while it sends, or not.
            self._stays(SENT_SECONDS)
            self._reset()
            return
        request = provider.classified(replace(head, body=self._body()))
        provider.requests.append(request)
        reply = provider.answer(request)
        if self._stays(reply.delay):
            self._send(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _send(self, reply: Reply) -> None:
        if reply.hangs and not reply.pieces:
            self._stays(None)
            return
        if reply.cut is Cut.BEFORE:
            self._break()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        try:
            if reply.pieces or reply.endless:
                self._send_pieces(reply)
            else:
                self._send_body(reply)
        except OSError:
            self.server.provider.left.set()

    def _send_body(self, reply: Reply) -> None:
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        half = reply.cut is Cut.INSIDE
        self._write(reply.body[: len(reply.body) // 2] if half else reply.body)
        if half:
            self._break()

    def _send_pieces(self, reply: Reply) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        pieces = list(reply.pieces or [reply.body])
        if reply.cut is Cut.INSIDE:
            pieces = pieces[: max(1, len(pieces) // 2)]
        sent = 0
        for piece in cycle(pieces) if reply.endless else pieces:
            if sent > MOST_SENT or not self._stays(reply.pause):
                return
            self._write(b"%x\r\n%s\r\n" % (len(piece), piece))
            sent += len(piece)
            self.server.provider.most_sent = max(sent, self.server.provider.most_sent)
        if reply.cut is Cut.INSIDE:
            self._break()
        elif reply.hangs:
            self._stays(None)
        else:
            self._write(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def _break(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def _stays(self, seconds: float | None) -> bool:
        """Wait so long, or for ever; False where the client goes or the server is closed meanwhile."""
        ends = None if seconds is None else time.monotonic() + seconds
        while ends is None or time.monotonic() < ends:
            if self.server.provider.closing.is_set():
                return False
            left = LOOK_SECONDS if ends is None else min(LOOK_SECONDS, max(0.0, ends - time.monotonic()))
            if select.select([self.connection], [], [], left)[0] and self._has_gone():
                self.server.provider.left.set()
                return False
        return True

    def _has_gone(self) -> bool:
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Keep the tests' output clean."""
