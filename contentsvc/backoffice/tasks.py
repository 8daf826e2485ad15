"""The tasks of all teams: looked at, tried again, given up."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pyramid.config import Configurator
from sqlalchemy import Select, select, text

from contentsvc.backoffice.audit import record_change
from contentsvc.generation import interventions
from contentsvc.generation.models import COST_ANOMALY, OUTCOME_UNKNOWN, AITask, TaskStatus, TaskType
from contentsvc.generation.repeats import MARK
from contentsvc.generation.schemas import AITaskOut, listed
from contentsvc.generation.tasks import any_teams_task, attach_assets
from contentsvc.generation.views import SPENDING
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    Page,
    PageQuery,
    Permission,
    envelope,
    fetch_page,
)
from contentsvc.http.paths import path_id
from contentsvc.http.types import Credits, Id, JsonObject, Out

tasks = ApiService("admin-tasks", "/api/admin/tasks/")
task_item = ApiService("admin-task", "/api/admin/tasks/{id}/")
task_retry = ApiService("admin-task-retry", "/api/admin/tasks/{id}/retry/")
task_reap = ApiService("admin-task-reap", "/api/admin/tasks/{id}/reap/")

_TARGET = "task"


class Anomaly(StrEnum):
    """What can be odd about a task."""

    COST = "cost"
    OUTCOME_UNKNOWN = "outcome_unknown"


_CONDITION_OF = {Anomaly.COST: COST_ANOMALY, Anomaly.OUTCOME_UNKNOWN: OUTCOME_UNKNOWN}


class AdminTaskQuery(PageQuery):
    """Filters of the list; they add up. ``task_type`` may name several, separated by commas.

    ``anomaly``: ``cost`` keeps tasks charged more than 1.5 times their estimate,
    ``outcome_unknown`` those whose paid order nobody knows the fate of.
    """

    status: TaskStatus | None = None
    task_type: Annotated[list[TaskType], BeforeValidator(listed)] | None = None
    team: Id | None = None
    anomaly: Anomaly | None = None


class AdminTaskOut(AITaskOut):
    """A task of any team."""

    team: Id = Field(validation_alias="team_id")
    cost_anomaly: bool = Field(description="Charged more than 1.5 times the estimate.")
    reapable: bool = Field(description="Reserved for more than ten minutes: it can be given up.")


def _without_mark(value: dict[str, Any]) -> dict[str, Any]:
    """A task's request; whose Idempotency-Key ordered it is the machinery's business."""
    return {key: asked for key, asked in value.items() if key != MARK}


class AdminTaskDetail(AdminTaskOut):
    """A task with what was asked of the model."""

    request: Annotated[JsonObject, BeforeValidator(_without_mark)]


class RetriedOut(Out):
    """The task that is being tried again."""

    retried: bool
    task_id: Id


class TaskFacts(Out):
    """What an intervention changes."""

    status: TaskStatus
    error_message: str
    reservation_no: int
    estimated_cost: Credits
    actual_cost: Credits | None


def _task(request: ApiRequest) -> AITask:
    task = any_teams_task(request.db, path_id(request))
    interventions.mark_reapable(request.db, [task])
    return task


@tasks.get(permission=Permission.PLATFORM, query=AdminTaskQuery, response=Page[AdminTaskOut])
def list_all_tasks(request: ApiRequest) -> dict[str, Any]:
    """List the tasks of all teams, newest first."""
    query: AdminTaskQuery = request.validated["query"]
    found = fetch_page(request.db, _matching(query), query)
    attach_assets(request.db, found.rows)
    interventions.mark_reapable(request.db, found.rows)
    return envelope(request, found, query)


def _matching(query: AdminTaskQuery) -> Select[AITask]:
    statement = select(AITask).order_by(AITask.created_at.desc(), AITask.id.desc())
    if query.status is not None:
        statement = statement.where(AITask.status == query.status)
    if query.task_type:
        statement = statement.where(AITask.task_type.in_(query.task_type))
    if query.team is not None:
        statement = statement.where(AITask.team_id == query.team)
    if query.anomaly is not None:
        statement = statement.where(text(_CONDITION_OF[query.anomaly]))
    return statement


@task_item.get(permission=Permission.PLATFORM, subject=_task, response=AdminTaskDetail)
def read_any_task(request: ApiRequest) -> AITask:
    """Read a task with what was asked of the model."""
    task: AITask = request.validated["subject"]
    return task


@task_retry.post(
    permission=Permission.PLATFORM,
    subject=_task,
    response=RetriedOut,
    refusals=(ErrorCode.NOT_RETRYABLE, *SPENDING),
)
def retry_task(request: ApiRequest) -> dict[str, Any]:
    """Try a failed picture again.

    The same task is reserved anew, at the price it was ordered at, and done from the beginning.
    """
    task: AITask = request.validated["subject"]
    before = TaskFacts.model_validate(task)
    task = interventions.retry(request.db, request.registry, task.id)
    after = TaskFacts.model_validate(task)
    record_change(request, "task.retry", _TARGET, task.id, before=before, after=after)
    return {"retried": True, "task_id": task.id}


@task_reap.post(
    permission=Permission.PLATFORM, subject=_task, response=AdminTaskOut, refusals=(ErrorCode.NOT_REAPABLE,)
)
def reap_task(request: ApiRequest) -> AITask:
    """Give up a stuck task and refund its credit.

    Stuck is what has been reserved for more than ten minutes, counted from its latest reservation,
    without a provider having accepted it. What a worker brings after that is kept, uncharged.
    """
    task: AITask = request.validated["subject"]
    before = TaskFacts.model_validate(task)
    task = interventions.reap(request.db, request.registry, task.id)
    interventions.mark_reapable(request.db, [task])
    after = TaskFacts.model_validate(task)
    record_change(request, "task.reap", _TARGET, task.id, before=before, after=after)
    return task


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (tasks, task_item, task_retry, task_reap):
        config.add_cornice_service(service)
