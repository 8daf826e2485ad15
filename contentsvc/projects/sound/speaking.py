"""Speaking the texts of a voice-over, one after the other, while the client waits."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pyramid.registry import Registry

from contentsvc.generation.inline import INTERRUPTED, InlineTask, hold_inline
from contentsvc.generation.steps import LOST_ORDER, NOT_STORED, Call, FencedOutError
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    OutcomeUnknown,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
    Usage,
)
from contentsvc.providers.calls import GuardedBackend
from contentsvc.storage.backends import storage_of
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.files import StoredMedia
from contentsvc.storage.ingest import discard, ingest

LONGEST_WAIT_SECONDS: Final = 120.0
"""For one text of a model that works in the background: the client's connection is open meanwhile."""


@dataclass(frozen=True)
class Take:
    """A spoken text whose sound is in storage."""

    media: StoredMedia
    usage: Usage


def speak(registry: Registry, task_id: uuid.UUID) -> None:
    """Do the work of a just admitted voice-over and settle it, without an open transaction.

    Raises ApiError ``provider_error`` once the task has failed and its credit is released.
    """
    try:
        with hold_inline(registry, task_id) as task:
            _speak(task)
    except FencedOutError as error:
        raise _interrupted() from error


def _speak(task: InlineTask) -> None:
    call = task.prepare()
    if call is None:
        raise _interrupted()
    try:
        call, takes = _spoken_by_somebody(task, call)
    except ProviderError as error:
        task.give_up(error)
        lost = isinstance(error, OutcomeUnknown)
        raise ApiError(ErrorCode.PROVIDER_ERROR, LOST_ORDER if lost else error.public_message) from error
    if task.settle(call, task.stored(call, takes)) is None:
        raise _interrupted()


def _spoken_by_somebody(task: InlineTask, call: Call) -> tuple[Call, list[Take]]:
    """All texts, by one voice: where the model fails at one, its substitute speaks them all."""
    try:
        return call, _takes(task, call)
    except ProviderError as error:
        substitute = task.fall_back(call, error)
        if substitute is None:
            raise
        return substitute, _takes(task, substitute)


def _takes(task: InlineTask, call: Call) -> list[Take]:
    takes: list[Take] = []
    try:
        for place, request in enumerate(call.request):
            takes.append(_take(task, call, request, place))
    except ProviderError:
        _discard(task.registry, takes)
        raise
    return takes


def _take(task: InlineTask, call: Call, request: SpeechRequest, place: int) -> Take:
    with task.provider(call, part=f"-{place}") as (backend, ctx):
        spoken = _spoken(task, backend, ctx, request)
        path = spoken.audio.path
        try:
            media = ingest(
                task.registry, path, f"voice-{place + 1}{path.suffix}", kinds=("audio",), trusted=True
            )
        except MediaRejected as error:
            raise ProviderError("The model returned sound that can't be used.") from error
        except ApiError as error:
            raise OutcomeUnknown(NOT_STORED) from error
        return Take(media, spoken.usage)


def _spoken(task: InlineTask, backend: GuardedBackend, ctx: Context, request: SpeechRequest) -> SpeechResult:
    outcome = backend.start(request, ctx)
    if isinstance(outcome, Accepted):
        outcome = _awaited(task, partial(backend.poll, outcome.job_id, ctx))
    result: SpeechResult = outcome.result
    return result


def _awaited(task: InlineTask, ask: Callable[[], Pending | Done[Any]]) -> Done[Any]:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while time.monotonic() < deadline:
        if task.run.lost.wait(task.settings.poll_min_seconds):
            raise ProviderError(INTERRUPTED)
        answer = ask()
        if not isinstance(answer, Pending):
            return answer
    raise OutcomeUnknown("The provider did not finish in time.")


def _discard(registry: Registry, takes: Sequence[Take]) -> None:
    discard(storage_of(registry), [file for take in takes for file in take.media.files])


def _interrupted() -> ApiError:
    return ApiError(ErrorCode.PROVIDER_ERROR, INTERRUPTED)
