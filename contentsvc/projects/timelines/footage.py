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
    """In the order of the adopted script; segments that were deleted are left out. Two queries."""
    script = adopted(session, project)
    if script is None:
        return []
    places = {item["segment_id"]: index for index, item in enumerate(script.segments)}
    statement = (
        select(VideoSegment.id, VideoSegment.segment_id, Asset)
        .outerjoin(VideoVersion, VideoVersion.id == VideoSegment.adopted_version_id)
        .outerjoin(Asset, Asset.id == VideoVersion.asset_id)
        .where(VideoSegment.project_id == project.id)
    )
    found = [
        Footage(video_segment_id, places[str(segment_id)], script.segments[places[str(segment_id)]], asset)
        for video_segment_id, segment_id, asset in session.execute(statement)
        if str(segment_id) in places
    ]
    return sorted(found, key=lambda each: each.index)
