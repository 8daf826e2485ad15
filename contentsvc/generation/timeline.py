"""A task's history: every status it has had, with the database's time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask, TaskStatus


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
