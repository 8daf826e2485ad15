"""Script versions as the API shows them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.projects.models import Project, ScriptVersion


def version_document(project: Project, version: ScriptVersion) -> dict[str, Any]:
    """A version whole, for ScriptVersionOut; asks nothing of the database."""
    return {
        "id": version.id,
        "version": version.version,
        "mode": version.mode,
        "prompt": version.prompt,
        "aspect_ratio": version.aspect_ratio,
        "total_duration": version.total_duration,
        "base_version": version.base_version_id,
        "is_adopted": version.id == project.adopted_script_id,
        "adopted_at": version.adopted_at,
        "segments": [{**segment, "index": index} for index, segment in enumerate(version.segments)],
        "created_by": version.created_by,
        "created_at": version.created_at,
    }


def history(session: Session, project: Project) -> list[dict[str, Any]]:
    """All versions of a project in the order of their numbers, for ScriptVersionBrief; one query."""
    columns = select(
        ScriptVersion.id, ScriptVersion.version, ScriptVersion.mode, ScriptVersion.created_at
    ).where(ScriptVersion.project_id == project.id)
    return [
        {**row, "is_adopted": row["id"] == project.adopted_script_id}
        for row in session.execute(columns.order_by(ScriptVersion.version)).mappings()
    ]
