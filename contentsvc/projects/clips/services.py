"""The video segments of a project and their versions. Changes need the project's lock."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.http.errors import NotFound
from contentsvc.projects.core.access import body_id, touch
from contentsvc.projects.models import Project, VersionSource, VideoSegment, VideoVersion, WorkStatus
from contentsvc.projects.scripts.segments import position
from contentsvc.projects.scripts.services import adopted


def ensure_segments(session: Session, project: Project, segment_ids: Iterable[uuid.UUID]) -> None:
    """A video segment for each of these script segments; those that are there are kept."""
    known = set(session.scalars(select(VideoSegment.segment_id).where(VideoSegment.project_id == project.id)))
    session.add_all(
        VideoSegment(team_id=project.team_id, project_id=project.id, segment_id=segment_id)
        for segment_id in segment_ids
        if segment_id not in known
    )
    session.flush()


def own_segments(project: Project) -> Select[VideoSegment]:
    """All video segments of a project, also those whose script segment is gone."""
    return select(VideoSegment).where(VideoSegment.project_id == project.id)


def find_segment(session: Session, project: Project, video_segment_id: str) -> tuple[VideoSegment, int]:
    """A video segment and its segment's index in the adopted script. Raises NotFound."""
    wanted = own_segments(project).where(VideoSegment.id == body_id(video_segment_id))
    segment = session.scalar(wanted)
    index = _index_of(session, project, segment) if segment else None
    if segment is None or index is None:
        raise NotFound("The project has no such video segment.")
    return segment, index


def is_living(session: Session, project: Project, segment: VideoSegment) -> bool:
    """Whether a video segment's script segment is in the adopted script."""
    return _index_of(session, project, segment) is not None


def _index_of(session: Session, project: Project, segment: VideoSegment) -> int | None:
    script = adopted(session, project)
    return position(script.segments, segment.segment_id) if script else None


def add_version(session: Session, segment: VideoSegment, asset: Asset, source: VersionSource) -> None:
    """A new clip of a segment, which uses it from here on."""
    version = VideoVersion(
        team_id=segment.team_id, video_segment_id=segment.id, asset_id=asset.id, source=source
    )
    session.add(version)
    session.flush()
    segment.adopted_version_id = version.id


def add_upload(session: Session, project: Project, segment: VideoSegment, asset: Asset) -> None:
    """The same for a file from a client; an order that is running goes on."""
    add_version(session, segment, asset, VersionSource.UPLOADED)
    if segment.status != WorkStatus.GENERATING:
        segment.status = WorkStatus.SUCCEEDED
        segment.error = None
    touch(project)


def adopt_version(session: Session, project: Project, segment: VideoSegment, version_id: str) -> None:
    """Let a segment use one of its clips. Raises NotFound."""
    wanted = body_id(version_id)
    known = select(VideoVersion.id).where(
        VideoVersion.id == wanted, VideoVersion.video_segment_id == segment.id
    )
    if session.scalar(known) is None:
        raise NotFound("The segment has no such version.")
    segment.adopted_version_id = wanted
    touch(project)
    session.flush()
