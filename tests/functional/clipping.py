"""Clips of a project, ordered, uploaded and read through the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.clips import orders
from tests import media_samples
from tests.fakes.provider import Reply
from tests.functional.conftest import Client
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, Studio
from tests.functional.grouping import picture_studio
from tests.functional.projecting import act, add_project, add_script, read_project

ACCEPTED = Reply.json(202, {"job": "remote-7"})


def clip(tokens: int | None = 5000) -> Reply:
    """A finished clip of a second; five thousand tokens are what five seconds are estimated at."""
    headers = {} if tokens is None else {"X-Tokens": str(tokens)}
    return Reply(body=media_samples.video("mp4"), headers=headers)


@contextmanager
def clip_studio(registry: Registry, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    """A studio where clips are paid by tokens, 0.30 credits a thousand; orders are not waited for."""
    monkeypatch.setattr(orders, "ANSWER_SECONDS", 0.0)
    with picture_studio(registry, database) as studio:
        with database() as session:
            set_default_model(
                session,
                Capability.VIDEO_GENERATION,
                studio.provider.url,
                unit=BillingUnit.THOUSAND_TOKENS,
                price="0.02",
                tokens_per_second=1000,
            )
        yield studio


def filmed(registry: Registry, client: Client, **script: Any) -> str:
    """A project that has skipped its storyboard; its id."""
    project_id = add_project(registry, client.team_id)
    add_script(registry, client.team_id, project_id, adopted=True, **script)
    act(client, project_id, "skip-storyboard")
    return project_id


def segments(client: Client, project_id: str) -> list[Any]:
    """The video segments as the project shows them."""
    return list(read_project(client, project_id)["video_segments"])


def first(client: Client, project_id: str) -> str:
    """The first video segment."""
    return str(segments(client, project_id)[0]["video_segment_id"])


def submit(client: Client, project_id: str, status: int = 202, **body: Any) -> Any:
    """Order a clip, the first segment's unless told; the reply."""
    full = {"video_segment_id": first(client, project_id), "prompt": "steam rises", **body}
    return act(client, project_id, "submit-video-segment", full, status=status).json


def poll(client: Client, project_id: str, segment: str | None = None, status: int = 200) -> Any:
    """The reply to a poll."""
    body = {"video_segment_id": segment or first(client, project_id)}
    return act(client, project_id, "poll-video-segment", body, status=status).json


def task_of(client: Client, project_id: str) -> str:
    """The task of the first segment's newest order."""
    return str(poll(client, project_id)["task"])


def made(studio: Studio, client: Client, project_id: str, *polls: Reply) -> Any:
    """An order that is accepted, and then polled with these answers; the segment it leaves."""
    studio.provider.replies.append(ACCEPTED)
    studio.provider.polls.extend(polls or [clip()])
    submit(client, project_id)
    studio.work()
    return segments(client, project_id)[0]


def upload(client: Client, project_id: str, data: bytes, status: int = 200, **fields: Any) -> Any:
    """Upload a clip for the first segment; the reply."""
    path = f"/api/projects/{project_id}/upload-video-segment/"
    full = {"video_segment_id": first(client, project_id), **fields}
    return client.post(path, full, upload_files=[("file", "cut.mp4", data)], status=status).json
