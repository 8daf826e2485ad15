"""Figures of AI tasks and of the calls they made."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from pyramid.registry import Registry
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskAttempt
from contentsvc.http.metrics import Family, Kind, Sample
from contentsvc.jobs.clock import statement_start

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


def read(registry: Registry) -> list[Family]:
    """Tasks on their way, what became of the last day's, and how providers did in the last hour.

    Windows, because what a scrape costs must not grow with the history.
    """
    tasks = select(AITask.status, AITask.task_type, func.count()).group_by(AITask.status, AITask.task_type)
    attempts = select(TaskAttempt.provider, TaskAttempt.outcome, func.count()).group_by(
        TaskAttempt.provider, TaskAttempt.outcome
    )
    with transaction_scope(registry) as session:
        return [
            Family(
                "tasks_open",
                Kind.GAUGE,
                "Tasks on their way, by status and type.",
                _samples(session, tasks.where(AITask.status.in_(OPEN_STATUSES)), "status", "task_type"),
            ),
            Family(
                "tasks_last_day",
                Kind.GAUGE,
                "Tasks ordered within 24 hours, by what became of them.",
                _samples(
                    session, tasks.where(AITask.created_at > statement_start() - DAY), "status", "task_type"
                ),
            ),
            Family(
                "provider_calls_last_hour",
                Kind.GAUGE,
                "Orders placed with providers within an hour, by outcome.",
                _samples(
                    session,
                    attempts.where(TaskAttempt.started_at > statement_start() - HOUR),
                    "provider",
                    "outcome",
                ),
            ),
        ]


def _samples(session: Session, statement: Any, *labels: str) -> list[Sample]:
    return [
        Sample(number, dict(zip(labels, map(str, values), strict=True)))
        for *values, number in session.execute(statement).all()
    ]
