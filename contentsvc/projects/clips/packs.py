"""Video packs of the asset library: the clips that a team's projects use."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import String, cast, func, select, true
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.projects.models import Project, ScriptVersion, VideoSegment, VideoVersion

# The segments of a script as rows, each with its place.
_SEGMENTS = (
    func.jsonb_array_elements(ScriptVersion.segments)
    .table_valued("value", with_ordinality="place", name="segment")
    .render_derived()
)


class ProjectPacks:
    """Reads the adopted clips of the adopted scripts' segments, without deleted ones."""

    def count(self, session: Session, team_id: uuid.UUID) -> int:
        """How many projects have such a clip; one query."""
        statement = _used(team_id, func.count(Project.id.distinct()))
        return session.scalar(statement) or 0

    def packs(self, session: Session, team_id: uuid.UUID) -> Sequence[dict[str, Any]]:
        """A pack a project, the newest first, clips in the film's order; one query."""
        statement = _used(team_id, Project.id, Project.name, Asset).order_by(
            Project.created_at.desc(), Project.id.desc(), _SEGMENTS.c.place
        )
        packs: dict[uuid.UUID, dict[str, Any]] = {}
        for project_id, name, asset in session.execute(statement):
            pack = packs.setdefault(project_id, {"project": {"id": project_id, "name": name}, "clips": []})
            pack["clips"].append(asset)
        return list(packs.values())


def _used(team_id: uuid.UUID, *columns: Any) -> Any:
    segment_id = _SEGMENTS.c.value.op("->>")("segment_id")
    return (
        select(*columns)
        .select_from(Project)
        .join(ScriptVersion, ScriptVersion.id == Project.adopted_script_id)
        .join(_SEGMENTS, true())
        .join(
            VideoSegment,
            (VideoSegment.project_id == Project.id) & (cast(VideoSegment.segment_id, String) == segment_id),
        )
        .join(VideoVersion, VideoVersion.id == VideoSegment.adopted_version_id)
        .join(Asset, Asset.id == VideoVersion.asset_id)
        .where(Project.team_id == team_id, Project.deleted_at.is_(None), Asset.deleted_at.is_(None))
    )
