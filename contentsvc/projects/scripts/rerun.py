"""One segment written anew while its client waits."""

from __future__ import annotations

import uuid
from contextlib import closing

from pyramid.registry import Registry

from contentsvc.generation.inline import INTERRUPTED, InlineTask, hold_inline
from contentsvc.generation.steps import Call, FencedOutError
from contentsvc.generation.works import Stored
from contentsvc.http import ApiError, ErrorCode
from contentsvc.plugin import ProviderError, ScriptResult
from contentsvc.projects.scripts.stream.running import prepared, settle


def rewrite(registry: Registry, task_id: uuid.UUID) -> None:
    """Do the work of an admitted task and settle it; call it without an open transaction.

    Raises ApiError ``provider_error`` with the task failed and its credit released.
    """
    try:
        with hold_inline(registry, task_id) as task:
            try:
                call, stored = _made(task)
                settle(task, call, stored)
            except ProviderError as error:
                task.give_up(error)
                raise ApiError(ErrorCode.PROVIDER_ERROR, error.public_message) from error
    except FencedOutError as error:
        raise ApiError(ErrorCode.PROVIDER_ERROR, INTERRUPTED) from error


def _made(task: InlineTask) -> tuple[Call, Stored]:
    call = prepared(task)
    try:
        return call, _written(task, call)
    except ProviderError as error:
        substitute = task.fall_back(call, error)
        if substitute is None:
            raise
        return substitute, _written(task, substitute)


def _written(task: InlineTask, call: Call) -> Stored:
    with task.provider(call) as (backend, ctx):
        stream = backend.stream(call.request, ctx)
        with closing(stream):
            for event in stream:
                if isinstance(event, ScriptResult):
                    return task.stored(call, event)
    raise AssertionError("a guarded stream ends with its result")
