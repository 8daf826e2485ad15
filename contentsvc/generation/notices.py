"""What a user is told when his task has ended; part of the settlement, and never its undoing."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.http.types import credits_text
from contentsvc.notifications.models import NotificationType
from contentsvc.notifications.services import Notice, Step, aside, deliver

WORKS: Final[Mapping[str, str]] = {
    TaskType.PERSON_IMAGE: "Character picture",
    TaskType.PRODUCT_IMAGE: "Product picture",
    TaskType.SCENE_IMAGE: "Scene picture",
    TaskType.TRI_VIEW_IMAGE: "Three-view picture",
    TaskType.MODEL_IMAGE: "Try-on picture",
    TaskType.COVER_IMAGE: "Platform picture",
    TaskType.FREE_IMAGE: "Picture",
    TaskType.STORYBOARD_IMAGE: "Shot of the storyboard",
    TaskType.STORYBOARD: "Storyboard",
    TaskType.SCRIPT: "Script",
    TaskType.SCRIPT_SEGMENT: "New version of a shot's script",
    TaskType.ENTITY_EXTRACTION: "List of characters and scenes",
    TaskType.VIDEO_SEGMENT: "Clip",
    TaskType.FREE_VIDEO: "Video",
    TaskType.VOICEOVER: "Voice-over",
    TaskType.EXPORT: "Film",
}
"""What a type of task makes, in a reader's words."""

_LABELS: Final[Mapping[str, str]] = {
    TaskStatus.RESERVED: "Ordered",
    TaskStatus.SUBMITTED: "Accepted by the provider",
    TaskStatus.POLLING: "In the making",
    TaskStatus.SUCCEEDED: "Finished",
    TaskStatus.FAILED: "Failed",
}


def announce(session: Session, registry: Registry, ended: Iterable[tuple[AITask, uuid.UUID | None]]) -> None:
    """Tell who ordered them that tasks are over, each with the id of its work if it made one.

    In the settlement's transaction, one statement for all; a failure only costs the message.
    """
    with aside(session):
        letters = [(task.created_by, _notice(task, asset_id)) for task, asset_id in ended]
        deliver(session, registry, letters)


def _notice(task: AITask, asset_id: uuid.UUID | None) -> Notice:
    succeeded = task.status == TaskStatus.SUCCEEDED
    return Notice(
        NotificationType.ASSET if task.project_id is None else NotificationType.PROJECT,
        f"{WORKS[task.task_type]} {'is ready' if succeeded else 'failed'}",
        _cost(task) if succeeded else task.error_message,
        [
            Step(entry["status"], _LABELS[entry["status"]], datetime.fromisoformat(entry["at"]))
            for entry in task.timeline
        ],
        {"task": task.id, "project": task.project_id, "asset": asset_id},
    )


def _cost(task: AITask) -> str:
    return f"Charged: {credits_text(task.actual_cost)} credits." if task.actual_cost else ""
