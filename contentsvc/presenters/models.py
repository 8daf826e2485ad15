"""Presenters: the faces a team advertises with."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.assets.models import Asset
from contentsvc.db.base import Base, Entity


class ModelEntity(Entity, Base):
    """A presenter of a team, or an official template, which belongs to none and serves all."""

    __tablename__ = "model_entity"
    __table_args__ = (
        CheckConstraint("is_official = (team_id IS NULL)", name="owner"),
        Index(None, "team_id", "created_at"),
        Index(None, "portrait_asset_id"),
        Index(
            "uq_model_entity_source_asset",
            "team_id",
            "source_asset_id",
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
    )

    team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    tags: Mapped[list[Any]] = mapped_column(default=list)
    portrait_asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="RESTRICT"))
    source_asset_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("asset.id", ondelete="SET NULL"))
    is_official: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[uuid.UUID | None]
    deleted_at: Mapped[datetime | None]

    portrait: Mapped[Asset] = relationship(foreign_keys=[portrait_asset_id], lazy="joined", innerjoin=True)

    # The three-views of the portrait, as the team sees them; not mapped: the service loads
    # those of a whole page at once.
    __allow_unmapped__ = True
    three_views: Sequence[Asset] = ()
