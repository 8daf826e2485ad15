"""Reaching a project: for a request, and for a change."""

from __future__ import annotations

import uuid

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from contentsvc.http import ApiRequest
from contentsvc.http.errors import NotFound
from contentsvc.http.paths import path_id
from contentsvc.http.types import parse_uuid
from contentsvc.projects.models import Project


def load_project(request: ApiRequest) -> Project:
    """The project the path's ``{id}`` names, unlocked; the ``subject`` of every project route.

    Raises NotFound for an unknown, malformed, deleted or another team's one.
    """
    statement = _select(path_id(request)).where(
        Project.team_id == request.identity.team_id, Project.deleted_at.is_(None)
    )
    return _found(request.db.scalar(statement))


def lock_project(session: Session, project_id: uuid.UUID) -> Project:
    """The project, locked and read anew, for a change of it or of anything it owns.

    Changes of one project so happen one after the other. The session is in the team's
    scope. Raises NotFound when it is unknown or deleted meanwhile.
    """
    return _found(session.scalar(_locking(project_id).where(Project.deleted_at.is_(None))))


def lock_for_result(session: Session, project_id: uuid.UUID) -> Project | None:
    """As :func:`lock_project`, for a task that ends: deleted projects count too.

    What was ordered before a project was deleted is finished and settled all the same.
    None when the row is gone.
    """
    return session.scalar(_locking(project_id))


def body_id(text: str) -> uuid.UUID:
    """The id, in a body, of what a call acts on; for a malformed one an id that nothing has.

    So it is refused in the same words as an unknown one.
    """
    try:
        return parse_uuid(text)
    except ValueError:
        return uuid.UUID(int=0)


def touch(project: Project) -> None:
    """Something of the project has changed: its ``updated_at`` says so with the next flush.

    Needed where only rows it owns change; a change of the project's own columns does it by
    itself.
    """
    project.updated_at = func.clock_timestamp()


def _select(project_id: uuid.UUID) -> Select[Project]:
    return select(Project).where(Project.id == project_id)


def _locking(project_id: uuid.UUID) -> Select[Project]:
    # NO KEY UPDATE: rows that only refer to the project may still be added meanwhile.
    return _select(project_id).with_for_update(key_share=True).execution_options(populate_existing=True)


def _found(project: Project | None) -> Project:
    if project is None:
        raise NotFound
    return project
