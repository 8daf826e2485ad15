"""The newest export of a project as the API shows it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from contentsvc.generation.models import AITask
from contentsvc.projects.models import Project, ProjectExport


def latest(session: Session, project: Project) -> dict[str, Any] | None:
    """The newest export for ExportOut, None before any; one query."""
    statement = (
        select(ProjectExport, AITask.progress)
        .join(AITask, AITask.id == ProjectExport.task_id)
        .where(ProjectExport.project_id == project.id)
        .order_by(ProjectExport.created_at.desc(), ProjectExport.id.desc())
        .limit(1)
        .options(joinedload(ProjectExport.asset))
        .execution_options(populate_existing=True)
    )
    row = session.execute(statement).first()
    if row is None:
        return None
    export, progress = row
    return {
        "export_id": export.id,
        "status": export.status,
        "progress": progress,
        "url": export.asset.file.path if export.asset else None,
        "asset": export.asset,
        "duration_seconds": export.duration_seconds,
        "error": export.error,
    }
