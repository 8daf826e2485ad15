"""Provider attempts: one row a placed order, with what came of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask, TaskAttempt
from contentsvc.generation.timeline import database_now
from contentsvc.plugin import Usage

NOT_SENT = "not_sent"
"""Outcome of an attempt that never reached the provider; it doesn't count."""


def begin_attempt(session: Session, task: AITask) -> uuid.UUID:
    """Note that the task's model is about to be called; the attempt's id."""
    attempt = TaskAttempt(
        team_id=task.team_id,
        task_id=task.id,
        reservation_no=task.reservation_no,
        provider=task.provider_name,
        model=task.model_name,
    )
    session.add(attempt)
    session.flush()
    return attempt.id


def name_job(session: Session, attempt_id: uuid.UUID | None, job_id: str) -> uuid.UUID | None:
    """Note what the provider calls an order, also one that is over; the attempt's id, if it is there."""
    named = update(TaskAttempt).where(TaskAttempt.id == attempt_id).values(remote_job_id=job_id)
    return session.scalar(named.returning(TaskAttempt.id), execution_options={"synchronize_session": False})


def mark_late(session: Session, task: AITask, attempt_id: uuid.UUID | None, usage: Usage) -> None:
    """Note that an attempt's work came after its order was over.

    ``task`` is as it was for that order; its job at the provider tells which it was, unless told.
    """
    mine = (
        TaskAttempt.remote_job_id == task.remote_job_id
        if attempt_id is None
        else TaskAttempt.id == attempt_id
    )
    attempt = session.scalars(select(TaskAttempt).where(TaskAttempt.task_id == task.id, mine)).first()
    if attempt is not None:
        attempt.outcome = "late"
        attempt.usage = _document(usage)
        attempt.finished_at = attempt.finished_at or database_now(session)


def end_attempt(
    session: Session, task: AITask, outcome: str, *, usage: Usage | None = None, error: str = ""
) -> None:
    """Close the task's running attempt, if it has one."""
    attempt = _running(session, task)
    if attempt is None:
        return
    attempt.outcome = outcome
    attempt.finished_at = database_now(session)
    attempt.error = error
    if usage is not None:
        attempt.usage = _document(usage)


def end_attempts(session: Session, failures: Mapping[AITask, str]) -> None:
    """Close the running attempts of many tasks as failed, each with its message."""
    for message in set(failures.values()):
        tasks = [task.id for task, said in failures.items() if said == message]
        session.execute(
            update(TaskAttempt)
            .where(TaskAttempt.task_id.in_(tasks), TaskAttempt.finished_at.is_(None))
            .values(outcome="failed", error=message, finished_at=func.clock_timestamp())
            .execution_options(synchronize_session=False)
        )


def count_attempts(session: Session, task: AITask) -> int:
    """Orders placed with the task's present model under its present reservation."""
    statement = select(func.count()).where(
        TaskAttempt.task_id == task.id,
        TaskAttempt.reservation_no == task.reservation_no,
        TaskAttempt.model == task.model_name,
        TaskAttempt.provider == task.provider_name,
        TaskAttempt.outcome != NOT_SENT,
    )
    return session.scalar(statement) or 0


def _running(session: Session, task: AITask) -> TaskAttempt | None:
    statement = (
        select(TaskAttempt)
        .where(
            TaskAttempt.task_id == task.id,
            TaskAttempt.reservation_no == task.reservation_no,
            TaskAttempt.finished_at.is_(None),
        )
        .order_by(TaskAttempt.started_at.desc())
        .limit(1)
    )
    return session.scalars(statement).first()


def _document(usage: Usage) -> dict[str, Any]:
    units: Decimal | None = usage.units
    return {"units": None if units is None else str(units), "raw": dict(usage.raw)}
