"""Idempotency-Key on work that outlives its request's first transaction.

The key's lock ends with that transaction, long before the work does. So the task carries
the mark of the call that ordered it, and a repeat waits for the task: as long as it is
open, the first call still runs. The reply is filed with the charge.
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from sqlalchemy import Select, func, select

from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskStatus, TaskType
from contentsvc.http import ApiRequest
from contentsvc.http.idempotency import REMEMBERED_HOURS, await_twin
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


def await_order(
    request: ApiRequest, task_type: TaskType, project_id: uuid.UUID, seconds: float
) -> uuid.UUID | None:
    """Wait for the reply of a first call with the same key that itself waits for its order's answer.

    It does so for up to ``seconds``. Raises as :func:`await_twin` does. The task where the first call
    died meanwhile: what it has ordered is not ordered again. None where there is nothing of
    it, or its order has failed.
    """
    mark = mark_of(request)
    if mark is None:
        return None
    orders = _marked(task_type, project_id, mark).where(AITask.status != TaskStatus.FAILED)

    def waiting() -> Mark | None:
        found = request.db.execute(orders.where(AITask.created_at > _ago(seconds))).first()
        return found.mark if found else None

    await_twin(request, waiting)
    found = request.db.execute(orders.where(AITask.created_at > _ago(REMEMBERED_HOURS * 3600))).first()
    return found.id if found and found.mark["fingerprint"] == mark["fingerprint"] else None


def _running(request: ApiRequest, task_type: TaskType, project_id: uuid.UUID, mark: Mark) -> Mark | None:
    open_ones = _marked(task_type, project_id, mark).where(AITask.status.in_(OPEN_STATUSES))
    found = request.db.execute(open_ones).first()
    return found.mark if found else None


def _marked(task_type: TaskType, project_id: uuid.UUID, mark: Mark) -> Select[uuid.UUID, Mark]:
    """The newest task that a call with this key has ordered."""
    return (
        select(AITask.id, AITask.request[MARK].label("mark"))
        .where(
            AITask.project_id == project_id,
            AITask.task_type == task_type,
            AITask.created_by == uuid.UUID(mark["user"]),
            AITask.request[MARK]["key"].astext == mark["key"],
        )
        .order_by(AITask.created_at.desc())
        .limit(1)
    )


def _ago(seconds: float) -> Any:
    return func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, seconds)
