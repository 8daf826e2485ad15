"""A task's history: every status it has had, with the database's time."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Float, extract, func, select, type_coerce, update
from sqlalchemy.orm import Session

from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskStatus


def database_now(session: Session) -> datetime:
    """The database's clock: the one clock all processes share."""
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now.astimezone(UTC)


def entry(session: Session, status: TaskStatus, at: datetime | None = None) -> dict[str, Any]:
    """A timeline entry, for now unless told."""
    at = at or database_now(session)
    return {"status": status.value, "at": at.isoformat().replace("+00:00", "Z")}


def move(session: Session, task: AITask, status: TaskStatus, at: datetime | None = None) -> None:
    """Put a task into another status and remember when."""
    task.status = status
    task.timeline = [*task.timeline, entry(session, status, at)]


def age_of_order() -> ColumnElement[float]:
    """Seconds since the provider has taken a task's order."""
    began = func.coalesce(AITask.submitted_at, AITask.created_at)
    return type_coerce(extract("epoch", func.clock_timestamp() - began), Float)


def raise_progress(session: Session, task_id: uuid.UUID, progress: float) -> None:
    """Progress only grows, and only while the task is open."""
    session.execute(
        update(AITask)
        .where(AITask.id == task_id, AITask.status.in_(OPEN_STATUSES))
        .values(progress=func.greatest(AITask.progress, min(1.0, progress))),
        execution_options={"synchronize_session": False},
    )
