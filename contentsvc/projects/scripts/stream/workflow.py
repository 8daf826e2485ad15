"""How a script's task is settled: its version is stored with the charge."""

from __future__ import annotations

from collections.abc import Sequence

from pyramid.registry import Registry
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.repeats import MARK
from contentsvc.generation.works import Stored
from contentsvc.http.idempotency import file_reply
from contentsvc.plugin import ProviderError, ScriptRequest, ScriptResult
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.read import version_document
from contentsvc.projects.scripts.schemas import ScriptVersionOut
from contentsvc.projects.scripts.segments import SegmentDocument
from contentsvc.projects.scripts.services import add_version, find_version
from contentsvc.projects.scripts.stream import frames
from contentsvc.projects.scripts.stream.composing import Composition, Written, script_request
from contentsvc.projects.workflows import ProjectWorkflow, locked_project

GONE = "The segment was deleted while it was being rewritten. You were not charged."


class ScriptWorkflow(ProjectWorkflow):
    """A script, or one segment of it."""

    @override
    def request(self, session: Session, registry: Registry, task: AITask) -> ScriptRequest:
        return script_request(task.request, seed=task.id.int % 2**31)

    @override
    def store(self, registry: Registry, task: AITask, result: ScriptResult) -> Stored:
        return Composition(task.request).finished(result)

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Written
    ) -> None:
        """Store the version and, for a call with a key, its reply.

        Raises ProviderError where the segment to replace is there no more.
        """
        project = locked_project(session, task)
        order = task.request
        version = add_version(
            session,
            project,
            mode=order["mode"],
            segments=_replaced(session, project, task, facts.segments),
            aspect_ratio=order["aspect_ratio"],
            prompt=order["prompt"],
            total_duration=order["total_duration"],
            base_version_id=order["base_version"],
            task_id=task.id,
            created_by=task.created_by,
        )
        task.meta = {**task.meta, "script_version_id": str(version.id)}
        if (mark := order.get(MARK)) is None:
            return
        if task.task_type == TaskType.SCRIPT:
            body, media_type = frames.closing(session, task), frames.MEDIA_TYPE
        else:
            shown = ScriptVersionOut.model_validate(version_document(project, version))
            body, media_type = shown.model_dump_json(by_alias=True).encode(), "application/json"
        file_reply(session, mark, status=200, content_type=media_type, body=body)


def _replaced(
    session: Session, project: Project, task: AITask, written: list[SegmentDocument]
) -> list[SegmentDocument]:
    """All segments of the new version; the untouched ones as the base has them now."""
    if task.request["target_index"] is None:
        return written
    [segment] = written
    base = find_version(session, project, task.request["base_version"])
    segments: list[SegmentDocument] = base.segments if base is not None else []
    places = [i for i, old in enumerate(segments) if old["segment_id"] == segment["segment_id"]]
    if not places:
        raise ProviderError(GONE)
    [place] = places
    kept = {**segment, "entity_refs": segments[place]["entity_refs"]}
    return [*segments[:place], kept, *segments[place + 1 :]]
