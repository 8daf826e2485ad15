"""Video segments as the API shows them; a fixed number of queries."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from contentsvc.generation.models import AITask
from contentsvc.projects.clips.services import own_segments
from contentsvc.projects.models import Project, VideoSegment, VideoVersion
from contentsvc.projects.scripts.services import adopted


def segments(session: Session, project: Project) -> list[dict[str, Any]]:
    """The video segments of the adopted script's segments, in its order, for VideoSegmentOut."""
    script = adopted(session, project)
    statement = (
        own_segments(project)
        .options(selectinload(VideoSegment.versions).joinedload(VideoVersion.asset))
        .execution_options(populate_existing=True)
    )
    found = {str(segment.segment_id): segment for segment in session.scalars(statement)}
    order = [item["segment_id"] for item in script.segments] if script else []
    return [_segment(index, found[id_]) for index, id_ in enumerate(order) if id_ in found]


def _segment(index: int, segment: VideoSegment) -> dict[str, Any]:
    return {
        "video_segment_id": segment.id,
        "segment_id": segment.segment_id,
        "index": index,
        "status": segment.status,
        "error": segment.error,
        "versions": segment.versions,
        "adopted_version": segment.adopted_version_id,
    }


def poll(session: Session, segment: VideoSegment) -> dict[str, Any]:
    """How far a segment's newest order is, for ClipPoll."""
    clip = session.scalar(
        select(VideoVersion)
        .where(VideoVersion.id == segment.adopted_version_id)
        .options(selectinload(VideoVersion.asset))
    )
    progress = session.scalar(select(AITask.progress).where(AITask.id == segment.task_id))
    if progress is None:
        progress = 1.0 if clip else 0.0
    return {
        "video_segment_id": segment.id,
        "status": segment.status,
        "progress": progress,
        "task": segment.task_id,
        "version_id": segment.adopted_version_id,
        "asset": clip.asset if clip else None,
        "error": segment.error,
    }
