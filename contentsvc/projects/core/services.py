"""The projects of one team."""

from __future__ import annotations

import uuid

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, raiseload, selectinload

from contentsvc.http.errors import FieldErrors
from contentsvc.http.pagination import Slice, fetch_page
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from contentsvc.projects.core.access import lock_project, touch
from contentsvc.projects.core.read import project_row
from contentsvc.projects.core.schemas import ProjectCreate, ProjectPatch, ProjectQuery
from contentsvc.projects.models import Project


class Projects:
    """Projects of a team."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: ProjectQuery) -> Slice:
        """A page of the projects, newest first, as rows for ProjectRow."""
        statement = (
            select(Project)
            .where(Project.team_id == self._team_id, Project.deleted_at.is_(None), *_filters(query))
            .order_by(Project.created_at.desc(), Project.id.desc())
            .options(selectinload(Project.product).options(raiseload(Product.selling_points)))
        )
        found = fetch_page(self._session, statement, query)
        return Slice(count=found.count, rows=[project_row(project) for project in found.rows])

    def create(self, fields: ProjectCreate, created_by: uuid.UUID) -> Project:
        """A new project. Raises FieldErrors unless the product is an active one of the team."""
        if Products(self._session, self._team_id).find_active(fields.product) is None:
            raise FieldErrors.one("product", "There is no such active product.")
        project = Project(
            team_id=self._team_id,
            name=fields.name,
            product_id=fields.product,
            meta=dict(fields.metadata),
            created_by=created_by,
            created_at=func.statement_timestamp(),
            updated_at=func.statement_timestamp(),
        )
        self._session.add(project)
        self._session.flush()
        self._session.refresh(project)
        return project

    def update(self, project_id: uuid.UUID, fields: ProjectPatch) -> Project:
        """Change what was sent. Raises NotFound."""
        project = lock_project(self._session, project_id)
        sent = fields.model_fields_set
        if "name" in sent:
            project.name = fields.name
        if "metadata" in sent:
            project.meta = dict(fields.metadata)
        if sent:
            touch(project)
        return project

    def delete(self, project_id: uuid.UUID) -> None:
        """Hide a project for good. Its assets stay, its running tasks finish. Raises NotFound."""
        lock_project(self._session, project_id).deleted_at = func.clock_timestamp()


def _filters(query: ProjectQuery) -> list[ColumnElement[bool]]:
    asked: list[ColumnElement[bool]] = []
    for column, wanted in (
        (Project.product_id, query.product),
        (Project.stage, query.stage),
        (Project.status, query.status),
    ):
        if wanted is not None:
            asked.append(column == wanted)
    if query.q:
        asked.append(Project.name.icontains(query.q, autoescape=True))
    return asked
