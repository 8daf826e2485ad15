"""Reading tasks: lists, filters, results, unread marks, the workbench; always the team's own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update

from contentsvc.generation.models import AITask
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from tests.fakes.provider import Reply, fake_provider
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, add_fake_models, order, read, unknown_id
from tests.functional.queries import count_queries

TASKS = "/api/ai/tasks/"


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        yield Studio(registry, database, server)


def test_tasks_are_listed_newest_first(studio: Studio, owner: Client) -> None:
    first, second = order(owner), order(owner)
    assert [task["id"] for task in owner.get(TASKS).json["results"]] == second + first


def test_a_task_has_every_member_of_the_contract(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    assert set(read(owner, task_id)) == {
        "id",
        "task_type",
        "status",
        "progress",
        "error_message",
        "estimated_cost",
        "actual_cost",
        "model",
        "model_name",
        "provider",
        "project",
        "product",
        "batch_id",
        "metadata",
        "assets",
        "read_at",
        "is_deleted",
        "is_favorited",
        "created_by",
        "created_at",
        "submitted_at",
        "finished_at",
    }


def test_listing_takes_as_many_queries_for_200_tasks_as_for_one(
    studio: Studio, owner: Client, registry: Registry
) -> None:
    order(owner)
    studio.work()
    with count_queries(registry) as one:
        assert len(owner.get(TASKS, {"page_size": 200}).json["results"]) == 1
    order(owner, count=12)
    studio.work()
    for _ in range(16):
        order(owner, count=12)
    with count_queries(registry) as many:
        assert len(owner.get(TASKS, {"page_size": 200}).json["results"]) == 200
    assert len(many) == len(one)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task_type", "nonsense"),
        ("task_type", "free_image,nonsense"),
        ("status", "done"),
        ("batch_id", "x"),
        ("product", "x"),
        ("project", "{}"),
        ("page", "0"),
        ("page_size", "-1"),
    ],
)
def test_a_bad_filter_is_refused(studio: Studio, owner: Client, name: str, value: str) -> None:
    reply = owner.get(TASKS, {name: value}, status=400).json
    assert [key.partition(".")[0] for key in reply] == [name]


def test_task_types_filter_as_a_list(studio: Studio, owner: Client) -> None:
    order(owner)
    order(owner, mode="model")
    found = owner.get(TASKS, {"task_type": "free_image,cover_image"}).json["results"]
    assert [task["task_type"] for task in found] == ["free_image"]


def test_a_batch_filters(studio: Studio, owner: Client) -> None:
    [first] = order(owner)
    order(owner)
    found = owner.get(TASKS, {"batch_id": read(owner, first)["batch_id"]}).json["results"]
    assert [task["id"] for task in found] == [first]


def test_finished_tasks_are_unread(studio: Studio, owner: Client) -> None:
    order(owner, count=2)
    studio.work()
    order(owner)
    assert owner.get(TASKS).json["unread_count"] == 2


def test_marking_all_read_leaves_none_unread(studio: Studio, owner: Client) -> None:
    order(owner, count=2)
    studio.work()
    reply = owner.post_json(f"{TASKS}mark-read/", {}).json
    assert reply == {"updated": 2, "unread_count": 0}


def test_marking_some_read_leaves_the_others_and_ignores_strangers(studio: Studio, owner: Client) -> None:
    first, _ = order(owner, count=2)
    studio.work()
    reply = owner.post_json(f"{TASKS}mark-read/", {"ids": [first, unknown_id(), "nonsense"]}).json
    assert reply == {"updated": 1, "unread_count": 1}


def test_a_viewer_may_mark_tasks_read(studio: Studio, owner: Client, make_client: MakeClient) -> None:
    order(owner)
    studio.work()
    viewer = make_client("viewer", owner.team_id)
    assert viewer.post_json(f"{TASKS}mark-read/", {}).json["updated"] == 1


def test_the_workbench_keeps_old_tasks_only_while_they_are_unread(
    studio: Studio, owner: Client, database: Database
) -> None:
    old_read, old_unread = order(owner), order(owner)
    recent = order(owner)
    studio.work()
    owner.post_json(f"{TASKS}mark-read/", {"ids": old_read + recent})
    with database() as session:
        session.execute(
            update(AITask)
            .where(AITask.id.in_(old_read + old_unread))
            .values(created_at=AITask.created_at - timedelta(hours=25))
        )
    found = [task["id"] for task in owner.get(f"{TASKS}workbench/").json["results"]]
    assert found == recent + old_unread


def test_polling_answers_in_the_order_asked_and_leaves_strangers_out(
    studio: Studio, owner: Client, other: Client
) -> None:
    first, second = order(owner, count=2)
    [foreign] = order(other)
    ids = f"{second},{foreign},{unknown_id()},nonsense,{first}"
    found = owner.get("/api/ai/generate-image/", {"ids": ids}).json["tasks"]
    assert [task["id"] for task in found] == [second, first]


def test_polling_without_ids_is_refused(studio: Studio, owner: Client) -> None:
    assert list(owner.get("/api/ai/generate-image/", status=400).json) == ["ids"]
    assert list(owner.get("/api/ai/generate-image/?ids=", status=400).json) == ["ids"]


def test_polling_takes_at_most_200_ids_the_empty_ones_among_them(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    polled = owner.get("/api/ai/generate-image/", {"ids": task_id + "," * 199}).json["tasks"]
    assert [task["id"] for task in polled] == [task_id]
    over = owner.get("/api/ai/generate-image/", {"ids": task_id + "," * 200}, status=400)
    assert list(over.json) == ["ids"]


def test_polling_shows_why_a_task_failed(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(422)
    [task_id] = order(owner)
    studio.work()
    [found] = owner.get("/api/ai/generate-image/", {"ids": task_id}).json["tasks"]
    assert found == {
        "id": task_id,
        "status": "failed",
        "error_message": "The provider refuses this content.",
        "assets": [],
    }


def test_another_teams_task_is_unknown(studio: Studio, owner: Client, other: Client) -> None:
    [task_id] = order(other)
    foreign: Any = owner.get(f"{TASKS}{task_id}/", status=404)
    assert foreign.json == owner.get(f"{TASKS}{unknown_id()}/", status=404).json


def test_a_malformed_task_id_is_unknown(owner: Client) -> None:
    assert owner.get(f"{TASKS}nonsense/", status=404).json["code"] == "not_found"
