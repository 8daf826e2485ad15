"""Free videos, ordered and read through the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.registry import Registry

from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.plugin import BillingUnit, Capability
from tests.fakes.provider import Reply, fake_provider
from tests.functional.clipping import ACCEPTED, clip
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, Studio

ORDERS = "/api/ai/generate-video/"
VIDEOS = "/api/ai/videos/"
REFERENCES = "/api/ai/video-references/"


@contextmanager
def video_studio(registry: Registry, database: Database) -> Iterator[Studio]:
    """A studio where videos are paid by the second, 0.30 credits each; at its end the books must add up."""
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            set_default_model(
                session, Capability.VIDEO_GENERATION, server.url, unit=BillingUnit.SECOND, price="0.02"
            )
        studio = Studio(registry, database, server)
        yield studio
        assert studio.faults() == []


def order_video(client: Any, status: int = 202, **body: Any) -> Any:
    """Order a free video; the reply."""
    return client.post_json(ORDERS, {"prompt": "steam rises", **body}, status=status).json


def task_of(client: Any, **body: Any) -> str:
    """Order a free video; its task's id."""
    return str(order_video(client, **body)["task"]["id"])


def made(studio: Studio, client: Any, *polls: Reply, **body: Any) -> str:
    """Order a video that is accepted, and then polled with these answers; its task's id."""
    studio.provider.replies.append(ACCEPTED)
    studio.provider.polls.extend(polls or [clip(None)])
    task_id = task_of(client, **body)
    studio.work()
    return task_id


def poll(client: Any, *ids: str) -> list[Any]:
    """The tasks as the poll answers them."""
    return list(client.get(ORDERS, {"ids": ",".join(ids)}).json["tasks"])


def listed(client: Any, **query: Any) -> list[str]:
    """Ids of the list of free videos."""
    return [task["id"] for task in client.get(VIDEOS, query).json["results"]]
