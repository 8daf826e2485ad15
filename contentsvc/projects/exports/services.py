"""Ordering a film."""

from __future__ import annotations

from decimal import Decimal

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.generation.admission import EXPORT_KIND, Buyer, TaskPlan, admit
from contentsvc.generation.models import AITask, TaskType
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.jobs.models import Queue
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.core.access import touch
from contentsvc.projects.exports.film import Document, film_document
from contentsvc.projects.models import Project, ProjectExport, ProjectStatus, Stage
from contentsvc.providers.catalog import catalog_of


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
        units=expected_units(BillingUnit(model.billing_unit), film),
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


def expected_units(unit: BillingUnit, film: Document) -> Decimal:
    """What a film uses in its model's billing unit: its seconds, or one."""
    if unit is BillingUnit.SECOND:
        return Decimal(str(round(film["seconds"], 3)))
    return Decimal(1)


def no_clips() -> ApiError:
    """The refusal of a project that has nothing to show yet."""
    return ApiError(ErrorCode.NO_CLIPS, "The project has no adopted clip yet.")
