"""What a backend gets for one call."""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

import httpx
import structlog

from contentsvc.plugin import ModelInfo
from contentsvc.providers.downloads import PAUSES, Source, download
from contentsvc.providers.outbound import Gateway

PROGRESS_SECONDS: Final = 0.5

log = structlog.get_logger(__name__)


@dataclass(eq=False, kw_only=True)
class Outbound:
    """The HTTP client of one call, with the service's outbound policy.

    ``requests_sent`` counts what went out; reads wait ``read_seconds``. ``troubled`` says that
    the last of those requests got no answer, or one from 500 on.
    """

    gateway: Gateway = field(repr=False)
    read_seconds: float = field(default=60.0, init=False)
    requests_sent: int = field(default=0, init=False)
    troubled: bool = field(default=False, init=False)
    _http: httpx.Client | None = field(default=None, init=False, repr=False)
    _connections: list[socket.socket] = field(default_factory=list, init=False, repr=False)

    @property
    def http(self) -> httpx.Client:
        """Made at the first use: an offline backend needs none. Reads wait ``read_seconds``."""
        if self._http is None:
            self._http = self.gateway.client(
                self.read_seconds,
                event_hooks={"request": [self._watch_request], "response": [self._watch_reply]},
            )
        return self._http

    def close(self) -> None:
        """Close the HTTP client, if one was made."""
        if self._http is not None:
            self._http.close()

    def abort(self) -> None:
        """Break the connections of ``http``, from another thread.

        Who waits for an answer on one gets an error at once, and the provider sees that
        nobody listens any more.
        """
        for connection in list(self._connections):
            # The socket's own method: TLS would be torn down under its reader's hands.
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _watch_request(self, request: httpx.Request) -> None:
        self.requests_sent += 1
        self.troubled = True
        request.extensions = {**request.extensions, "trace": self._trace}

    def _watch_reply(self, reply: httpx.Response) -> None:
        self.troubled = reply.is_server_error

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """httpx tells here of each connection it makes, and of each step that fails."""
        if event.endswith(".failed"):
            self.troubled = True
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            made = info["return_value"].get_extra_info("socket")
            if made is not None:
                self._connections.append(made)


@dataclass(eq=False, kw_only=True)
class CallContext(Outbound):
    """:class:`contentsvc.plugin.Context` for one call."""

    download_pauses: ClassVar[Sequence[float]] = PAUSES

    model: ModelInfo
    base_url: str
    secret: str | None = field(repr=False)
    settings: Mapping[str, str]
    work_dir: Path
    idempotency_key: str
    state: MutableMapping[str, Any] = field(repr=False)
    on_progress: Callable[[float], None] = field(repr=False)
    is_cancelled: Callable[[], bool] = field(repr=False)
    result_max_bytes: int
    fetch_failed: bool = field(default=False, init=False)
    _told: float = field(default=0.0, init=False, repr=False)
    _told_at: float = field(default=-math.inf, init=False, repr=False)

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted."""
        return self.is_cancelled()

    def download(
        self,
        url: str,
        *,
        name: str,
        max_bytes: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Path:
        """See :meth:`contentsvc.plugin.Context.download`."""
        path = self.work_dir / name
        if name in ("", "..") or name != path.name:
            raise ValueError("a download's name is a plain file name")
        limit = self.result_max_bytes if max_bytes is None else max_bytes
        self.fetch_failed = True
        # A client of its own: what a plugin has set on `http` is for the provider only.
        with self.gateway.client(self.read_seconds) as client:
            source = Source(url, self.base_url, headers or {}, limit)
            download(client, source, path, self.is_cancelled, self.download_pauses)
        self.fetch_failed = False
        return path

    def progress(self, fraction: float) -> None:
        """Tell the service, at most twice a second and only upwards; clamped to 0 to 1."""
        value = min(1.0, max(0.0, float(fraction))) if math.isfinite(fraction) else 0.0
        now = time.monotonic()
        if value <= self._told or (value < 1.0 and now - self._told_at < PROGRESS_SECONDS):
            return
        self._told, self._told_at = value, now
        try:
            self.on_progress(value)
        except Exception:
            log.exception("progress_failed", model=self.model.name)
