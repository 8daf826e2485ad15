"""The clips a film can be cut from: the adopted version of each segment of the adopted script."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.projects.models import Project, VideoSegment, VideoVersion
from contentsvc.projects.scripts.segments import SegmentDocument
from contentsvc.projects.scripts.services import adopted


@dataclass(frozen=True)
class Footage:
    """A script segment that can have a clip; ``asset`` is None while it has none."""

    video_segment_id: uuid.UUID
    index: int
    segment: SegmentDocument
    asset: Asset | None

    @property
    def seconds(self) -> float:
        """Length of the clip; what the script asks for where that isn't known."""
        known = self.asset.duration_seconds if self.asset else None
        return known or float(self.segment["duration_seconds"])


def footage_of(session: Session, project: Project) -> list[Footage]:
    """In the order of the adopted script; segments that were deleted are left out. Three queries."""
    script = adopted(session, project)
    if script is None:
        return []
    places = {item["segment_id"]: index for index, item in enumerate(script.segments)}
    segments = session.scalars(select(VideoSegment).where(VideoSegment.project_id == project.id)).all()
    clips = _clips(session, project)
    found = [
        Footage(each.id, place, script.segments[place], clips.get(each.adopted_version_id))
        for each in segments
        if (place := places.get(str(each.segment_id))) is not None
    ]
    return sorted(found, key=lambda each: each.index)


def _clips(session: Session, project: Project) -> dict[uuid.UUID | None, Asset]:
    """The assets of the project's adopted versions by the version's id; purged ones are gone."""
    statement = (
        select(VideoVersion.id, Asset)
        .join(Asset, Asset.id == VideoVersion.asset_id)
        .join(VideoSegment, VideoSegment.adopted_version_id == VideoVersion.id)
        .where(VideoSegment.project_id == project.id)
    )
    return dict(session.execute(statement).all())
