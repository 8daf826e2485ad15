"""Idempotency-Key on work that outlives its request's first transaction.

The key's lock ends with that transaction, long before the work does. So the task carries
the mark of the call that ordered it, and a repeat waits for the task: as long as it is
open, the first call still runs. The reply is filed with the charge.
"""

from __future__ import annotations

import uuid
from typing import Final

from sqlalchemy import select

from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskType
from contentsvc.http import ApiRequest
from contentsvc.http.idempotency import await_twin
from contentsvc.http.operations import Mark

MARK: Final = "call"
"""Key of a task's request under which the mark is kept."""


def mark_of(request: ApiRequest) -> Mark | None:
    """The mark of the request's call, for the task's request; None without a key."""
    return None if request.claim is None else request.claim.mark()


def await_first(request: ApiRequest, task_type: TaskType, project_id: uuid.UUID) -> bool:
    """Wait for the end of a first call with the same key; see :func:`await_twin`."""
    mark = mark_of(request)
    if mark is None:
        return False
    return await_twin(request, lambda: _running(request, task_type, project_id, mark))


def _running(request: ApiRequest, task_type: TaskType, project_id: uuid.UUID, mark: Mark) -> Mark | None:
    marks = select(AITask.request[MARK]).where(
        AITask.project_id == project_id,
        AITask.task_type == task_type,
        AITask.status.in_(OPEN_STATUSES),
        AITask.created_by == uuid.UUID(mark["user"]),
        AITask.request[MARK]["key"].astext == mark["key"],
    )
    return request.db.scalars(marks.limit(1)).first()
