"""Idempotency-Key on work that outlives its request's first transaction.

The key's lock ends with that transaction, long before the work does. So the task carries
the mark of the call that ordered it, and a repeat waits for the task: as long as it is
open, the first call still runs. The reply is filed with the charge.
"""

from __future__ import annotations

import time
import uuid
from typing import Final

from sqlalchemy import select

from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskType
from contentsvc.http import ApiError, ApiRequest, ErrorCode, outside_transaction
from contentsvc.http.idempotency import HEADER, WAIT_SECONDS, Mark

MARK: Final = "call"
"""Key of a task's request under which the mark is kept."""

_LOOK_SECONDS: Final = 0.3


def mark_of(request: ApiRequest) -> Mark | None:
    """The mark of the request's call, for the task's request; None without a key."""
    return None if request.claim is None else request.claim.mark()


def await_first(request: ApiRequest, task_type: TaskType, project_id: uuid.UUID) -> bool:
    """Wait for the end of a first call with the same key; whether there was anything to wait for.

    What was loaded before is detached after a wait. Raises Replay when the first call has
    left its reply, ApiError ``conflict`` when it had another body or still runs after ten
    seconds. Returning says that no first call runs, nor has succeeded.
    """
    mark = mark_of(request)
    if mark is None:
        return False
    deadline = time.monotonic() + WAIT_SECONDS
    waited = False
    while (running := _running(request, task_type, project_id, mark)) is not None:
        if running["fingerprint"] != mark["fingerprint"]:
            raise ApiError(ErrorCode.CONFLICT, f"This {HEADER} was used with another body.")
        if time.monotonic() > deadline:
            raise ApiError(
                ErrorCode.CONFLICT,
                "The first request with this key is still running. Try again in a moment.",
                retry_after=WAIT_SECONDS,
            )
        waited = True
        with outside_transaction(request):
            time.sleep(_LOOK_SECONDS)
    return waited


def _running(request: ApiRequest, task_type: TaskType, project_id: uuid.UUID, mark: Mark) -> Mark | None:
    marks = select(AITask.request[MARK]).where(
        AITask.project_id == project_id,
        AITask.task_type == task_type,
        AITask.status.in_(OPEN_STATUSES),
        AITask.created_by == uuid.UUID(mark["user"]),
        AITask.request[MARK]["key"].astext == mark["key"],
    )
    return request.db.scalars(marks.limit(1)).first()
