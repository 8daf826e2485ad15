"""Orders of clips, and what the provider says to them at once."""

from __future__ import annotations

import random
import time
import uuid
from decimal import Decimal
from typing import Final

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.generation.admission import POLL_KIND, Buyer, TaskPlan, admit, price_of
from contentsvc.generation.images import Reference
from contentsvc.generation.models import AITask, TaskStatus, TaskType, TemplateKey
from contentsvc.generation.prompts import stage_prompt
from contentsvc.generation.repeats import MARK
from contentsvc.generation.schemas import EstimateIn
from contentsvc.generation.videos import Clip, video_units
from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors
from contentsvc.http.operations import Mark
from contentsvc.jobs.services import hasten
from contentsvc.plugin import Capability
from contentsvc.projects.base_assets.pictures import BaseAssetOrders
from contentsvc.projects.base_assets.services import adopted_references
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import Project, ProjectStatus, ScriptVersion, VideoSegment, WorkStatus
from contentsvc.projects.scripts.segments import DEFAULT_SECONDS, position
from contentsvc.projects.storyboards.services import adopted_picture, require_adopted
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team
from contentsvc.settings import Settings

ANSWER_SECONDS: Final = 5.0
"""How long a client is kept waiting for the provider's answer to his order."""

REPLY_SECONDS: Final = 2.0
"""How much later at most he has his own."""

_LOOK_SECONDS: Final = 0.1


class ClipOrders:
    """Orders the clips of a locked project."""

    def __init__(self, session: Session, registry: Registry, project: Project, buyer: Buyer) -> None:
        self._session = session
        self._registry = registry
        self._project = project
        self._buyer = buyer

    def place(self, segment: VideoSegment, index: int, prompt: str, mark: Mark | None) -> AITask:
        """A clip of the segment at ``index``. Raises ApiError, also while one is being made.

        ``mark`` is the call's, see ``generation.repeats``.
        """
        if segment.status == WorkStatus.GENERATING:
            raise ApiError(ErrorCode.CONFLICT, "This clip is being made already.", status=400)
        script = require_adopted(self._session, self._project)
        model = catalog_of(self._registry).default(self._session, Capability.VIDEO_GENERATION)
        clip = self._clip(segment, script, index, prompt)
        plan = TaskPlan(
            task_type=TaskType.VIDEO_SEGMENT,
            units=clip.units(model),
            request={**clip.document(), MARK: mark},
            meta={"video_segment_id": str(segment.id), "segment_id": str(segment.segment_id), "index": index},
            product_id=self._project.product_id,
            project_id=self._project.id,
            buffered=True,
        )
        [task] = admit(self._session, self._registry, self._buyer, [plan], model)
        segment.task_id = task.id
        segment.status = WorkStatus.GENERATING
        segment.error = None
        if self._project.status in (ProjectStatus.FAILED, ProjectStatus.DRAFT):
            self._project.status = ProjectStatus.IN_PROGRESS
        touch(self._project)
        return task

    def _clip(self, segment: VideoSegment, script: ScriptVersion, index: int, prompt: str) -> Clip:
        facts = BaseAssetOrders(self._session, self._project).facts()
        frame = adopted_picture(self._session, self._project, segment.segment_id)
        return Clip(
            brief=prompt,
            words=stage_prompt(self._session, TemplateKey.VIDEO, prompt, facts),
            seconds=script.segments[index]["duration_seconds"],
            seed=random.randrange(2**31),  # noqa: S311
            name=f"Clip {index + 1}",
            first_frame=frame.id if frame else None,
            references=() if frame else self._references(),
        )

    def _references(self) -> tuple[Reference, ...]:
        """Without a shot to start from, the clip is made from what the shots would be made from."""
        return tuple(
            Reference(picture.role, picture.asset.id)
            for picture in adopted_references(self._session, self._project)
        )


def refusal_of(registry: Registry, team_id: uuid.UUID, task_id: uuid.UUID) -> str | None:
    """Wait for the provider's answer to an order; why it was refused, None where it was not (yet).

    Outside of any transaction: each look is a short one of its own.
    """
    until = time.monotonic() + ANSWER_SECONDS
    while True:
        with transaction_scope(registry, team_id) as session:
            looked = select(AITask.status, AITask.error_message).where(AITask.id == task_id)
            status, message = session.execute(looked).one()
        if status == TaskStatus.FAILED:
            return str(message)
        if status != TaskStatus.RESERVED or time.monotonic() >= until:
            return None
        time.sleep(_LOOK_SECONDS)


def bring_forward(session: Session, settings: Settings, segment: VideoSegment) -> None:
    """Have the provider asked for a segment's order as soon as it is asked for at all."""
    if segment.status == WorkStatus.GENERATING and segment.task_id is not None:
        generation = settings.generation
        hasten(
            session,
            POLL_KIND,
            segment.task_id,
            seconds=generation.poll_min_seconds,
            longest=generation.poll_max_seconds,
        )


def estimate_clip(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """A clip of a segment's length, of the usual one without ``video_segment_id``. Raises FieldErrors."""
    model = catalog_of(registry).default(session, Capability.VIDEO_GENERATION)
    seconds = _seconds_of(session, team, body.video_segment_id) if body.video_segment_id else DEFAULT_SECONDS
    units = video_units(model, seconds, characters=len(body.prompt))
    return model, price_of(session, team, model, units, buffered=True).estimated


def _seconds_of(session: Session, team: Team, video_segment_id: uuid.UUID) -> float:
    statement = (
        select(VideoSegment.segment_id, ScriptVersion.segments)
        .join(Project, Project.id == VideoSegment.project_id)
        .join(ScriptVersion, ScriptVersion.id == Project.adopted_script_id)
        .where(
            VideoSegment.id == video_segment_id,
            VideoSegment.team_id == team.id,
            Project.deleted_at.is_(None),
        )
    )
    found = session.execute(statement).one_or_none()
    index = position(found.segments, found.segment_id) if found else None
    if found is None or index is None:
        raise FieldErrors.one("video_segment_id", "There is no such video segment.")
    return float(found.segments[index]["duration_seconds"])
