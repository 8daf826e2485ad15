"""Orders of free videos: what they are made from, what they may cost, and how many may run."""

from __future__ import annotations

import random
import uuid
from decimal import Decimal

from pyramid.registry import Registry
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.assets.services import Assets
from contentsvc.billing import accounts
from contentsvc.generation.admission import Buyer, TaskPlan, admit, price_of
from contentsvc.generation.images import Reference
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskType, TemplateKey
from contentsvc.generation.prompts import stage_prompt
from contentsvc.generation.schemas import EstimateIn, GenerateVideoIn
from contentsvc.generation.videos import RATIO, Clip
from contentsvc.http import ApiError, ErrorCode, FieldErrors
from contentsvc.plugin import Capability, ReferenceRole
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team
from contentsvc.settings import GenerationSettings

NAME = "Free video"


def order_video(session: Session, registry: Registry, buyer: Buyer, body: GenerateVideoIn) -> AITask:
    """One video, its credit reserved.

    Raises FieldErrors, ApiError: 503 ``no_model``, 503 ``no_worker``, 429 ``too_many_running``,
    402 with the cap that refuses.
    """
    model, clip = _read(session, registry, buyer.team, body)
    plan = TaskPlan(
        task_type=TaskType.FREE_VIDEO,
        units=clip.units(model),
        request=clip.document(),
        meta={
            "prompt": body.prompt,
            "duration": body.duration,
            "resolution": body.resolution.value,
            "ratio": RATIO,
        },
        buffered=True,
    )
    settings: GenerationSettings = registry["contentsvc.settings"].generation
    [task] = admit(
        session,
        registry,
        buyer,
        [plan],
        model,
        before_reserving=lambda: _require_place(session, settings, buyer.team.id),
    )
    return task


def estimate_free_video(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """What the same order would reserve. Raises FieldErrors, ApiError ``no_model``."""
    model, clip = _read(session, registry, team, body)
    return model, price_of(session, team, model, clip.units(model), buffered=True).estimated


def _read(
    session: Session, registry: Registry, team: Team, body: GenerateVideoIn | EstimateIn
) -> tuple[ModelConfig, Clip]:
    references = _pictures(session, team.id, body)
    model = catalog_of(registry).choose_named(
        session, Capability.VIDEO_GENERATION, body.video_model, field="video_model"
    )
    clip = Clip(
        brief=body.prompt,
        words=stage_prompt(session, TemplateKey.VIDEO, body.prompt, None),
        seconds=body.duration,
        seed=random.randrange(2**31),  # noqa: S311
        name=NAME,
        resolution=body.resolution.value,
        first_frame=body.first_frame_id,
        last_frame=body.last_frame_id,
        references=references,
        model_named=body.video_model is not None,
    )
    return model, clip


def _pictures(
    session: Session, team_id: uuid.UUID, body: GenerateVideoIn | EstimateIn
) -> tuple[Reference, ...]:
    """The references, every picture of the order looked up. Raises FieldErrors."""
    if body.last_frame_id is not None and body.first_frame_id is None:
        raise FieldErrors.one("last_frame_id", "A video that ends with a picture begins with one too.")
    frames = (("first_frame_id", body.first_frame_id), ("last_frame_id", body.last_frame_id))
    named = [(f"reference_ids.{place}", id_) for place, id_ in enumerate(body.reference_ids)]
    named += [(field, id_) for field, id_ in frames if id_ is not None]
    Assets(session, team_id).require_images(named)
    return tuple(Reference(ReferenceRole.OTHER, id_) for id_ in body.reference_ids)


def _require_place(session: Session, settings: GenerationSettings, team_id: uuid.UUID) -> None:
    """Raise ApiError ``too_many_running`` (429) while the team makes as many videos as it may.

    Under the account's lock, which the reservation needs anyway: orders of a team follow each
    other, so that two of them can't take the same place.
    """
    accounts.lock(session, team_id)
    running = select(func.count()).where(
        AITask.team_id == team_id,
        AITask.status.in_(OPEN_STATUSES),
        AITask.task_type == TaskType.FREE_VIDEO,
    )
    most = settings.free_video_concurrency
    if (session.scalar(running) or 0) >= most:
        raise ApiError(
            ErrorCode.TOO_MANY_RUNNING,
            f"Your team makes {most} free videos at once at most. Order again when one is finished.",
            retry_after=settings.poll_max_seconds,
        )
