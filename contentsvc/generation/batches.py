"""Places in a batch: fresh ones at its end, after the places of failed pictures."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask, TaskStatus


@dataclass(frozen=True)
class Slot:
    """One picture's place; ``marks`` go into the metadata of the task and its asset."""

    index: int
    marks: dict[str, Any] = field(default_factory=dict)


def batch_slots(session: Session, batch_id: uuid.UUID, count: int) -> list[Slot]:
    """``count`` places in a batch that may exist already.

    An appended picture takes the place of the batch's oldest failed picture that nobody
    has replaced yet; when there are none left, the next index. Two requests that append
    to the same batch wait for each other until the first has committed.
    """
    session.execute(select(func.pg_advisory_xact_lock(batch_id.int % 2**63)))
    statement = select(AITask).where(AITask.batch_id == batch_id).order_by(AITask.created_at, AITask.id)
    earlier = session.scalars(statement).all()
    if not earlier:
        return [Slot(index) for index in range(count)]
    replaced = {task.meta.get("replaces") for task in earlier}
    slots = [
        Slot(task.meta["index"], {"batch_append": True, "replaces": str(task.id)})
        for task in earlier
        if task.status == TaskStatus.FAILED and str(task.id) not in replaced
    ][:count]
    first_free = 1 + max(int(task.meta["index"]) for task in earlier)
    missing = range(first_free, first_free + count - len(slots))
    return slots + [Slot(index, {"batch_append": True}) for index in missing]
