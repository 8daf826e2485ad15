"""Beats: worker processes say that they live, and which queues they serve."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence

from pyramid.registry import Registry
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.models import Queue, WorkerBeat
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings


def beat_once(registry: Registry, queues: Iterable[Queue]) -> None:
    """Make this process count as an online worker of these queues, from this moment."""
    jobs = jobs_of(registry)
    served = [Queue(queue).value for queue in queues]
    fresh = {"queues": served, "last_seen_at": now(), "running": len(jobs.held)}
    statement = insert(WorkerBeat).values(
        id=jobs.worker_id, host=platform.node(), pid=os.getpid(), started_at=now(), **fresh
    )
    with transaction_scope(registry) as session:
        session.execute(statement.on_conflict_do_update(index_elements=[WorkerBeat.id], set_=fresh))


def say_goodbye(registry: Registry) -> None:
    """This process stops counting as online at once."""
    with transaction_scope(registry) as session:
        session.execute(delete(WorkerBeat).where(WorkerBeat.id == jobs_of(registry).worker_id))


def workers_online(session: Session, registry: Registry) -> Sequence[WorkerBeat]:
    """The worker processes that have been heard of lately, the oldest first."""
    settings: Settings = registry["contentsvc.settings"]
    lately = WorkerBeat.last_seen_at > in_seconds(-settings.jobs.online_seconds)
    return session.scalars(
        select(WorkerBeat).where(lately).order_by(WorkerBeat.started_at, WorkerBeat.id)
    ).all()
