"""The inbox: what has happened, for one user."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Base, Entity, one_of


class NotificationType(StrEnum):
    """What a notification is about."""

    PROJECT = "project"
    ASSET = "asset"
    BILLING = "billing"
    SYSTEM = "system"


class Notification(Entity, Base):
    """A message in one user's inbox. It is his, not his team's: who has no team has an inbox too."""

    __tablename__ = "notification"
    __table_args__ = (
        one_of("type", NotificationType),
        Index(
            "ix_notification_inbox",
            "user_id",
            "created_at",
            "id",
            postgresql_where=text("archived_at IS NULL"),
        ),
        # With read_at in it, an inbox is counted from the index alone.
        Index(
            "ix_notification_type",
            "user_id",
            "type",
            "created_at",
            "id",
            postgresql_include=["read_at"],
            postgresql_where=text("archived_at IS NULL"),
        ),
        Index(
            "ix_notification_unread",
            "user_id",
            "created_at",
            "id",
            postgresql_where=text("archived_at IS NULL AND read_at IS NULL"),
        ),
    )

    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"))
    type: Mapped[str]
    title: Mapped[str]
    body: Mapped[str] = mapped_column(default="")
    meta: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    read_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]

    @property
    def is_read(self) -> bool:
        """Whether its user has read it."""
        return self.read_at is not None

    @property
    def is_archived(self) -> bool:
        """Whether its user has put it away."""
        return self.archived_at is not None
