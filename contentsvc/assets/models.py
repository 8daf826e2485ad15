"""Assets: finished works and uploads."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.db.base import Base, Entity, TeamOwned, one_of
from contentsvc.storage.models import MediaFile


class AssetType(StrEnum):
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    DOCUMENT = "document"


class AssetSource(StrEnum):
    GENERATED = "generated"
    UPLOADED = "uploaded"


class ReviewStatus(StrEnum):
    NONE = ""
    PROCESSING = "processing"
    ACTIVE = "active"
    FAILED = "failed"


class AssetCategory(StrEnum):
    """The empty category is a plain upload."""

    NONE = ""
    PERSON = "person"
    MODEL_PORTRAIT = "model_portrait"
    TRI_VIEW = "tri_view"
    VOICE = "voice"
    MODEL_TRYON = "model_tryon"
    PLATFORM_KIT = "platform_kit"
    FREE_CREATE = "free_create"
    STORYBOARD = "storyboard"
    PRODUCT = "product"
    SCENE = "scene"
    BGM = "bgm"


LIVING = text("deleted_at IS NULL")
DELETED = text("deleted_at IS NOT NULL")
_LISTED: dict[str, Any] = {
    "postgresql_where": LIVING,
    "postgresql_include": ["in_library", "source", "category", "asset_type", "product_id"],
}


class Asset(Entity, TeamOwned, Base):
    """A work or an upload. ``file`` is the public copy, ``original_file`` the bytes as they came.

    Portraits of official presenters belong to no team. A team's scope doesn't show them, so
    whoever has no business with them needs no ``None``; see ``tenancy.official_too``.
    ``handles`` are providers' own ids for the file, by provider name.
    """

    __tablename__ = "asset"
    __table_args__ = (
        one_of("asset_type", AssetType),
        one_of("source", AssetSource),
        one_of("category", AssetCategory),
        one_of("review_status", ReviewStatus),
        # The numbers of the lists, and what there is to filter by. Few different values, so that
        # PostgreSQL keeps it small: counting fifty thousand reads a hundred pages and no rows.
        Index(
            "ix_asset_shelf",
            "team_id",
            "in_library",
            "category",
            "source",
            "asset_type",
            "product_id",
            postgresql_where=LIVING,
        ),
        # Their orders, which find the rows of a page without reading those before it.
        Index("ix_asset_living", "team_id", "created_at", "id", **_LISTED),
        Index(None, "team_id", "name", "id", **_LISTED),
        Index(None, "team_id", "size_bytes", "id", **_LISTED),
        Index(None, "team_id", "category", "created_at", "id", postgresql_where=LIVING),
        Index(
            "ix_asset_metadata",
            "metadata",
            postgresql_using="gin",
            postgresql_ops={"metadata": "jsonb_path_ops"},
        ),
        # The trash of assets, and the whole trash.
        Index("ix_asset_deleted", "team_id", "created_at", "id", postgresql_where=DELETED),
        Index(None, "team_id", "deleted_at", "id", postgresql_where=DELETED),
        Index(None, "product_id"),
        Index(None, "project_id"),
        Index(None, "task_id"),
        Index(None, "file_id"),
        Index(None, "original_file_id"),
        Index(None, "thumbnail_file_id"),
        Index(None, "created_at", "id"),
        Index(None, "review_status", "created_at", postgresql_where=text("review_status <> ''")),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), nullable=True)
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    category: Mapped[str] = mapped_column(default=AssetCategory.NONE)
    asset_type: Mapped[str]
    source: Mapped[str]
    file_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("media_file.id", ondelete="RESTRICT"))
    original_file_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("media_file.id", ondelete="RESTRICT"))
    thumbnail_file_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("media_file.id", ondelete="SET NULL")
    )
    mime_type: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    width: Mapped[int | None]
    height: Mapped[int | None]
    duration_seconds: Mapped[float | None]
    product_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("product.id", ondelete="SET NULL"))
    project_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("project.id", ondelete="SET NULL"))
    task_id: Mapped[uuid.UUID | None]
    in_library: Mapped[bool] = mapped_column(default=True)
    review_status: Mapped[str] = mapped_column(default=ReviewStatus.NONE)
    review_error: Mapped[str] = mapped_column(default="")
    meta: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    handles: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_by: Mapped[uuid.UUID | None]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.clock_timestamp())
    deleted_at: Mapped[datetime | None]

    file: Mapped[MediaFile] = relationship(foreign_keys=[file_id], lazy="joined", innerjoin=True)
    original_file: Mapped[MediaFile] = relationship(foreign_keys=[original_file_id], lazy="raise")
    thumbnail_file: Mapped[MediaFile | None] = relationship(foreign_keys=[thumbnail_file_id], lazy="joined")


class AssetReview(Entity, TeamOwned, Base):
    """The newest review of an asset: who was asked, and under which name he knows it.

    ``intent_at`` is set before the provider is asked, ``remote_job_id`` right after he has
    accepted; ``finished_at`` when there is a verdict.
    """

    __tablename__ = "asset_review"
    __table_args__ = (Index(None, "model_config_id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="CASCADE"), unique=True)
    model_config_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("model_config.id", ondelete="RESTRICT"))
    intent_at: Mapped[datetime | None]
    remote_job_id: Mapped[str | None]
    submitted_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    finished_at: Mapped[datetime | None]
