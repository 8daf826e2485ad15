"""What the platform's administrator can do about a task that failed or is stuck.

The locks are those of every settlement, in the same order: job, task, what the workflow locks,
account. So of an administrator and a worker, or of two administrators, one is first and the
other finds the task as it then is.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final

from pyramid.registry import Registry
from sqlalchemy import and_, select, update
from sqlalchemy.orm import Session

from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.billing.notices import warn_after_reserving
from contentsvc.billing.reservations import Order, reserve
from contentsvc.db.tenancy import team_scope
from contentsvc.generation.admission import start_kind
from contentsvc.generation.attempts import end_attempt
from contentsvc.generation.models import IMAGE_TYPES, AITask, TaskStatus, TaskType
from contentsvc.generation.settlement import fail
from contentsvc.generation.timeline import move
from contentsvc.generation.workflows import workflow_of
from contentsvc.http import ApiError, ErrorCode, NotFound
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.models import Job, JobState, Queue
from contentsvc.jobs.services import enqueue, require_worker
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.settings import Settings

REAPABLE_SECONDS: Final = 600
"""Age of its latest reservation from which a reserved task counts as stuck."""

REAPED: Final = "The work got stuck and was given up. You were not charged."


def mark_reapable(session: Session, tasks: Sequence[AITask]) -> None:
    """Set each task's ``reapable``, in one statement for all."""
    reserved = [task.id for task in tasks if task.status == TaskStatus.RESERVED]
    stuck = set(session.scalars(STUCK.where(AITask.id.in_(reserved)))) if reserved else set()
    for task in tasks:
        task.reapable = task.id in stuck


STUCK: Final = (
    select(AITask.id)
    .join(
        LedgerRow,
        and_(
            LedgerRow.task_id == AITask.id,
            LedgerRow.reservation_no == AITask.reservation_no,
            LedgerRow.ledger_type == LedgerType.RESERVE,
        ),
    )
    .where(
        # A storyboard's own task holds no credit; it ends with its shots.
        AITask.task_type != TaskType.STORYBOARD,
        AITask.status == TaskStatus.RESERVED,
        LedgerRow.created_at < in_seconds(-REAPABLE_SECONDS),
    )
)
"""Tasks whose latest reservation is old, with nothing accepted by a provider."""


def retry(session: Session, registry: Registry, task_id: uuid.UUID) -> AITask:
    """Order a failed picture anew, at the price it was first ordered at.

    Raises ApiError: 400 ``not_retryable``, 503 ``no_model``, 503 ``no_worker``, 402 with the cap
    that refuses.
    """
    task = _locked(session, task_id)
    if task.status != TaskStatus.FAILED or task.task_type not in IMAGE_TYPES:
        raise ApiError(ErrorCode.NOT_RETRYABLE, "Only failed pictures can be tried again.")
    if not catalog_of(registry).available(session.get_one(ModelConfig, task.model_config_id)):
        raise ApiError(ErrorCode.NO_MODEL, "The model of this task can't be ordered any more.")
    require_worker(session, registry, Queue.GENERATE)
    workflow = workflow_of(registry, task.task_type)
    with team_scope(session, task.team_id):
        workflow.lock(session, task)
        _reserve_again(session, registry, task)
        begin_anew(session, task)
        workflow.retried(session, registry, task)
        enqueue(session, registry, start_kind(task.task_type), task.id)
        session.flush()
    return task


def _reserve_again(session: Session, registry: Registry, task: AITask) -> None:
    settings: Settings = registry["contentsvc.settings"]
    number = task.reservation_no + 1
    order = Order(task.id, task.created_by, task.project_id, task.estimated_cost)
    states = reserve(session, settings, task.team_id, [order], number)
    warn_after_reserving(session, registry, task.team_id, states)
    [caps] = states
    task.reservation_no = number
    task.caps = [cap.model_dump(mode="json") for cap in caps]


def begin_anew(session: Session, task: AITask) -> None:
    """Put a locked failed task back to its beginning; what happened stays in its timeline."""
    task.error_message = ""
    task.progress = 0.0
    task.intent_at = None
    task.remote_job_id = None
    task.read_at = None
    task.submitted_at = None
    task.finished_at = None
    task.meta = {key: value for key, value in task.meta.items() if key != "outcome_unknown"}
    move(session, task, TaskStatus.RESERVED)


def reap(session: Session, registry: Registry, task_id: uuid.UUID) -> AITask:
    """Give up a task that has been reserved for too long, and release its credit.

    A worker that still works on it is fenced out; what it brings is kept as an asset, uncharged.
    Raises ApiError ``not_reapable``.
    """
    _require_stuck(session, task_id)
    _close_jobs(session, task_id)
    task = _locked(session, task_id)
    # Until the locks were ours, a worker may have settled it, or another administrator.
    _require_stuck(session, task_id)
    with team_scope(session, task.team_id):
        end_attempt(session, task, "reaped", error=REAPED)
        fail(session, registry, task, REAPED, outcome_unknown=task.intent_at is not None)
        session.flush()
    return task


def _require_stuck(session: Session, task_id: uuid.UUID) -> None:
    if session.scalar(STUCK.where(AITask.id == task_id)) is None:
        raise ApiError(
            ErrorCode.NOT_REAPABLE,
            "Only tasks that have been reserved for more than 10 minutes, and that no provider has "
            "accepted, can be given up.",
        )


def _close_jobs(session: Session, task_id: uuid.UUID) -> None:
    """End the task's open jobs, under a new fence: whoever holds one has lost it."""
    session.execute(
        update(Job)
        .where(Job.subject_id == task_id, Job.state == JobState.OPEN)
        .values(state=JobState.DONE, fence=Job.fence + 1, lease_until=None, held_by=None, finished_at=now()),
        execution_options={"synchronize_session": False},
    )


def _locked(session: Session, task_id: uuid.UUID) -> AITask:
    task = session.get(AITask, task_id, with_for_update=True, populate_existing=True)
    if task is None:
        raise NotFound
    return task
