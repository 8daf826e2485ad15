"""The provider's side of a stream: a thread that writes while the reply waits for its events."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Final

import structlog

from contentsvc.generation.inline import InlineTask
from contentsvc.generation.steps import Call
from contentsvc.plugin import ProviderError, ScriptEvent, ScriptResult
from contentsvc.providers.calls import DEFECT
from contentsvc.providers.context import CallContext

LOOK_SECONDS: Final = 0.25
"""How long a silent provider keeps the reply from looking after its client."""

_QUEUED_EVENTS: Final = 64

log = structlog.get_logger(__name__)


class Unwanted(Exception):
    """Nobody reads the events any more."""


class Writer:
    """Reads a backend's events in a thread of its own.

    Nothing interrupts a thread that waits for its provider, so the reply never does that
    itself. A cancelled thread ends when the provider next says something, or when its
    connection, which is cut, breaks.
    """

    def __init__(self, task: InlineTask, call: Call) -> None:
        self._task = task
        self._call = call
        self._cancelled = threading.Event()
        self._ctx: CallContext | None = None
        self._events: queue.Queue[ScriptEvent | ProviderError] = queue.Queue(_QUEUED_EVENTS)

    def events(self, check: Callable[[], None]) -> Generator[ScriptEvent, None, None]:
        """The events as they come, up to the ScriptResult; ``check`` is called at least every 0.25 s.

        Raises ProviderError, and what ``check`` raises.
        """
        finished = False
        threading.Thread(target=self._write, name="script", daemon=True).start()
        try:
            while True:
                check()
                try:
                    event = self._events.get(timeout=LOOK_SECONDS)
                except queue.Empty:
                    continue
                check()
                if isinstance(event, ProviderError):
                    raise event
                finished = isinstance(event, ScriptResult)
                yield event
                if finished:
                    return
        finally:
            self._cancelled.set()
            if self._ctx is not None and not finished:
                self._ctx.abort()

    def _write(self) -> None:
        try:
            with self._task.provider(self._call, self._is_cancelled) as (backend, ctx):
                self._ctx = ctx
                stream = backend.stream(self._call.request, ctx)
                with closing(stream):
                    for event in stream:
                        self._put(event)
        except Unwanted:
            log.debug("script_unwanted", task=str(self._call.task.id))
        except ProviderError as error:
            self._put_last(error)
        except Exception:
            log.exception("script_writer_failed", task=str(self._call.task.id))
            self._put_last(ProviderError(DEFECT))

    def _is_cancelled(self) -> bool:
        return self._cancelled.is_set() or self._task.run.lost.is_set()

    def _put(self, event: ScriptEvent | ProviderError) -> None:
        while not self._is_cancelled():
            try:
                self._events.put(event, timeout=LOOK_SECONDS)
            except queue.Full:
                continue
            return
        raise Unwanted

    def _put_last(self, error: ProviderError) -> None:
        try:
            self._put(error)
        except Unwanted:
            log.debug("script_unwanted", task=str(self._call.task.id))
