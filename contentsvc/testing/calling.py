"""Calling a backend as the service does, and seeing what the service would see."""

from __future__ import annotations

import io
import logging
import ssl
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import httpx

from contentsvc.plugin import Capability, CheckContext, ModelInfo, ProviderError
from contentsvc.providers.calls import GuardedBackend, Places
from contentsvc.providers.context import CallContext
from contentsvc.providers.outbound import Gateway, OutboundPolicy

REPLY_MAX_BYTES: Final = 1024 * 1024
RESULT_MAX_BYTES: Final = 512 * 1024
_QUIET: Final = ("httpx", "httpcore")
_LOOPBACK: Final = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@dataclass(frozen=True)
class Outcome:
    """What came of a call.

    ``answer`` is Done, Accepted, Pending or, of a script, the list of its events; None after an
    error. ``error`` is what the service makes of the error, ``raised`` what the backend raised,
    ``message`` the public message as the backend had it.
    """

    answer: Any = None
    error: ProviderError | None = None
    raised: Exception | None = None
    message: str = ""

    @property
    def defect(self) -> str | None:
        """What no backend may do: the trace of such an exception, or an answer the service can't take."""
        if self.error is None or isinstance(self.raised, ProviderError | httpx.TransportError):
            return None
        if self.raised is None:
            return f"The service can't take this answer: {self.answer!r}"
        return "".join(traceback.format_exception(self.raised))

    def __str__(self) -> str:
        """In words, for whoever reads why a case has failed."""
        if self.error is None:
            return f"it answered {self.answer!r}"
        if self.defect is not None:
            return self.defect
        again = "retryable" if self.error.retryable else "not retryable"
        words = f"{type(self.error).__name__} ({again}): {self.error}"
        made_of = "" if self.raised is self.error else f", made of {type(self.raised).__name__}"
        return f"it ended in {words}{made_of}"


class _Gateway(Gateway):
    """Without the certificates of the world, which take longer to load than a case: nothing here is TLS."""

    def _certificates(self) -> ssl.SSLContext:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class _Room:
    """Places for calls where nobody else calls; see :class:`contentsvc.providers.calls.Places`."""

    @contextmanager
    def for_order(self) -> Iterator[Any]:
        yield SimpleNamespace()

    for_poll = for_order


class _Heard:
    """A backend, and the exception it raised before the service's guard has cleaned it."""

    def __init__(self, backend: Any, ctx: CallContext, seconds: float) -> None:
        self._backend = backend
        self._ctx = ctx
        self._seconds = seconds
        self.answer: Any = None
        self.raised: Exception | None = None
        self.message = ""

    def start(self, request: Any, ctx: Any) -> Any:
        return self._call(lambda: self._backend.start(request, ctx))

    def poll(self, job_id: str, ctx: Any) -> Any:
        return self._call(lambda: self._backend.poll(job_id, ctx))

    def stream(self, request: Any, ctx: Any) -> Iterator[Any]:
        with self._listening():
            yield from self._backend.stream(request, ctx)

    def _call(self, call: Callable[[], Any]) -> Any:
        with self._listening():
            self.answer = call()
        return self.answer

    @contextmanager
    def _listening(self) -> Iterator[None]:
        self._ctx.read_seconds = self._seconds
        try:
            yield
        except Exception as error:
            self.raised = error
            self.message = str(getattr(error, "public_message", ""))
            raise


class _Hurried(CallContext):
    download_pauses = (0.0, 0.0)


@dataclass
class Caller:
    """Calls one backend, each time with a new context, as workers do.

    ``seconds`` is how long a reply may take. ``state`` lives on from call to call, and
    ``cancelled`` may be set from any thread. ``written`` is all that was logged or printed.
    """

    backend: type[Any]
    model: ModelInfo
    base_url: str
    secret: str | None
    settings: Mapping[str, str]
    folder: Path
    seconds: float = 10.0
    state: dict[str, Any] = field(default_factory=dict)
    cancelled: threading.Event = field(default_factory=threading.Event)
    requests_sent: int = 0
    progress: list[float] = field(default_factory=list)
    written: str = ""

    def start(self, order: Any) -> Outcome:
        """Place an order; a script is read to its end."""
        if self.model.capability is Capability.SCRIPT:
            return self._called(lambda backend, ctx: list(backend.stream(order, ctx)))
        return self._called(lambda backend, ctx: backend.start(order, ctx))

    def poll(self, job_id: str) -> Outcome:
        """Ask after a job."""
        return self._called(lambda backend, ctx: backend.poll(job_id, ctx))

    def check(self, check: Callable[[CheckContext], str]) -> Outcome:
        """Call a driver's check; ``error`` stands for every exception, as it does in the service."""
        with self._context() as ctx:
            ctx.read_seconds = self.seconds
            try:
                return Outcome(check(ctx))
            except ProviderError as error:
                return Outcome(None, error, error, error.public_message)
            except Exception as error:  # noqa: BLE001  # a case tells which of them may be
                return Outcome(None, ProviderError("The check has failed."), error)

    def leave(self, order: Any) -> float:
        """Begin to read a script, and go after the first event; how many seconds the closing took."""
        with self._context() as ctx:
            stream = _guarded(_Heard(self.backend(), ctx, self.seconds), ctx).stream(order, ctx)
            with suppress(ProviderError):
                next(stream, None)
            began = time.monotonic()
            with suppress(ProviderError):
                stream.close()
            return time.monotonic() - began

    def _called(self, call: Callable[[GuardedBackend, CallContext], Any]) -> Outcome:
        with self._context() as ctx:
            heard = _Heard(self.backend(), ctx, self.seconds)
            try:
                answer = call(_guarded(heard, ctx), ctx)
            except ProviderError as error:
                return Outcome(heard.answer, error, heard.raised, heard.message)
            return Outcome(answer)

    @contextmanager
    def _context(self) -> Iterator[CallContext]:
        work_dir = self.folder / uuid.uuid4().hex
        work_dir.mkdir(parents=True)
        ctx = _Hurried(
            model=self.model,
            base_url=self.base_url,
            secret=self.secret,
            settings=self.settings,
            work_dir=work_dir,
            idempotency_key="order-7c1d",
            state=self.state,
            on_progress=self.progress.append,
            is_cancelled=self.cancelled.is_set,
            gateway=_Gateway(OutboundPolicy(_LOOPBACK), self.seconds, REPLY_MAX_BYTES),
            result_max_bytes=RESULT_MAX_BYTES,
        )
        with _overheard() as written:
            try:
                yield ctx
            finally:
                ctx.close()
                self.requests_sent += ctx.requests_sent
        self.written += written.getvalue()


def _guarded(heard: _Heard, ctx: CallContext) -> GuardedBackend:
    return GuardedBackend(heard, ctx, cast("Places", _Room()))


@contextmanager
def _overheard() -> Iterator[io.StringIO]:
    """All that is logged or printed meanwhile."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    # httpx writes down every URL; the service lets it speak of warnings only.
    loggers = [logging.getLogger(), *map(logging.getLogger, _QUIET)]
    levels = [logger.level for logger in loggers]
    # Not beside the handlers that are there: they would show every line of it.
    handlers, loggers[0].handlers = loggers[0].handlers, [handler]
    try:
        for logger in loggers:
            logger.setLevel(logging.DEBUG if logger is loggers[0] else logging.WARNING)
        with redirect_stdout(written), redirect_stderr(written):
            yield written
    finally:
        loggers[0].handlers = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
