"""A script while it is written: the body of a reply that settles its task when it ends."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from inspect import GEN_CREATED, getgeneratorstate
from typing import Final

import structlog
from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.generation.farewells import farewells_of
from contentsvc.generation.inline import INTERRUPTED, InlineTask, hold_inline
from contentsvc.generation.models import AITask
from contentsvc.generation.steps import Call, FencedOutError
from contentsvc.generation.works import Stored
from contentsvc.http import ErrorCode
from contentsvc.http.streaming import Peer, Place, streams_of
from contentsvc.plugin import ProviderError, ScriptResult, ScriptText, ScriptTool
from contentsvc.projects.scripts.segments import SegmentDocument
from contentsvc.projects.scripts.stream import frames
from contentsvc.projects.scripts.stream.composing import Composition
from contentsvc.projects.scripts.stream.writer import Writer
from contentsvc.settings import GenerationSettings

RESTARTING: Final = "The server is being restarted. You were not charged; try again in a moment."
TOO_LONG: Final = "The provider did not finish in time. You were not charged."
BROKEN: Final = "Something went wrong. You were not charged."

log = structlog.get_logger(__name__)


class ClientGone(Exception):
    """The client has closed the connection."""


class Draining(Exception):
    """This process has been told to stop."""


class Overdue(ProviderError):
    """The author has been given all the time there is; another would get none."""


class ScriptStream(Iterator[bytes]):
    """The frames of an admitted script task; the work is done while they are read.

    The task is settled or given up when the frames end, whoever ends them: the author, the
    client, the server. ``close`` is called by the web server in any case, and frees the place.
    """

    def __init__(self, registry: Registry, task_id: uuid.UUID, peer: Peer, place: Place) -> None:
        self._registry = registry
        self._task_id = task_id
        self._peer = peer
        self._place = place
        self._closing = False
        self._told = False
        self._frames = self._run()

    def __next__(self) -> bytes:
        return next(self._frames)

    def close(self) -> None:
        """End the stream where it is; what isn't charged by now is released."""
        self._closing = True
        try:
            if getgeneratorstate(self._frames) == GEN_CREATED:
                # Nobody has read a single frame: the client went before its reply began.
                with suppress(FencedOutError), hold_inline(self._registry, self._task_id):
                    pass
            self._frames.close()
        finally:
            self._peer.forget()
            self._place.free()

    def _run(self) -> Generator[bytes, None, None]:
        last = b""
        try:
            with hold_inline(self._registry, self._task_id) as task:
                last = yield from self._work(task)
        except FencedOutError:
            last = frames.failure(INTERRUPTED, ErrorCode.UNAVAILABLE)
        except Exception:
            log.exception("script_stream_failed", task=str(self._task_id))
            last = frames.failure(BROKEN, ErrorCode.INTERNAL_ERROR)
        finally:
            self._place.free()
        if last and not self._closing:
            yield last

    def _work(self, task: InlineTask) -> Generator[bytes, None, bytes]:
        try:
            call, stored = yield from self._made(task)
            settle(task, call, stored)
        except (ClientGone, GeneratorExit):
            farewells_of(self._registry).give_up(task, INTERRUPTED)
            return b""
        except Draining:
            farewells_of(self._registry).give_up(task, RESTARTING)
            return frames.failure(RESTARTING, ErrorCode.UNAVAILABLE)
        except ProviderError as error:
            task.give_up(error)
            return frames.failure(error.public_message, ErrorCode.PROVIDER_ERROR)
        except FencedOutError:
            raise
        except Exception:
            # A settlement that was rolled back has let the job go before: nobody else gives it up.
            task.abandon()
            raise
        with transaction_scope(self._registry, call.task.team_id) as session:
            return frames.closing(session, session.get_one(AITask, self._task_id))

    def _made(self, task: InlineTask) -> Generator[bytes, None, tuple[Call, Stored]]:
        """By the model or, where it fails before the client has read a word of it, its substitute."""
        call = prepared(task)
        try:
            return call, (yield from self._written(task, call))
        except Overdue:
            raise
        except ProviderError as error:
            substitute = None if self._told else task.fall_back(call, error)
            if substitute is None:
                raise
        return substitute, (yield from self._written(task, substitute))

    def _written(self, task: InlineTask, call: Call) -> Generator[bytes, None, Stored]:
        settings: GenerationSettings = self._registry["contentsvc.settings"].generation
        deadline = time.monotonic() + settings.remote_timeout_minutes * 60
        composition = Composition(call.task.request)
        shown: list[SegmentDocument] | None = None

        def check() -> None:
            self._check(task, deadline)

        with closing(Writer(task, call).events(check)) as events:
            for event in events:
                self._told = True
                if isinstance(event, ScriptTool):
                    yield frames.tool(event)
                elif isinstance(event, ScriptText):
                    yield frames.delta(event.text)
                else:
                    stored = composition.finished(event) if isinstance(event, ScriptResult) else None
                    draft = composition.draft(event.segments)
                    if draft is not None and draft != shown:
                        shown = draft
                        yield frames.draft(draft)
                    if stored is not None:
                        check()
                        return stored
        raise ProviderError(BROKEN)

    def _check(self, task: InlineTask, deadline: float) -> None:
        if self._peer.is_gone():
            raise ClientGone
        if streams_of(self._registry).draining:
            raise Draining
        if task.run.lost.is_set():
            raise FencedOutError
        if time.monotonic() > deadline:
            raise Overdue(TOO_LONG)


def settle(task: InlineTask, call: Call, stored: Stored) -> None:
    """Store and charge. Raises FencedOutError where the task is over already, ProviderError."""
    if task.settle(call, stored) is None:
        raise FencedOutError


def prepared(task: InlineTask) -> Call:
    """The call to make. Raises FencedOutError where the task is over already."""
    call = task.prepare()
    if call is None:
        raise FencedOutError
    return call
