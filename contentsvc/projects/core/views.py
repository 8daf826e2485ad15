"""The project routes."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Page, Permission, envelope
from contentsvc.projects.core.access import load_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import (
    ProjectCreate,
    ProjectOut,
    ProjectPatch,
    ProjectQuery,
    ProjectRow,
)
from contentsvc.projects.core.services import Projects

projects = ApiService("projects", "/api/projects/")
project = ApiService("project", "/api/projects/{id}/")

SERVICES = (projects, project)


def _projects(request: ApiRequest) -> Projects:
    return Projects(request.db, request.identity.team_id)


@projects.get(permission=Permission.READ, query=ProjectQuery, response=Page[ProjectRow])
def list_projects(request: ApiRequest) -> dict[str, Any]:
    """List projects.

    Newest first. ``q`` is looked for in the name.
    """
    query = request.validated["query"]
    return envelope(request, _projects(request).page(query), query)


@projects.post(permission=Permission.WORK, body=ProjectCreate, response=ProjectOut, status=201)
def create_project(request: ApiRequest) -> dict[str, Any]:
    """Create a project.

    It starts as a draft, without a script. The product must not be in the trash.
    """
    made = _projects(request).create(request.validated["body"], request.identity.user.id)
    return project_document(request.db, made)


@project.get(permission=Permission.READ, subject=load_project, response=ProjectOut)
def get_project(request: ApiRequest) -> dict[str, Any]:
    """Get a project with all that belongs to it."""
    return project_document(request.db, request.validated["subject"])


@project.patch(permission=Permission.WORK, subject=load_project, body=ProjectPatch, response=ProjectOut)
def change_project(request: ApiRequest) -> dict[str, Any]:
    """Change a project's name or metadata.

    ``metadata`` is replaced whole: send all the keys that shall stay.
    """
    changed = _projects(request).update(request.validated["subject"].id, request.validated["body"])
    return project_document(request.db, changed)


@project.delete(permission=Permission.WORK, subject=load_project, status=204)
def delete_project(request: ApiRequest) -> None:
    """Delete a project.

    Its assets stay in the library; what it has ordered is finished and charged all the same.
    """
    _projects(request).delete(request.validated["subject"].id)
