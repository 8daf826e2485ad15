"""Storyboards as the API shows them; a fixed number of queries."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from contentsvc.projects.models import Project, Shot, ShotVersion, Storyboard, WorkStatus
from contentsvc.projects.scripts.services import adopted
from contentsvc.projects.storyboards.services import fault, is_done, living


def storyboard(session: Session, project: Project) -> dict[str, Any] | None:
    """The newest storyboard for StoryboardOut; None before any."""
    statement = (
        select(Storyboard)
        .where(Storyboard.project_id == project.id)
        .order_by(Storyboard.created_at.desc(), Storyboard.id.desc())
        .limit(1)
        .options(selectinload(Storyboard.shots).selectinload(Shot.versions).joinedload(ShotVersion.asset))
        .execution_options(populate_existing=True)
    )
    found = session.scalars(statement).first()
    if found is None:
        return None
    placed = living(found, adopted(session, project))
    shots = [shot for _, shot in placed]
    return {
        "version_id": found.id,
        "status": found.status,
        "done": sum(map(is_done, shots)),
        "total": len(shots),
        "error": fault(shots) if found.status == WorkStatus.FAILED else None,
        "shots": [_shot(index, shot) for index, shot in placed],
    }


def _shot(index: int, shot: Shot) -> dict[str, Any]:
    return {
        "shot_id": shot.id,
        "segment_id": shot.segment_id,
        "index": index,
        "status": shot.status,
        "error": shot.error,
        "prompt": shot.prompt,
        "versions": shot.versions,
        "adopted_version": shot.adopted_version_id,
    }
