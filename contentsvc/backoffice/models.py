"""What administrators have changed."""

from __future__ import annotations

import uuid
from typing import Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Base, Entity


class AuditRecord(Entity, Base):
    """One change in the back office, before and after, without secrets."""

    __tablename__ = "audit_record"
    __table_args__ = (
        Index(None, "created_at", "id"),
        Index(None, "actor_id", "created_at"),
        Index(None, "target_id", "created_at"),
        Index(None, "action", "created_at"),
    )

    actor_id: Mapped[uuid.UUID]
    action: Mapped[str]
    target_type: Mapped[str]
    target_id: Mapped[uuid.UUID | None]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    ip: Mapped[str] = mapped_column(default="")
