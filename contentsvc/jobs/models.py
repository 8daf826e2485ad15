"""The durable queue: jobs with leases and fences, worker beats, runs of recurring work."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, cast

from sqlalchemy import BigInteger, Index, Table, func, text
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Base, Entity, one_of


class Queue(StrEnum):
    """Queues, each with its own worker threads."""

    GENERATE = "generate"
    POLL = "poll"
    EXPORT = "export"


class JobState(StrEnum):
    OPEN = "open"
    DONE = "done"


class Job(Entity, Base):
    """Work that somebody has to finish. ``subject_id`` is the row it is about.

    ``fence`` grows with every claim: only the holder of the newest fence may write.
    ``ring_at`` is when the due scan rings it (again); ``lease_until`` is null while nobody
    holds it.
    """

    __tablename__ = "job"
    __table_args__ = (
        one_of("queue", Queue),
        one_of("state", JobState),
        Index("ix_job_due", "ring_at", postgresql_where=text("state = 'open'")),
        Index(
            "uq_job_open_subject", "kind", "subject_id", unique=True, postgresql_where=text("state = 'open'")
        ),
        Index(None, "subject_id"),
    )

    kind: Mapped[str]
    subject_id: Mapped[uuid.UUID]
    queue: Mapped[str]
    state: Mapped[str] = mapped_column(default=JobState.OPEN)
    attempt: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(BigInteger, default=0)
    lease_until: Mapped[datetime | None]
    held_by: Mapped[uuid.UUID | None]
    ring_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]


JOB_TABLE: Final = cast("Table", Job.__table__)
"""For statements that come with every ring: the mapper's own updates cost several times as much."""


class WorkerBeat(Base):
    """A live worker process; a row older than ``jobs.online_seconds`` is a dead one."""

    __tablename__ = "worker_beat"
    __table_args__ = (Index(None, "last_seen_at"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    host: Mapped[str]
    pid: Mapped[int]
    queues: Mapped[list[Any]]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    running: Mapped[int] = mapped_column(default=0)


class RecurringRun(Base):
    """One run of recurring work: whoever inserts the row does the run."""

    __tablename__ = "recurring_run"

    name: Mapped[str] = mapped_column(primary_key=True)
    due_at: Mapped[datetime] = mapped_column(primary_key=True)
