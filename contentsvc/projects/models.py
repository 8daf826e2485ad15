"""Video projects: scripts, base assets, storyboards, clips, voice-over, exports."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.assets.models import Asset
from contentsvc.db.base import Base, Entity, TeamOwned, one_of
from contentsvc.products.models import Product


class Stage(StrEnum):
    """Where a project is on its way to a film."""

    SCRIPT = "script"
    BASE_ASSETS = "base_assets"
    STORYBOARD = "storyboard"
    VIDEO = "video"
    EXPORT = "export"


class ProjectStatus(StrEnum):
    DRAFT = "draft"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


class WorkStatus(StrEnum):
    """Of a storyboard, a shot, a clip or an export."""

    EMPTY = "empty"
    GENERATING = "generating"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class GroupKind(StrEnum):
    """What a base asset group shows."""

    PRODUCT = "product"
    PERSON = "person"
    SCENE = "scene"


class VersionSource(StrEnum):
    GENERATED = "generated"
    UPLOADED = "uploaded"


class Project(Entity, TeamOwned, Base):
    """A film in the making.

    The working script is the one last created or adopted; the adopted one is what
    storyboard, clips, voice-over, timeline and export follow. ``meta`` is the metadata that
    clients and the server share.
    """

    __tablename__ = "project"
    __table_args__ = (
        one_of("stage", Stage),
        one_of("status", ProjectStatus),
        Index(None, "team_id", "created_at", "id"),
        Index(None, "team_id", "status", "created_at"),
        Index(None, "product_id"),
        Index(None, "created_at", "id"),
        Index(None, "status", "created_at"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    name: Mapped[str]
    product_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("product.id", ondelete="SET NULL"))
    stage: Mapped[str] = mapped_column(default=Stage.SCRIPT)
    status: Mapped[str] = mapped_column(default=ProjectStatus.DRAFT)
    meta: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    working_script_id: Mapped[uuid.UUID | None]
    adopted_script_id: Mapped[uuid.UUID | None]
    timeline: Mapped[dict[str, Any] | None]
    created_by: Mapped[uuid.UUID | None]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.clock_timestamp())
    deleted_at: Mapped[datetime | None]

    product: Mapped[Product | None] = relationship(lazy="raise")


class ScriptVersion(Entity, TeamOwned, Base):
    """A script. ``segments`` are documents ``{segment_id, narration, dialogue, visual_prompt,
    duration_seconds, entity_refs}`` in the film's order; their place is their index."""

    __tablename__ = "script_version"
    __table_args__ = (UniqueConstraint("project_id", "version"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    version: Mapped[int]
    mode: Mapped[str]
    prompt: Mapped[str] = mapped_column(default="")
    aspect_ratio: Mapped[str]
    total_duration: Mapped[float | None]
    base_version_id: Mapped[uuid.UUID | None]
    adopted_at: Mapped[datetime | None]
    segments: Mapped[list[Any]]
    task_id: Mapped[uuid.UUID | None]
    created_by: Mapped[uuid.UUID | None]


class BaseAssetGroup(Entity, TeamOwned, Base):
    """All pictures made of one product, character or scene; or the three-views of one portrait."""

    __tablename__ = "base_asset_group"
    __table_args__ = (
        one_of("kind", GroupKind),
        Index(
            "uq_base_asset_group_entity",
            "project_id",
            "kind",
            "label",
            "triview_of",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
        Index(None, "adopted_asset_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    kind: Mapped[str]
    label: Mapped[str] = mapped_column(default="")
    triview_of: Mapped[uuid.UUID | None]
    adopted_asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))

    candidates: Mapped[list[BaseAssetCandidate]] = relationship(
        order_by="BaseAssetCandidate.created_at, BaseAssetCandidate.id",
        cascade="all, delete-orphan",
        lazy="raise",
    )


class BaseAssetCandidate(Entity, TeamOwned, Base):
    """One picture of a group."""

    __tablename__ = "base_asset_candidate"
    __table_args__ = (UniqueConstraint("group_id", "asset_id"), Index(None, "asset_id"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    group_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("base_asset_group.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="CASCADE"))

    asset: Mapped[Asset] = relationship(lazy="raise")


class Storyboard(Entity, TeamOwned, Base):
    """One generation of all shots; the project's newest one counts. Its id is the ``version_id``."""

    __tablename__ = "storyboard"
    __table_args__ = (one_of("status", WorkStatus), Index(None, "project_id", "created_at"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    script_version_id: Mapped[uuid.UUID]
    task_id: Mapped[uuid.UUID]
    prompt: Mapped[str] = mapped_column(default="")
    status: Mapped[str] = mapped_column(default=WorkStatus.GENERATING)

    shots: Mapped[list[Shot]] = relationship(
        order_by="Shot.index", cascade="all, delete-orphan", lazy="raise"
    )


class Shot(Entity, TeamOwned, Base):
    """The picture of one script segment. ``task_id`` is the newest order for it."""

    __tablename__ = "shot"
    __table_args__ = (
        one_of("status", WorkStatus),
        UniqueConstraint("storyboard_id", "segment_id"),
        Index(None, "task_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    storyboard_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("storyboard.id", ondelete="CASCADE"))
    segment_id: Mapped[uuid.UUID]
    index: Mapped[int]
    prompt: Mapped[str] = mapped_column(default="")
    status: Mapped[str] = mapped_column(default=WorkStatus.GENERATING)
    error: Mapped[str | None]
    task_id: Mapped[uuid.UUID | None]
    adopted_version_id: Mapped[uuid.UUID | None]

    versions: Mapped[list[ShotVersion]] = relationship(
        order_by="ShotVersion.created_at, ShotVersion.id", cascade="all, delete-orphan", lazy="raise"
    )


class ShotVersion(Entity, TeamOwned, Base):
    """One picture of a shot; its place stays when the asset is purged."""

    __tablename__ = "shot_version"
    __table_args__ = (Index(None, "shot_id"), Index(None, "asset_id"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    shot_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("shot.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))

    asset: Mapped[Asset | None] = relationship(lazy="raise")


class VideoSegment(Entity, TeamOwned, Base):
    """The clips of one script segment. ``task_id`` is the newest order for it."""

    __tablename__ = "video_segment"
    __table_args__ = (
        one_of("status", WorkStatus),
        UniqueConstraint("project_id", "segment_id"),
        Index(None, "task_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    segment_id: Mapped[uuid.UUID]
    status: Mapped[str] = mapped_column(default=WorkStatus.EMPTY)
    error: Mapped[str | None]
    task_id: Mapped[uuid.UUID | None]
    adopted_version_id: Mapped[uuid.UUID | None]

    versions: Mapped[list[VideoVersion]] = relationship(
        order_by="VideoVersion.created_at, VideoVersion.id", cascade="all, delete-orphan", lazy="raise"
    )


class VideoVersion(Entity, TeamOwned, Base):
    """One clip of a segment; its place stays when the asset is purged."""

    __tablename__ = "video_version"
    __table_args__ = (
        one_of("source", VersionSource),
        Index(None, "video_segment_id"),
        Index(None, "asset_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    video_segment_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("video_segment.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))
    source: Mapped[str] = mapped_column(default=VersionSource.GENERATED)

    asset: Mapped[Asset | None] = relationship(lazy="raise")


class Voiceover(Entity, TeamOwned, Base):
    """A project's spoken text; each generation replaces the items."""

    __tablename__ = "voiceover"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"), unique=True)
    voice_type: Mapped[str] = mapped_column(default="")
    speed_ratio: Mapped[float] = mapped_column(default=1.0)

    items: Mapped[list[VoiceoverItem]] = relationship(
        order_by="VoiceoverItem.index", cascade="all, delete-orphan", lazy="raise"
    )


class VoiceoverItem(Entity, TeamOwned, Base):
    """One spoken piece of a script segment; ``index`` was the segment's when it was ordered."""

    __tablename__ = "voiceover_item"
    __table_args__ = (UniqueConstraint("voiceover_id", "index"), Index(None, "asset_id"))

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    voiceover_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("voiceover.id", ondelete="CASCADE"))
    segment_id: Mapped[uuid.UUID | None]
    index: Mapped[int]
    text: Mapped[str]
    asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))

    asset: Mapped[Asset | None] = relationship(lazy="raise")


class BackgroundMusic(Entity, TeamOwned, Base):
    """A project's one piece of music; its row goes with the asset."""

    __tablename__ = "background_music"
    __table_args__ = (Index(None, "asset_id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"), unique=True)
    asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="CASCADE"))
    volume: Mapped[float] = mapped_column(default=0.3)

    asset: Mapped[Asset] = relationship(lazy="raise")


class ProjectExport(Entity, TeamOwned, Base):
    """One export of a project; the newest one counts."""

    __tablename__ = "project_export"
    __table_args__ = (
        one_of("status", WorkStatus),
        Index(None, "project_id", "created_at"),
        Index(None, "task_id"),
        Index(None, "asset_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    project_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    task_id: Mapped[uuid.UUID]
    status: Mapped[str] = mapped_column(default=WorkStatus.GENERATING)
    error: Mapped[str | None]
    asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))
    duration_seconds: Mapped[float | None]

    asset: Mapped[Asset | None] = relationship(lazy="raise")
