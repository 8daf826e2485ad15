"""What becomes of base assets and of entities once a model has answered."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from pyramid.registry import Registry
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.models import Asset
from contentsvc.generation.images import facts_of
from contentsvc.generation.models import AITask
from contentsvc.generation.workflows import ImageWorkflow
from contentsvc.generation.works import Stored, Work
from contentsvc.plugin import EntityRequest, EntityResult, ImagePurpose, ImageResult, ProductFacts
from contentsvc.projects.base_assets.entities import FoundEntity, repaired, write_entities
from contentsvc.projects.base_assets.groups import ensure_group, find_portrait
from contentsvc.projects.base_assets.services import file_candidate
from contentsvc.projects.models import GroupKind
from contentsvc.projects.scripts.segments import as_written
from contentsvc.projects.workflows import ProjectWorkflow, locked_project


class BaseAssetWorkflow(ProjectWorkflow, ImageWorkflow):
    """A picture that joins its entity's group. Portraits ordered outside of a project stay pictures."""

    @override
    def store(self, registry: Registry, task: AITask, result: ImageResult) -> Stored:
        stored = super().store(registry, task, result)
        if task.project_id is None:
            return stored
        return replace(stored, works=tuple(_filed(task, work) for work in stored.works))

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        if task.project_id is None:
            return
        project = locked_project(session, task)
        kind = GroupKind(task.meta["kind"])
        portrait = uuid.UUID(task.meta["triview_of"]) if "triview_of" in task.meta else None
        # Whoever took the portrait away meanwhile doesn't want its three-view either.
        if portrait is not None and find_portrait(session, project, portrait) is None:
            return
        group = ensure_group(session, project, kind, task.meta["label"], portrait)
        for asset in assets:
            file_candidate(session, registry, project, group, asset)


def _filed(task: AITask, work: Work) -> Work:
    """How a base asset is filed: with what it shows; portraits stay out of the library."""
    marks: dict[str, Any] = {
        key: task.meta[key] for key in ("kind", "label", "triview_of") if key in task.meta
    }
    if "triview_of" in marks and task.meta["kind"] == GroupKind.PRODUCT:
        marks["view"] = "three_view"
    return replace(
        work,
        name=_name(task) + PurePath(work.name).suffix,
        in_library=task.request["purpose"] != ImagePurpose.PERSON,
        metadata={**work.metadata, **marks},
    )


def _name(task: AITask) -> str:
    shown = str(task.meta["label"] or task.meta["kind"])
    return f"{shown}, three views" if "triview_of" in task.meta else shown


class EntityWorkflow(ProjectWorkflow):
    """A script read for whom and what it shows."""

    @override
    def request(self, session: Session, registry: Registry, task: AITask) -> EntityRequest:
        return EntityRequest(
            segments=tuple(as_written(segment) for segment in task.request["segments"]),
            product=facts_of(task.request["product"]) or ProductFacts(),
        )

    @override
    def store(self, registry: Registry, task: AITask, result: EntityResult) -> Stored:
        found = repaired(result.entities, len(task.request["segments"]))
        return Stored(usage=result.usage, facts=found)

    @override
    def succeeded(
        self,
        session: Session,
        registry: Registry,
        task: AITask,
        assets: Sequence[Asset],
        facts: list[FoundEntity],
    ) -> None:
        read = [segment["segment_id"] for segment in task.request["segments"]]
        write_entities(session, locked_project(session, task), read, facts)
