"""The workers that are online."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field
from pyramid.config import Configurator

from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.types import Id, Out, Timestamp
from contentsvc.jobs.beats import workers_online
from contentsvc.jobs.models import Queue, WorkerBeat

workers = ApiService("admin-workers", "/api/admin/workers/")


class WorkerOut(Out):
    """A worker process that has been heard of lately."""

    id: Id
    host: str
    queues: list[Queue]
    started_at: Timestamp
    last_seen_at: Timestamp
    running: int = Field(description="Jobs it held when it was last heard of.")


@workers.get(permission=Permission.PLATFORM, response=list[WorkerOut])
def list_workers(request: ApiRequest) -> Sequence[WorkerBeat]:
    """List the workers that are online, the oldest first.

    One that stops says so and is gone at once; one that dies, after ``jobs.online_seconds``.
    """
    return workers_online(request.db, request.registry)


def includeme(config: Configurator) -> None:
    """The route."""
    config.add_cornice_service(workers)
