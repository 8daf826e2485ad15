"""Orders of shots: a whole storyboard at once, or one shot again."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.generation.admission import Buyer, TaskPlan, admit, price_of
from contentsvc.generation.images import ONE_PICTURE, Picture
from contentsvc.generation.models import AITask, TaskStatus, TaskType, TemplateKey
from contentsvc.generation.prompts import stage_prompt, stage_ratio
from contentsvc.generation.schemas import EstimateIn
from contentsvc.generation.timeline import entry
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.plugin import ImagePurpose
from contentsvc.projects.base_assets.pictures import BaseAssetOrders
from contentsvc.projects.base_assets.services import adopted_references
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import (
    Project,
    ProjectStatus,
    ScriptVersion,
    Shot,
    Stage,
    Storyboard,
    WorkStatus,
)
from contentsvc.projects.storyboards.casting import Casting
from contentsvc.projects.storyboards.services import require_adopted
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team

LONGEST_PROMPT = 4000


class ShotOrders:
    """Orders the shots of a locked project's adopted script. Raises ApiError before any is adopted."""

    def __init__(self, session: Session, registry: Registry, project: Project, buyer: Buyer) -> None:
        self._session = session
        self._registry = registry
        self._project = project
        self._buyer = buyer
        self._script = require_adopted(session, project)
        self._casting = Casting(project, self._script, adopted_references(session, project))
        self._facts = BaseAssetOrders(session, project).facts()

    def whole(self, prompt: str | None) -> tuple[AITask, Storyboard]:
        """A new storyboard: its task and one for each shot, all of them reserved or none."""
        model = self._model()
        storyboard_id = uuid7()
        task = self._umbrella(storyboard_id, prompt)
        storyboard = Storyboard(
            id=storyboard_id,
            team_id=self._project.team_id,
            project_id=self._project.id,
            script_version_id=self._script.id,
            task_id=task.id,
            prompt=prompt or "",
            shots=[
                Shot(
                    team_id=self._project.team_id,
                    segment_id=uuid.UUID(segment["segment_id"]),
                    index=index,
                    prompt=shot_brief(segment, index, prompt),
                )
                for index, segment in enumerate(self._script.segments)
            ],
        )
        self._session.add_all([task, storyboard])
        self._session.flush()
        self._order(storyboard.shots, model, _seed(), part_of=task.id)
        self._project.stage = Stage.STORYBOARD
        self._project.status = ProjectStatus.IN_PROGRESS
        touch(self._project)
        return task, storyboard

    def again(self, shot: Shot, *, prompt: str | None = None, instruction: str | None = None) -> AITask:
        """One shot, by its prompt or a new one, or once with an instruction besides.

        Raises ApiError while the shot is being made.
        """
        if shot.status == WorkStatus.GENERATING:
            raise ApiError(ErrorCode.CONFLICT, "This shot is being made already.", status=400)
        model = self._model()
        shot.prompt = prompt or shot.prompt
        [task] = self._order([shot], model, _seed(), instruction=instruction)
        shot.status = WorkStatus.GENERATING
        shot.error = None
        storyboard = self._session.get_one(Storyboard, shot.storyboard_id)
        storyboard.status = WorkStatus.GENERATING
        if self._project.stage in (Stage.SCRIPT, Stage.BASE_ASSETS):
            self._project.stage = Stage.STORYBOARD
        if self._project.status in (ProjectStatus.FAILED, ProjectStatus.DRAFT):
            self._project.status = ProjectStatus.IN_PROGRESS
        touch(self._project)
        return task

    def _model(self) -> ModelConfig:
        return catalog_of(self._registry).choose_image_model(
            self._session, None, with_references=self._casting.has_pictures
        )

    def _umbrella(self, storyboard_id: uuid.UUID, prompt: str | None) -> AITask:
        """The task that stands for the whole: without a price, a model or a job of its own."""
        return AITask(
            id=uuid7(),
            team_id=self._project.team_id,
            task_type=TaskType.STORYBOARD,
            status=TaskStatus.RESERVED,
            estimated_cost=Decimal(0),
            product_id=self._project.product_id,
            project_id=self._project.id,
            meta={"storyboard_id": str(storyboard_id)},
            request={"prompt": prompt},
            timeline=[entry(self._session, TaskStatus.RESERVED)],
            created_by=self._buyer.user_id,
        )

    def _order(
        self,
        shots: Sequence[Shot],
        model: ModelConfig,
        seed: int,
        *,
        instruction: str | None = None,
        part_of: uuid.UUID | None = None,
    ) -> list[AITask]:
        plans = [self._plan(shot, model, seed, instruction) for shot in shots]
        if part_of is not None:
            plans = [replace(plan, meta={**plan.meta, "part_of": str(part_of)}) for plan in plans]
        tasks = admit(self._session, self._registry, self._buyer, plans, model)
        for shot, task in zip(shots, tasks, strict=True):
            shot.task_id = task.id
        return tasks

    def _plan(self, shot: Shot, model: ModelConfig, seed: int, instruction: str | None) -> TaskPlan:
        brief = _joined(shot.prompt, instruction)
        picture = Picture(
            purpose=ImagePurpose.STORYBOARD,
            brief=brief,
            words=stage_prompt(self._session, TemplateKey.STORYBOARD_IMAGE, brief, self._facts),
            ratio=stage_ratio(self._session, TemplateKey.STORYBOARD_IMAGE),
            references=self._casting.references(self._segment_of(shot)),
            facts=self._facts,
            index=shot.index,
            seed=seed,
        )
        return TaskPlan(
            task_type=TaskType.STORYBOARD_IMAGE,
            units=ONE_PICTURE,
            request=picture.document(model),
            meta={
                "storyboard_id": str(shot.storyboard_id),
                "shot_id": str(shot.id),
                "segment_id": str(shot.segment_id),
                "index": shot.index,
                "ratio": picture.ratio,
            },
            product_id=self._project.product_id,
            project_id=self._project.id,
        )

    def _segment_of(self, shot: Shot) -> Mapping[str, Any]:
        return segment_of(self._script, shot)


def segment_of(script: ScriptVersion, shot: Shot) -> Mapping[str, Any]:
    """The segment a living shot shows."""
    return next(item for item in script.segments if item["segment_id"] == str(shot.segment_id))


def shot_brief(segment: Mapping[str, Any], index: int, prompt: str | None) -> str:
    """What a shot shows, and what holds for all of them."""
    return _joined(segment["visual_prompt"] or segment["narration"] or f"Shot {index + 1}", prompt)


def _joined(text: str, addition: str | None) -> str:
    joined = f"{text.rstrip('. ')}. {addition}" if addition else text
    return joined[:LONGEST_PROMPT]


def estimate_shots(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """``count`` shots, each made from the product's picture; a storyboard costs what its shots do."""
    model = catalog_of(registry).choose_image_model(session, None, with_references=True)
    return model, price_of(session, team, model, ONE_PICTURE).estimated * body.count


def _seed() -> int:
    """Shots of one order look alike; the next order looks different."""
    return random.randrange(2**31)  # noqa: S311
