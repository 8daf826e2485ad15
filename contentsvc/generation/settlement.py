"""The end of a task: charged or released, once, in one transaction with everything it leaves.

Locks are taken in one order everywhere: job, task, what the workflow locks, account. The job's
fence decides who may settle; the reservation's state and the ledger's unique indexes are the belts.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import structlog
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetSource
from contentsvc.assets.services import Assets
from contentsvc.billing.notices import warn_after_charging
from contentsvc.billing.pricing import PriceSnapshot, Unpriceable
from contentsvc.billing.reservations import charge, release, release_all
from contentsvc.db.session import after_commit
from contentsvc.db.tenancy import team_scope
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskStatus
from contentsvc.generation.notices import announce
from contentsvc.generation.timeline import database_now, move
from contentsvc.generation.workflows import workflow_of
from contentsvc.generation.works import Stored, Work
from contentsvc.plugin import SettledTask, Usage
from contentsvc.providers.plugins import notify_settled
from contentsvc.settings import Settings

log = structlog.get_logger(__name__)


class SettlementConflictError(RuntimeError):
    """The task is open but its reservation is not: roll back and leave it to the integrity report."""


def lock_open(session: Session, task_id: Any) -> AITask | None:
    """The task, locked, while it is not final."""
    statement = select(AITask).where(AITask.id == task_id, AITask.status.in_(OPEN_STATUSES)).with_for_update()
    return session.scalars(statement).one_or_none()


def succeed(session: Session, registry: Registry, task: AITask, stored: Stored) -> Decimal:
    """Charge a locked open task by its own price snapshot and file its works; the charge.

    The usage's units are charged, or the workflow's default where the provider reports no
    usable figure. Raises SettlementConflictError.
    """
    settings: Settings = registry["contentsvc.settings"]
    workflow = workflow_of(registry, task.task_type)
    workflow.lock(session, task)
    price = PriceSnapshot.model_validate(task.price)
    units, amount = _priced(price, stored.usage, workflow.default_units(task))
    if (most := workflow.most(task)) is not None:
        amount = min(amount, most)
    if not charge(session, settings, task.id, task.reservation_no, amount):
        raise SettlementConflictError(f"task {task.id} has no open reservation")
    assets = [file_work(session, task, work) for work in stored.works]
    task.price = {**task.price, "units_actual": str(units), "charged": str(amount)}
    task.actual_cost = amount
    task.progress = 1.0
    workflow.succeeded(session, registry, task, assets, stored.facts)
    _close(session, registry, task, TaskStatus.SUCCEEDED)
    _announce(session, registry, [task], assets)
    warn_after_charging(session, registry, task.team_id, reserved=task.estimated_cost, charged=amount)
    return amount


def _priced(price: PriceSnapshot, usage: Usage, default_units: Decimal) -> tuple[Decimal, Decimal]:
    """Units and credits to charge. A figure that can't be priced counts as none."""
    if usage.units is not None:
        try:
            return usage.units, price.charge_for(usage.units)
        except Unpriceable:
            log.exception("usage_not_priceable", units=str(usage.units))
    return default_units, price.charge_for(default_units)


def fail(
    session: Session, registry: Registry, task: AITask, message: str, *, outcome_unknown: bool = False
) -> None:
    """Release a locked open task's credit and say why it failed. Raises SettlementConflictError."""
    settings: Settings = registry["contentsvc.settings"]
    workflow = workflow_of(registry, task.task_type)
    workflow.lock(session, task)
    if not release(session, settings, task.id, task.reservation_no):
        raise SettlementConflictError(f"task {task.id} has no open reservation")
    task.error_message = message
    if outcome_unknown:
        task.meta = {**task.meta, "outcome_unknown": True}
    workflow.failed(session, registry, task)
    _close(session, registry, task, TaskStatus.FAILED)
    _announce(session, registry, [task])


def fail_all(session: Session, registry: Registry, failures: Mapping[AITask, str]) -> None:
    """As :func:`fail` for many locked open tasks with their messages, in the platform's scope.

    Each account is locked once, whatever the number of its tasks; teams and projects in the
    order of their ids, so that two such transactions can't wait for each other. Raises
    SettlementConflictError.
    """
    at = database_now(session)
    by_team: defaultdict[uuid.UUID, list[AITask]] = defaultdict(list)
    for task in failures:
        by_team[task.team_id].append(task)
    for team_id in sorted(by_team):
        with team_scope(session, team_id):
            tasks = by_team[team_id]
            for task in _one_a_project(tasks):
                workflow_of(registry, task.task_type).lock(session, task)
            if not release_all(session, team_id, [(task.id, task.reservation_no) for task in tasks]):
                raise SettlementConflictError(f"a task of team {team_id} has no open reservation")
            for task in tasks:
                task.error_message = failures[task]
                workflow_of(registry, task.task_type).failed(session, registry, task)
                _close(session, registry, task, TaskStatus.FAILED, at)
            _announce(session, registry, tasks)
            session.flush()


def _one_a_project(tasks: Iterable[AITask]) -> list[AITask]:
    of_project = {task.project_id: task for task in tasks if task.project_id is not None}
    return [of_project[project_id] for project_id in sorted(of_project)]


def conclude(session: Session, registry: Registry, task: AITask, error: str | None) -> None:
    """End a locked open task that holds no credit: as failed with its reason, else at no cost."""
    if error is None:
        task.actual_cost = Decimal(0)
        task.progress = 1.0
        _close(session, registry, task, TaskStatus.SUCCEEDED)
    else:
        task.error_message = error
        _close(session, registry, task, TaskStatus.FAILED)
    announce(session, registry, [(task, None)])


def file_work(session: Session, task: AITask, work: Work) -> Asset:
    """Make the asset of a task's result."""
    marks: dict[str, Any] = {
        key: task.meta[key]
        for key in ("batch_id", "mode", "model_entity_id", "index", "batch_append", "replaces")
        if key in task.meta
    }
    return Assets(session, task.team_id).create(
        work.media,
        name=work.name,
        category=work.category,
        source=AssetSource.GENERATED,
        created_by=task.created_by,
        product_id=task.product_id,
        project_id=task.project_id,
        task_id=task.id,
        in_library=work.in_library,
        metadata={**work.metadata, **marks},
    )


def _announce(
    session: Session, registry: Registry, tasks: Sequence[AITask], assets: Sequence[Asset] = ()
) -> None:
    """Tell of those of the tasks that aren't told of as part of something larger."""
    asset_id = assets[0].id if assets else None
    told = [task for task in tasks if workflow_of(registry, task.task_type).is_told(task)]
    if told:
        announce(session, registry, [(task, asset_id) for task in told])


def _close(
    session: Session, registry: Registry, task: AITask, status: TaskStatus, at: datetime | None = None
) -> None:
    task.finished_at = at or database_now(session)
    move(session, task, status, task.finished_at)
    settled = SettledTask(
        id=str(task.id),
        team_id=str(task.team_id),
        task_type=task.task_type,
        status=status.value,
        provider=task.provider_name,
        model=task.model_name,
        estimated_cost=task.estimated_cost,
        actual_cost=task.actual_cost,
    )
    after_commit(session, lambda: notify_settled(registry, settled))
