"""Edits of the working script by hand; they change it in place."""

from __future__ import annotations

from sqlalchemy.orm import Session

from contentsvc.http.errors import ApiError, ErrorCode, NotFound
from contentsvc.projects.core.access import body_id, touch
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.schemas import SegmentAdd, SegmentChange, SegmentUpdate
from contentsvc.projects.scripts.segments import SegmentDocument, narrated, new_segment, position
from contentsvc.projects.scripts.services import working

MAX_SEGMENTS = 100


class ScriptEditor:
    """The working script of a project whose row the caller has locked."""

    def __init__(self, session: Session, project: Project) -> None:
        self._session = session
        self._project = project
        self._script = working(session, project)

    def update(self, fields: SegmentUpdate) -> ScriptVersion:
        """Change the fields that were sent. Raises NotFound for a segment the script hasn't."""
        script, index = self._locate(fields.segment_id)
        changed = {**script.segments[index], **_written(fields)}
        return self._store(script, [*script.segments[:index], changed, *script.segments[index + 1 :]])

    def add(self, fields: SegmentAdd) -> ScriptVersion:
        """Put a new segment behind another one, or first.

        Raises NotFound for a segment the script hasn't, ApiError before any script and when
        the script is full.
        """
        place = 0 if fields.after_segment_id is None else self._locate(fields.after_segment_id)[1] + 1
        if self._script is None:
            raise ApiError(ErrorCode.CONFLICT, "The project has no script yet.", status=400)
        segments = self._script.segments
        if len(segments) >= MAX_SEGMENTS:
            raise ApiError(ErrorCode.CONFLICT, f"A script has at most {MAX_SEGMENTS} segments.", status=400)
        added = {**new_segment(), **_written(fields)}
        return self._store(self._script, [*segments[:place], added, *segments[place:]])

    def delete(self, segment_id: str) -> ScriptVersion:
        """Take a segment out. Raises NotFound, ApiError for the only one."""
        script, index = self._locate(segment_id)
        if len(script.segments) == 1:
            raise ApiError(ErrorCode.CONFLICT, "A script keeps at least one segment.", status=400)
        return self._store(script, [*script.segments[:index], *script.segments[index + 1 :]])

    def _locate(self, segment_id: str) -> tuple[ScriptVersion, int]:
        wanted = body_id(segment_id)
        if self._script is not None:
            index = position(self._script.segments, wanted)
            if index is not None:
                return self._script, index
        raise NotFound("The script has no such segment.")

    def _store(self, script: ScriptVersion, segments: list[SegmentDocument]) -> ScriptVersion:
        script.segments = segments
        touch(self._project)
        self._session.flush()
        return script


def _written(fields: SegmentChange) -> SegmentDocument:
    sent = {
        name: value for name in SegmentChange.model_fields if (value := getattr(fields, name)) is not None
    }
    return sent | ({"dialogue": narrated(sent["narration"])} if "narration" in sent else {})
