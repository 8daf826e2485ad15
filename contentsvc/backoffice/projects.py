"""The projects of all teams."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from pyramid.config import Configurator
from sqlalchemy import or_, select
from sqlalchemy.orm import raiseload, selectinload

from contentsvc.assets.schemas import BlankIsAbsent
from contentsvc.http import ApiRequest, ApiService, Page, PageQuery, Permission, envelope, fetch_page
from contentsvc.http.types import Id, Word
from contentsvc.products.models import Product
from contentsvc.projects.core.read import project_row
from contentsvc.projects.core.schemas import ProjectRow
from contentsvc.projects.models import Project, ProjectStatus
from contentsvc.security.models import Team

projects = ApiService("admin-projects", "/api/admin/projects/")


class AllProjectsQuery(PageQuery):
    """Filters of the list; they add up, and an empty one counts as not given."""

    status: Annotated[ProjectStatus | None, BlankIsAbsent] = None
    search: Word = Field("", description="Literal text in the project's or its team's name, without case.")


class AllProjectsRow(ProjectRow):
    """A project in the list of all teams' projects."""

    team: Id
    team_name: str


@projects.get(permission=Permission.PLATFORM, query=AllProjectsQuery, response=Page[AllProjectsRow])
def list_all_projects(request: ApiRequest) -> dict[str, Any]:
    """List the projects of all teams, newest first."""
    query: AllProjectsQuery = request.validated["query"]
    statement = (
        select(Project)
        .where(Project.deleted_at.is_(None))
        .order_by(Project.created_at.desc(), Project.id.desc())
        .options(selectinload(Project.product).options(raiseload(Product.selling_points)))
    )
    if query.status is not None:
        statement = statement.where(Project.status == query.status)
    if query.search:
        statement = statement.join(Team, Team.id == Project.team_id).where(
            or_(
                Project.name.icontains(query.search, autoescape=True),
                Team.name.icontains(query.search, autoescape=True),
            )
        )
    found = fetch_page(request.db, statement, query)
    return envelope(request, found, query) | {"results": _rows(request, list(found.rows))}


def _rows(request: ApiRequest, found: list[Project]) -> list[dict[str, Any]]:
    teams = select(Team.id, Team.name).where(Team.id.in_({project.team_id for project in found}))
    names = {team.id: team.name for team in request.db.execute(teams)}
    return [
        project_row(project) | {"team": project.team_id, "team_name": names[project.team_id]}
        for project in found
    ]


def includeme(config: Configurator) -> None:
    """The route."""
    config.add_cornice_service(projects)
