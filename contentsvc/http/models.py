"""Remembered replies and failure counters."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import Index, LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Base


class IdempotencyRecord(Base):
    """The first reply to a request that carried an Idempotency-Key; kept for 24 hours."""

    __tablename__ = "idempotency_record"
    __table_args__ = (Index(None, "created_at"),)

    user_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    status: Mapped[int]
    content_type: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class RateCounter(Base):
    """Hits of one bucket in one window; a bucket names what is counted and for whom."""

    __tablename__ = "rate_counter"
    __table_args__ = (Index(None, "window_start"),)

    bucket: Mapped[str] = mapped_column(primary_key=True)
    window_start: Mapped[datetime] = mapped_column(primary_key=True)
    hits: Mapped[int]
