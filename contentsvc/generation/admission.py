"""Taking an order: price, credit, tasks and jobs, all in the caller's one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.billing.notices import warn_after_reserving
from contentsvc.billing.pricing import PriceSnapshot, Unpriceable, quote
from contentsvc.billing.reservations import Order, reserve
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.generation.timeline import entry
from contentsvc.http import ApiError, ErrorCode
from contentsvc.jobs.models import Queue
from contentsvc.jobs.services import enqueue, require_worker
from contentsvc.plugin import BillingUnit
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team
from contentsvc.settings import Settings

START_KIND = "generation.start"
"""Jobs that place a task's order with its provider."""

EXPORT_KIND = "generation.export"
"""The same for films, which wait in a queue of their own."""

INLINE_KIND = "generation.inline"
"""Jobs that stand for work the web process does itself; see ``inline``."""

POLL_KIND = "generation.poll"
"""Jobs that ask for an order the provider has accepted."""

LATE_KIND = "generation.late"
"""The same for one he accepted when it was over already; of its attempt, not of its task."""


@dataclass(frozen=True)
class TaskPlan:
    """A task that would be made: what it asks, where it belongs, how many units it may use.

    ``buffered`` reserves the platform's buffer on top, for work whose use is only known afterwards.
    """

    task_type: TaskType
    units: Decimal
    request: dict[str, Any]
    meta: dict[str, Any] = field(default_factory=dict)
    product_id: uuid.UUID | None = None
    project_id: uuid.UUID | None = None
    batch_id: uuid.UUID | None = None
    buffered: bool = False


@dataclass(frozen=True)
class Buyer:
    """Who orders, and whose credits pay."""

    team: Team
    user_id: uuid.UUID


def start_kind(task_type: str) -> str:
    """The kind of job that places the orders of such tasks in the background."""
    return EXPORT_KIND if task_type == TaskType.EXPORT else START_KIND


def price_of(
    session: Session, team: Team, model: ModelConfig, units: Decimal, *, buffered: bool = False
) -> PriceSnapshot:
    """The price of one task of ``units`` on this model, by today's rates.

    Raises ApiError ``no_model`` for a price no account could hold.
    """
    try:
        return quote(
            session,
            team,
            unit_price=model.unit_price,
            billing_unit=BillingUnit(model.billing_unit),
            units=units,
            buffered=buffered,
        )
    except Unpriceable as error:
        raise ApiError(ErrorCode.NO_MODEL, "The price of this model is out of range.") from error


def admit(
    session: Session,
    registry: Registry,
    buyer: Buyer,
    plans: Sequence[TaskPlan],
    model: ModelConfig,
    *,
    kind: str = START_KIND,
    queue: Queue = Queue.GENERATE,
    before_reserving: Callable[[], None] | None = None,
) -> list[AITask]:
    """Reserve the credit of all plans or of none, and make their tasks and jobs.

    Work of INLINE_KIND needs no worker, and its job is left alone for a lease's length.
    ``before_reserving`` may refuse what there is a worker, but no place for.
    Raises ApiError: 503 ``no_model``, 503 ``no_worker``, 402 with the cap that refuses.
    """
    settings: Settings = registry["contentsvc.settings"]
    delay = settings.jobs.lease_seconds if kind == INLINE_KIND else 0
    prices = [price_of(session, buyer.team, model, plan.units, buffered=plan.buffered) for plan in plans]
    if kind != INLINE_KIND:
        require_worker(session, registry, queue)
    if before_reserving is not None:
        before_reserving()
    ids = [uuid7() for _ in plans]
    orders = [
        Order(task_id=id_, member_id=buyer.user_id, project_id=plan.project_id, amount=price.estimated)
        for id_, plan, price in zip(ids, plans, prices, strict=True)
    ]
    caps = reserve(session, settings, buyer.team.id, orders)
    warn_after_reserving(session, registry, buyer.team.id, caps)
    reserved = entry(session, TaskStatus.RESERVED)
    tasks = [
        AITask(
            id=id_,
            team_id=buyer.team.id,
            task_type=plan.task_type,
            status=TaskStatus.RESERVED,
            estimated_cost=price.estimated,
            model_config_id=model.id,
            model_name=model.name,
            provider_name=model.provider.name,
            product_id=plan.product_id,
            project_id=plan.project_id,
            batch_id=plan.batch_id,
            meta=plan.meta,
            request=plan.request,
            price=price.model_dump(mode="json"),
            caps=[cap.model_dump(mode="json") for cap in states],
            timeline=[reserved],
            created_by=buyer.user_id,
        )
        for id_, plan, price, states in zip(ids, plans, prices, caps, strict=True)
    ]
    session.add_all(tasks)
    for task in tasks:
        enqueue(session, registry, kind, task.id, delay_seconds=delay)
    return tasks
