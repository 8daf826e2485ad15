"""Pictures, their polling, estimates, tasks."""

from __future__ import annotations

from typing import Any

from contentsvc.generation.admission import Buyer, admit
from contentsvc.generation.estimates import estimate
from contentsvc.generation.images import ImageOrders
from contentsvc.generation.models import AITask
from contentsvc.generation.schemas import (
    AITaskOut,
    EstimateIn,
    EstimateOut,
    GenerateImageIn,
    MarkReadIn,
    MarkReadOut,
    PollQuery,
    TaskPage,
    TaskQuery,
    TaskResults,
    TaskStubs,
)
from contentsvc.generation.tasks import Tasks
from contentsvc.http import ApiRequest, ApiService, ErrorCode, PageQuery, Permission, envelope
from contentsvc.http.paths import path_id
from contentsvc.providers.catalog import catalog_of

generate_image = ApiService("generate_image", "/api/ai/generate-image/")
estimates = ApiService("estimate", "/api/ai/estimate/")
tasks = ApiService("tasks", "/api/ai/tasks/")
tasks_workbench = ApiService("tasks_workbench", "/api/ai/tasks/workbench/")
tasks_mark_read = ApiService("tasks_mark_read", "/api/ai/tasks/mark-read/")
task = ApiService("task", "/api/ai/tasks/{id}/")

SERVICES = (generate_image, estimates, tasks, tasks_workbench, tasks_mark_read, task)

SPENDING = (
    ErrorCode.NO_MODEL,
    ErrorCode.NO_WORKER,
    ErrorCode.QUOTA_EXCEEDED,
    ErrorCode.TEAM_LIMIT_EXCEEDED,
    ErrorCode.MEMBER_LIMIT_EXCEEDED,
    ErrorCode.INSUFFICIENT_BALANCE,
)
"""What an order may be refused with beside a bad body."""


def _tasks(request: ApiRequest) -> Tasks:
    return Tasks(request.db, request.identity.team_id)


def _load_task(request: ApiRequest) -> AITask:
    return _tasks(request).get(path_id(request))


@generate_image.post(
    permission=Permission.WORK, body=GenerateImageIn, response=TaskStubs, status=202, refusals=SPENDING
)
def order_images(request: ApiRequest) -> dict[str, Any]:
    """Order pictures.

    Try-on pictures (mode model with a product), a platform set (cover), free creations
    (image) or a presenter's portrait (model without a product): ``count`` tasks of one
    batch, whose credit is reserved whole or not at all. Poll with GET on the same path.
    """
    body: GenerateImageIn = request.validated["body"]
    orders = ImageOrders(request.db, request.identity.team_id)
    order = orders.read(body)
    model = catalog_of(request.registry).choose_image_model(
        request.db, body.image_model, with_references=bool(order.references)
    )
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    made = admit(request.db, request.registry, buyer, orders.plan(order, model), model)
    return {"tasks": made}


@generate_image.get(permission=Permission.READ, query=PollQuery, response=TaskResults)
def poll_images(request: ApiRequest) -> dict[str, Any]:
    """Ask for ordered pictures.

    Answers the tasks of ``ids`` with the assets they have made so far.
    """
    query: PollQuery = request.validated["query"]
    return {"tasks": _tasks(request).results(query.ids)}


@estimates.post(
    permission=Permission.READ,
    body=EstimateIn,
    response=EstimateOut,
    idempotent=False,
    refusals=(ErrorCode.NO_MODEL,),
)
def estimate_order(request: ApiRequest) -> dict[str, Any]:
    """Tell what an order would cost.

    Takes any generation body with its ``task_type``; spends nothing.
    """
    return estimate(request.db, request.registry, request.identity.team, request.validated["body"])


@tasks.get(permission=Permission.READ, query=TaskQuery, response=TaskPage)
def list_tasks(request: ApiRequest) -> dict[str, Any]:
    """List the team's tasks.

    Newest first, with the number of finished tasks nobody has looked at yet.
    """
    query: TaskQuery = request.validated["query"]
    own = _tasks(request)
    return envelope(request, own.page(query), query, unread_count=own.unread_count())


@tasks_workbench.get(permission=Permission.READ, query=PageQuery, response=TaskPage)
def list_workbench(request: ApiRequest) -> dict[str, Any]:
    """Restore the image workbench.

    Image tasks of the last 24 hours and all unread ones, newest first.
    """
    query: PageQuery = request.validated["query"]
    own = _tasks(request)
    return envelope(request, own.workbench(query), query, unread_count=own.unread_count())


@tasks_mark_read.post(permission=Permission.READ, body=MarkReadIn, response=MarkReadOut, idempotent=False)
def mark_tasks_read(request: ApiRequest) -> dict[str, Any]:
    """Mark finished tasks as read.

    Without ``ids`` all of them.
    """
    body: MarkReadIn = request.validated["body"]
    own = _tasks(request)
    return {"updated": own.mark_read(body.ids), "unread_count": own.unread_count()}


@task.get(permission=Permission.READ, subject=_load_task, response=AITaskOut)
def read_task(request: ApiRequest) -> AITask:
    """Read one task."""
    found: AITask = request.validated["subject"]
    return found
