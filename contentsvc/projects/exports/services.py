"""Ordering a film."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.generation.admission import EXPORT_KIND, Buyer, TaskPlan, admit, price_of
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.schemas import EstimateIn
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.jobs.models import Queue
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.core.access import touch
from contentsvc.projects.exports.film import film_document
from contentsvc.projects.models import Project, ProjectExport, ProjectStatus, Stage
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team

USUAL_SECONDS: Final = 30.0


def submit(
    session: Session, registry: Registry, buyer: Buyer, project: Project
) -> tuple[AITask, ProjectExport]:
    """Order the film of the locked project as it is now; it becomes the project's newest export.

    Raises ApiError ``no_clips``, and what admission refuses with.
    """
    film = film_document(session, project)
    if film is None:
        raise no_clips()
    model = catalog_of(registry).default(session, Capability.EXPORT)
    plan = TaskPlan(
        task_type=TaskType.EXPORT,
        units=expected_units(BillingUnit(model.billing_unit), film["seconds"]),
        request={"name": project.name, "film": film},
        project_id=project.id,
        product_id=project.product_id,
    )
    [task] = admit(session, registry, buyer, [plan], model, kind=EXPORT_KIND, queue=Queue.EXPORT)
    export = ProjectExport(team_id=project.team_id, project_id=project.id, task_id=task.id)
    session.add(export)
    project.stage = Stage.EXPORT
    project.status = ProjectStatus.IN_PROGRESS
    touch(project)
    session.flush()
    return task, export


def estimate_export(
    session: Session, registry: Registry, team: Team, _body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """What a film of the usual length would reserve; most exports cost the same at any length."""
    model = catalog_of(registry).default(session, Capability.EXPORT)
    units = expected_units(BillingUnit(model.billing_unit), USUAL_SECONDS)
    return model, price_of(session, team, model, units).estimated


def expected_units(unit: BillingUnit, seconds: float) -> Decimal:
    """What a film uses in its model's billing unit: its seconds, or one."""
    if unit is BillingUnit.SECOND:
        return Decimal(str(round(seconds, 3)))
    return Decimal(1)


def no_clips() -> ApiError:
    """The refusal of a project that has nothing to show yet."""
    return ApiError(ErrorCode.NO_CLIPS, "The project has no adopted clip yet.")
