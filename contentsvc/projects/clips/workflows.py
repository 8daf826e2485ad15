"""What becomes of a clip."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask
from contentsvc.generation.videos import VideoWorkflow
from contentsvc.projects.clips.services import add_version, is_living
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import ProjectStatus, VersionSource, VideoSegment, WorkStatus
from contentsvc.projects.workflows import ProjectWorkflow, locked_project


class ClipWorkflow(ProjectWorkflow, VideoWorkflow):
    """A clip that becomes a version of its segment."""

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        project = locked_project(session, task)
        segment = _segment_of(session, task)
        for asset in assets:
            add_version(session, segment, asset, VersionSource.GENERATED)
        segment.status = WorkStatus.SUCCEEDED
        segment.error = None
        touch(project)

    @override
    def failed(self, session: Session, registry: Registry, task: AITask) -> None:
        project = locked_project(session, task)
        segment = _segment_of(session, task)
        segment.status = WorkStatus.FAILED
        segment.error = task.error_message
        # A clip of a segment that has left the script is no longer what the project waits for.
        if is_living(session, project, segment):
            project.status = ProjectStatus.FAILED
        touch(project)


def _segment_of(session: Session, task: AITask) -> VideoSegment:
    wanted = uuid.UUID(task.meta["video_segment_id"])
    return session.scalars(select(VideoSegment).where(VideoSegment.id == wanted)).one()
