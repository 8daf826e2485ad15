"""Products, their images and selling points."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.assets.models import Asset
from contentsvc.db.base import Base, Entity, TeamOwned, one_of


class ProductStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class Product(Entity, TeamOwned, Base):
    """A product of a team. Its cover is its one primary image."""

    __tablename__ = "product"
    __table_args__ = (
        one_of("status", ProductStatus),
        Index(None, "team_id", "status", "created_at", "id"),
        Index(None, "team_id", "status", "title", "id"),
        Index(None, "team_id", "status", "updated_at", "id"),
        Index(None, "team_id", "archived_at", "id", postgresql_where=text("status = 'archived'")),
        Index(None, "team_id", "category"),
        Index(None, "team_id", "brand"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(default="")
    brand: Mapped[str] = mapped_column(default="")
    category: Mapped[str] = mapped_column(default="")
    target_audience: Mapped[str] = mapped_column(default="")
    description: Mapped[str] = mapped_column(default="")
    specs: Mapped[dict[str, Any]] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default=ProductStatus.ACTIVE)
    created_by: Mapped[uuid.UUID | None]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
    archived_at: Mapped[datetime | None]

    images: Mapped[list[ProductImage]] = relationship(
        order_by="ProductImage.sort_order, ProductImage.id", cascade="all, delete-orphan", lazy="selectin"
    )
    selling_points: Mapped[list[SellingPoint]] = relationship(
        order_by="SellingPoint.sort_order, SellingPoint.id", cascade="all, delete-orphan", lazy="selectin"
    )

    @property
    def cover(self) -> ProductImage | None:
        """The primary image."""
        return next((image for image in self.images if image.is_primary), None)

    @property
    def cover_asset(self) -> uuid.UUID | None:
        """Id of the primary image's asset."""
        return self.cover.asset_id if self.cover else None

    @property
    def cover_url(self) -> str | None:
        """Path of the primary image's public file."""
        return self.cover.asset.file.path if self.cover else None


class ProductImage(Entity, Base):
    """An asset that shows a product."""

    __tablename__ = "product_image"
    __table_args__ = (
        Index(None, "product_id", "asset_id", unique=True),
        Index("uq_product_image_primary", "product_id", unique=True, postgresql_where=text("is_primary")),
        Index(None, "asset_id"),
    )

    product_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("product.id", ondelete="CASCADE"))
    asset_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("asset.id", ondelete="CASCADE"))
    sort_order: Mapped[int] = mapped_column(default=0)
    is_primary: Mapped[bool] = mapped_column(default=False)

    asset: Mapped[Asset] = relationship(lazy="joined", innerjoin=True)


class SellingPoint(Entity, Base):
    """A reason to buy."""

    __tablename__ = "selling_point"
    __table_args__ = (Index(None, "product_id", "sort_order"),)

    product_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("product.id", ondelete="CASCADE"))
    title: Mapped[str]
    detail: Mapped[str] = mapped_column(default="")
    sort_order: Mapped[int] = mapped_column(default=0)
