"""Script versions of a project, and which of them count.

The *working* version is the one last created or adopted; entities, revisions and hand
edits use it. The *adopted* one is what storyboard, clips, sound, timeline and export follow.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.http.errors import NotFound
from contentsvc.projects.core.access import body_id, touch
from contentsvc.projects.models import Project, ProjectStatus, ScriptVersion, Stage
from contentsvc.projects.scripts.segments import SegmentDocument


def working(session: Session, project: Project) -> ScriptVersion | None:
    """The version last created or adopted; None before any."""
    return find_version(session, project, project.working_script_id)


def adopted(session: Session, project: Project) -> ScriptVersion | None:
    """The version the film follows; None before any was adopted."""
    return find_version(session, project, project.adopted_script_id)


def find_version(session: Session, project: Project, version_id: uuid.UUID | None) -> ScriptVersion | None:
    """A version of this project, None for any other id."""
    if version_id is None:
        return None
    return session.scalar(
        select(ScriptVersion).where(ScriptVersion.id == version_id, ScriptVersion.project_id == project.id)
    )


def add_version(  # noqa: PLR0913  # a column each, all by name
    session: Session,
    project: Project,
    *,
    mode: str,
    segments: Sequence[SegmentDocument],
    aspect_ratio: str,
    prompt: str = "",
    total_duration: float | None = None,
    base_version_id: uuid.UUID | None = None,
    task_id: uuid.UUID | None = None,
    created_by: uuid.UUID | None = None,
) -> ScriptVersion:
    """Store a version; it becomes the working one, and is flushed.

    ``project`` is locked by the caller (``core.access.lock_project``): that keeps the
    numbers whole. Which version is adopted, the stage and the status stay.
    """
    last = session.scalar(
        select(func.max(ScriptVersion.version)).where(ScriptVersion.project_id == project.id)
    )
    version = ScriptVersion(
        team_id=project.team_id,
        project_id=project.id,
        version=(last or 0) + 1,
        mode=mode,
        prompt=prompt,
        aspect_ratio=aspect_ratio,
        total_duration=total_duration,
        base_version_id=base_version_id,
        segments=list(segments),
        task_id=task_id,
        created_by=created_by,
    )
    session.add(version)
    session.flush()
    project.working_script_id = version.id
    touch(project)
    session.flush()
    return version


def adopt(session: Session, project: Project, version_id: str) -> ScriptVersion:
    """Let the film follow a version, which becomes the working one too. The caller holds the lock.

    Another version than before takes the project back to its base assets; the same one
    again moves nothing. Raises NotFound for a version the project does not have.
    """
    version = find_version(session, project, body_id(version_id))
    if version is None:
        raise NotFound("The project has no such script version.")
    project.working_script_id = version.id
    if project.adopted_script_id != version.id:
        project.adopted_script_id = version.id
        project.stage = Stage.BASE_ASSETS
        project.status = ProjectStatus.IN_PROGRESS
        version.adopted_at = func.clock_timestamp()
    touch(project)
    session.flush()
    session.refresh(version)
    return version
