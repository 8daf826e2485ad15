"""Repeated orders of clips: one key, one order, one reply."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, update

from contentsvc.generation.models import AITask
from contentsvc.http.models import IdempotencyRecord
from contentsvc.jobs.runner import run_due
from contentsvc.projects.clips import orders
from tests.functional.clipping import ACCEPTED, clip_studio, filmed, first
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio
from tests.functional.projecting import act


@pytest.fixture
def studio(registry: Registry, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    with clip_studio(registry, database, monkeypatch) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project of three segments without a storyboard."""
    return filmed(registry, owner)


def test_a_repeat_waits_for_the_reply_of_the_first_call(
    studio: Studio, owner: Client, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "ANSWER_SECONDS", 5.0)
    body = {"video_segment_id": first(owner, project), "prompt": "slow push in"}

    def call() -> Any:
        return act(owner, project, "submit-video-segment", body, headers={"Idempotency-Key": "k"}, status=202)

    studio.provider.replies.append(ACCEPTED)
    with ThreadPoolExecutor(2) as pool:
        replies = [pool.submit(call) for _ in range(2)]
        # The worker begins when the second call has found the first one waiting.
        wait(replies, timeout=1.0)
        run_due(studio.registry, limit=1)
        one, other = (reply.result(20) for reply in replies)
    assert (one.json, len(studio.provider.orders)) == (other.json, 1)
    assert {reply.headers.get("Idempotent-Replay") for reply in (one, other)} == {None, "true"}


def test_a_call_that_died_with_its_order_placed_orders_nothing_again(
    studio: Studio, owner: Client, project: str
) -> None:
    body = {"video_segment_id": first(owner, project), "prompt": "slow push in"}
    key = {"Idempotency-Key": "k"}
    act(owner, project, "submit-video-segment", body, headers=key, status=202)
    with studio.database() as session:
        session.execute(delete(IdempotencyRecord))
        session.execute(update(AITask).values(created_at=AITask.created_at - timedelta(seconds=60)))

    found = act(owner, project, "submit-video-segment", body, headers=key, status=202).json

    assert found["video_segments"][0]["status"] == "generating"
    assert len(owner.get("/api/ai/tasks/", {"project": project}).json["results"]) == 1
