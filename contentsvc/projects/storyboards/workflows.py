"""What becomes of a shot's picture, and of its storyboard with it."""

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
from contentsvc.generation.workflows import ImageWorkflow
from contentsvc.projects.base_assets.services import tell_of_face
from contentsvc.projects.models import Project, Shot, ShotVersion, WorkStatus
from contentsvc.projects.scripts.services import adopted
from contentsvc.projects.storyboards.casting import shows_character
from contentsvc.projects.storyboards.services import reopen_shot, settle_storyboard
from contentsvc.projects.workflows import ProjectWorkflow, locked_project


class ShotWorkflow(ProjectWorkflow, ImageWorkflow):
    """A picture that becomes a version of its shot, and may be the last its storyboard waits for."""

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        project = locked_project(session, task)
        shot = _shot_of(session, task)
        for asset in assets:
            version = ShotVersion(team_id=task.team_id, shot_id=shot.id, asset_id=asset.id)
            session.add(version)
            session.flush()
            shot.adopted_version_id = version.id
            if _refers_to_character(session, project, shot):
                tell_of_face(session, registry, asset)
        # An older order that comes late adds its picture; the newest says how the shot stands.
        if shot.task_id == task.id:
            shot.status = WorkStatus.SUCCEEDED
            shot.error = None
        settle_storyboard(session, registry, project, shot.storyboard_id)

    @override
    def is_told(self, task: AITask) -> bool:
        # A whole storyboard tells once, at its end.
        return "part_of" not in task.meta

    @override
    def failed(self, session: Session, registry: Registry, task: AITask) -> None:
        project = locked_project(session, task)
        shot = _shot_of(session, task)
        if shot.task_id == task.id:
            shot.status = WorkStatus.FAILED
            shot.error = task.error_message
        settle_storyboard(session, registry, project, shot.storyboard_id)

    @override
    def retried(self, session: Session, registry: Registry, task: AITask) -> None:
        shot = _shot_of(session, task)
        # A newer order says how the shot stands; this one will only add its picture.
        if shot.task_id == task.id:
            reopen_shot(session, locked_project(session, task), shot)


def _shot_of(session: Session, task: AITask) -> Shot:
    return session.scalars(select(Shot).where(Shot.id == uuid.UUID(task.meta["shot_id"]))).one()


def _refers_to_character(session: Session, project: Project, shot: Shot) -> bool:
    script = adopted(session, project)
    segments = script.segments if script else ()
    return any(
        item["segment_id"] == str(shot.segment_id) and shows_character(project, item) for item in segments
    )
