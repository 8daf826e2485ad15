"""A task's bill, put together from what was stored when it happened."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.generation.models import AITask, TaskAttempt

_SETTLING = (LedgerType.CHARGE, LedgerType.RELEASE)


def explain(session: Session, task: AITask) -> dict[str, Any]:
    """The members of an Explanation; a fixed number of statements.

    Nothing is computed anew: prices and limits may have changed since.
    """
    attempts = (
        select(TaskAttempt)
        .where(TaskAttempt.task_id == task.id, TaskAttempt.team_id == task.team_id)
        .order_by(TaskAttempt.started_at, TaskAttempt.id)
    )
    return {
        "task": task,
        "price": _price(task),
        "caps": task.caps,
        "attempts": session.scalars(attempts).all(),
        "timeline": task.timeline,
        "ledgers": _movements(session, task),
    }


def _price(task: AITask) -> dict[str, Any]:
    figures = dict(task.price)
    if figures:
        # So that one formula holds for all: what was reserved without a buffer has the factor 1.
        figures["buffer"] = figures["buffer"] or "1"
    return {**figures, "estimated": task.estimated_cost, "charged": task.actual_cost}


def _movements(session: Session, task: AITask) -> list[LedgerRow]:
    """Rows of the task, oldest first. One statement for each of the two indexes that know tasks."""
    mine = select(LedgerRow).where(LedgerRow.task_id == task.id, LedgerRow.team_id == task.team_id)
    reserved = session.scalars(mine.where(LedgerRow.ledger_type == LedgerType.RESERVE))
    settled = session.scalars(mine.where(LedgerRow.ledger_type.in_(_SETTLING)))
    return sorted([*reserved, *settled], key=lambda row: (row.created_at, row.id))
