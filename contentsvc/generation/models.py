"""AI tasks with everything that explains them, prompt templates, quality words."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.assets.models import Asset
from contentsvc.db.base import Amount, Base, Entity, TeamOwned, finite, one_of
from contentsvc.providers.models import ModelConfig


class TaskStatus(StrEnum):
    RESERVED = "RESERVED"
    SUBMITTED = "SUBMITTED"
    POLLING = "POLLING"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


OPEN_STATUSES = (TaskStatus.RESERVED, TaskStatus.SUBMITTED, TaskStatus.POLLING)


class TaskType(StrEnum):
    """Kinds of work; those ending in ``_image`` are image tasks."""

    PERSON_IMAGE = "person_image"
    PRODUCT_IMAGE = "product_image"
    SCENE_IMAGE = "scene_image"
    TRI_VIEW_IMAGE = "tri_view_image"
    MODEL_IMAGE = "model_image"
    COVER_IMAGE = "cover_image"
    FREE_IMAGE = "free_image"
    STORYBOARD_IMAGE = "storyboard_image"
    STORYBOARD = "storyboard"
    SCRIPT = "script"
    SCRIPT_SEGMENT = "script_segment"
    ENTITY_EXTRACTION = "entity_extraction"
    VIDEO_SEGMENT = "video_segment"
    FREE_VIDEO = "free_video"
    VOICEOVER = "voiceover"
    EXPORT = "export"


IMAGE_TYPES = tuple(kind for kind in TaskType if kind.value.endswith("_image"))


COST_ANOMALY = "actual_cost > 1.5 * estimated_cost"
OUTCOME_UNKNOWN = "(metadata ->> 'outcome_unknown') = 'true'"
"""Conditions on tasks, word for word as in the indexes that answer them."""


class AITask(Entity, TeamOwned, Base):
    """One order of generated work.

    ``request`` is what was asked (composed prompt, ids, options), ``price`` the snapshot it
    is settled from, ``caps`` the state of each cap at admission, ``timeline`` every status
    with its time. ``intent_at`` is set before the provider is called, ``remote_job_id``
    right after it has accepted: together they tell a restart what was ordered.
    """

    __tablename__ = "ai_task"
    __table_args__ = (
        one_of("status", TaskStatus),
        one_of("task_type", TaskType),
        finite("estimated_cost", "estimated_cost >= 0"),
        finite("actual_cost", "actual_cost >= 0"),
        Index(None, "team_id", "created_at", "id"),
        Index(None, "team_id", "task_type", "created_at", "id"),
        Index(None, "team_id", "status", "created_at"),
        Index(None, "team_id", "batch_id"),
        Index("ix_ai_task_unread", "team_id", "created_at", postgresql_where=text("read_at IS NULL")),
        Index(None, "project_id"),
        Index(None, "product_id"),
        Index(None, "model_config_id"),
        Index("ix_ai_task_favorites", "team_id", "created_at", "id", postgresql_where=text("is_favorited")),
        Index(None, "created_at", "id"),
        Index(None, "status", "created_at", "id"),
        Index(None, "task_type", "created_at", "id"),
        Index("ix_ai_task_cost_anomalies", "created_at", "id", postgresql_where=text(COST_ANOMALY)),
        Index("ix_ai_task_unknown_outcomes", "created_at", "id", postgresql_where=text(OUTCOME_UNKNOWN)),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"))
    task_type: Mapped[str]
    status: Mapped[str] = mapped_column(default=TaskStatus.RESERVED)
    progress: Mapped[float] = mapped_column(default=0.0)
    error_message: Mapped[str] = mapped_column(default="")
    estimated_cost: Mapped[Amount]
    actual_cost: Mapped[Amount | None]
    model_config_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("model_config.id", ondelete="RESTRICT")
    )
    model_name: Mapped[str] = mapped_column(default="")
    provider_name: Mapped[str] = mapped_column(default="")
    project_id: Mapped[uuid.UUID | None]
    product_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("product.id", ondelete="SET NULL"))
    batch_id: Mapped[uuid.UUID | None]
    meta: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    request: Mapped[dict[str, Any]] = mapped_column(default=dict)
    price: Mapped[dict[str, Any]] = mapped_column(default=dict)
    caps: Mapped[list[Any]] = mapped_column(default=list)
    timeline: Mapped[list[Any]] = mapped_column(default=list)
    reservation_no: Mapped[int] = mapped_column(default=1)
    intent_at: Mapped[datetime | None]
    remote_job_id: Mapped[str | None]
    read_at: Mapped[datetime | None]
    is_deleted: Mapped[bool] = mapped_column(default=False)
    is_favorited: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[uuid.UUID]
    submitted_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    model: Mapped[ModelConfig | None] = relationship(lazy="raise")

    @property
    def cost_anomaly(self) -> bool:
        """Whether far more was charged than the order was estimated at."""
        return self.actual_cost is not None and self.actual_cost > Decimal("1.5") * self.estimated_cost

    # Not mapped, set for all tasks of a reply at once: what the task made, and whether it is stuck.
    __allow_unmapped__ = True
    assets: Sequence[Asset] = ()
    reapable: bool = False


class TaskAttempt(Entity, TeamOwned, Base):
    """One order placed with a provider: his name for it, what came of it, and the usage he reported."""

    __tablename__ = "task_attempt"
    __table_args__ = (Index(None, "task_id", "started_at"), Index(None, "started_at"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"))
    task_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("ai_task.id", ondelete="CASCADE"))
    reservation_no: Mapped[int]
    provider: Mapped[str]
    model: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    remote_job_id: Mapped[str | None]
    outcome: Mapped[str] = mapped_column(default="running")
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    error: Mapped[str] = mapped_column(default="")


class VideoReference(Entity, TeamOwned, Base):
    """A picture a team keeps at hand for its free videos; gone with its asset."""

    __tablename__ = "video_reference"
    __table_args__ = (Index(None, "team_id", "created_at", "id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="CASCADE"), unique=True)


class TemplateKey(StrEnum):
    """The stages whose prompts the platform shapes."""

    PERSON_PORTRAIT = "person_portrait"
    PERSON_THREE_VIEW = "person_three_view"
    PRODUCT_THREE_VIEW = "product_three_view"
    SCENE_IMAGE = "scene_image"
    STORYBOARD_IMAGE = "storyboard_image"
    VIDEO = "video"


class PromptTemplate(Entity, Base):
    """How a stage's prompt is written around what the customer typed."""

    __tablename__ = "prompt_template"
    __table_args__ = (one_of("key", TemplateKey),)

    key: Mapped[str] = mapped_column(unique=True)
    template: Mapped[str]
    ratio: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class WordSlot(StrEnum):
    PREFIX = "prefix"
    SUFFIX = "suffix"
    NEGATIVE = "negative"


class QualityWord(Entity, Base):
    """A phrase added to every prompt of a stage."""

    __tablename__ = "quality_word"
    __table_args__ = (
        one_of("stage", TemplateKey),
        one_of("slot", WordSlot),
        Index(None, "stage", "sort"),
    )

    stage: Mapped[str]
    slot: Mapped[str] = mapped_column(default=WordSlot.SUFFIX)
    text: Mapped[str]
    sort: Mapped[int] = mapped_column(default=0)
    enabled: Mapped[bool] = mapped_column(default=True)
