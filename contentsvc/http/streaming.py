"""Replies that go on for minutes: how many there may be, and whether their client is still there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, cast

from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.http.errors import ApiError, ErrorCode

STREAMS: Final = "contentsvc.streams"
RETRY_AFTER_SECONDS: Final = 5

# A machine that lost its power sends no farewell: it counts as gone after about 20 seconds
# of silence, and so does a client that keeps its connection but reads nothing.
_PROBES: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 2, "TCP_USER_TIMEOUT": 20_000}


class Place:
    """One open reply's place among those a process may have open."""

    def __init__(self, streams: OpenStreams) -> None:
        self._streams: OpenStreams | None = streams
        self._lock = threading.Lock()

    def free(self) -> None:
        """Give the place back; twice does no harm."""
        with self._lock:
            streams, self._streams = self._streams, None
        if streams is not None:
            streams.leave()


class OpenStreams:
    """The open long replies of this process.

    Each holds a thread of the web server, so the server says how many there may be:
    ``limit``, None where no server is around. ``draining`` is set when the process has
    been told to stop: open replies shall end soon, new ones are refused.
    """

    def __init__(self) -> None:
        self.limit: int | None = None
        self.draining = False
        self._open = 0
        self._lock = threading.Lock()

    def enter(self) -> Place:
        """Take a place, to be freed by the caller. Raises ApiError ``unavailable`` (503)."""
        with self._lock:
            if self.draining or (self.limit is not None and self._open >= self.limit):
                raise ApiError(
                    ErrorCode.UNAVAILABLE,
                    "Too many streams are open. Try again in a moment.",
                    retry_after=RETRY_AFTER_SECONDS,
                )
            self._open += 1
        return Place(self)

    def leave(self) -> None:
        """Called by a place that is given back."""
        with self._lock:
            self._open -= 1


class Peer:
    """The client at the other end of a long reply, as far as the web server shows its socket.

    While it is watched, a connection that was lost without a farewell breaks by itself;
    ``forget`` ends that, for the next request on the same connection.
    """

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._socket: socket.socket | None = environ.get("gunicorn.socket")
        self._set(socket.SOL_SOCKET, "SO_KEEPALIVE", 1)
        for name, value in _PROBES.items():
            self._set(socket.IPPROTO_TCP, name, value)

    def is_gone(self) -> bool:
        """Whether the client has closed the connection; False where nothing can be known."""
        if self._socket is None:
            return False
        try:
            return self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def forget(self) -> None:
        """Watch it no more."""
        self._set(socket.SOL_SOCKET, "SO_KEEPALIVE", 0)
        self._set(socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 0)

    def _set(self, level: int, name: str, value: int) -> None:
        # Not every system knows every option, a Unix socket knows none, a closed one is past it.
        if self._socket is not None:
            with suppress(OSError, AttributeError):
                self._socket.setsockopt(level, getattr(socket, name), value)


def streams_of(registry: Registry) -> OpenStreams:
    """The process's open streams."""
    return cast("OpenStreams", registry[STREAMS])


def includeme(config: Configurator) -> None:
    """One count a process."""
    config.registry[STREAMS] = OpenStreams()
