"""Whether the doorbell answers and workers are online, for ``/api/health/ready/``."""

from __future__ import annotations

from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.http.health import NotReady
from contentsvc.jobs.doorbell import backlog
from contentsvc.jobs.models import Queue
from contentsvc.jobs.services import worker_online
from contentsvc.jobs.state import jobs_of
from contentsvc.settings import Settings


def check_queue(registry: Registry) -> str:
    """The doorbell's server answers."""
    settings: Settings = registry["contentsvc.settings"]
    backlog(registry, Queue.GENERATE)
    return settings.queue.backend


def check_workers(registry: Registry) -> str:
    """Which queues have a worker; where none has, requests that need one answer 503 themselves."""
    with transaction_scope(registry) as session:
        missing = [queue.value for queue in Queue if not worker_online(session, registry, queue)]
    detail = f"no worker for {', '.join(missing)}" if missing else "online"
    if missing and jobs_of(registry).expects_worker:
        raise NotReady(detail)
    return detail


def includeme(config: Configurator) -> None:
    """Register both checks."""
    config.add_readiness_check("queue", check_queue)
    config.add_readiness_check("workers", check_workers)
