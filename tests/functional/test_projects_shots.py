"""Shots: failed in part and completed, made again, adopted from; what storyboards are refused for."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask
from contentsvc.jobs.models import WorkerBeat
from contentsvc.projects.models import Project
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.functional.boarding import REJECTED, generate, made, poll, shown, standing, tasks
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, read, unknown_id
from tests.functional.grouping import picture_studio
from tests.functional.projecting import act, add_project, add_script, read_project
from tests.functional.queries import count_queries


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project with an adopted script of three segments."""
    project_id = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project_id, adopted=True)
    return project_id


# In part failed


def test_a_failed_shot_leaves_the_others(studio: Studio, owner: Client, project: str) -> None:
    shots = made(studio, owner, project, Reply(), REJECTED)["shots"]
    assert [shot["status"] for shot in shots] == ["succeeded", "failed", "succeeded"]
    assert (shots[1]["error"], shots[1]["adopted_version"]) == ("The provider refuses this content.", None)


def test_a_missing_shot_fails_the_storyboard(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, REJECTED)
    polled = poll(owner, project)
    assert (polled["status"], polled["done"], polled["total"]) == ("failed", 2, 3)
    assert polled["error"] == "1 of 3 shots could not be made. The provider refuses this content."


def test_a_failed_storyboard_fails_its_task(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    studio.provider.replies.extend([REJECTED] * 3)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["actual_cost"]) == ("failed", None)
    assert task["error_message"].startswith("3 of 3 shots could not be made.")


def test_only_what_was_made_is_paid(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, REJECTED)
    assert owner.get("/api/billing/summary/").json["balance"] == "99.40"


def test_a_rerun_of_the_missing_shot_completes_the_storyboard(
    studio: Studio, owner: Client, project: str
) -> None:
    shot = made(studio, owner, project, REJECTED)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    meanwhile = poll(owner, project)["status"], standing(owner, project)
    studio.work()
    assert meanwhile == ("generating", ("storyboard", "in_progress"))
    assert (poll(owner, project)["status"], standing(owner, project)) == (
        "succeeded",
        ("video", "in_progress"),
    )


def test_a_rerun_that_fails_too_leaves_it_failed(studio: Studio, owner: Client, project: str) -> None:
    shot = made(studio, owner, project, REJECTED)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    studio.provider.replies.append(REJECTED)
    studio.work()
    assert (poll(owner, project)["status"], standing(owner, project)) == (
        "failed",
        ("storyboard", "failed"),
    )


def test_a_missing_shot_whose_segment_is_deleted_completes_the_storyboard(
    studio: Studio, owner: Client, project: str
) -> None:
    segment = made(studio, owner, project, REJECTED)["shots"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})
    polled = poll(owner, project)
    assert (polled["status"], polled["done"], polled["total"]) == ("succeeded", 2, 2)
    assert standing(owner, project) == ("video", "in_progress")
    assert [clip["index"] for clip in read_project(owner, project)["video_segments"]] == [0, 1]


def test_a_deleted_segment_completes_no_storyboard_that_lacks_another_shot(
    studio: Studio, owner: Client, project: str
) -> None:
    segment = made(studio, owner, project, REJECTED, REJECTED)["shots"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})
    polled = poll(owner, project)
    assert (polled["status"], polled["done"], polled["total"]) == ("failed", 1, 2)
    assert standing(owner, project) == ("storyboard", "failed")


def test_a_shot_that_is_still_being_made_when_its_segment_goes_is_not_waited_for(
    studio: Studio, owner: Client, project: str
) -> None:
    shot = made(studio, owner, project)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    act(owner, project, "delete-script-segment", {"segment_id": shot["segment_id"]})
    now = poll(owner, project)["status"]
    studio.work()
    assert (now, poll(owner, project)["status"]) == ("succeeded", "succeeded")


def test_a_segment_added_later_has_no_clip_after_a_rerun(studio: Studio, owner: Client, project: str) -> None:
    shot = made(studio, owner, project)["shots"][0]
    act(owner, project, "add-script-segment", {"narration": "Before all."})
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    studio.work()
    assert [clip["index"] for clip in read_project(owner, project)["video_segments"]] == [1, 2, 3]


def test_a_shot_that_can_not_be_made_again_keeps_its_picture(
    studio: Studio, owner: Client, project: str
) -> None:
    before = made(studio, owner, project)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": before["shot_id"]}, status=202)
    studio.provider.replies.append(REJECTED)
    studio.work()
    after = shown(owner, project)
    assert (after["status"], after["done"], after["shots"][0]["status"]) == ("succeeded", 3, "failed")
    assert after["shots"][0]["adopted_version"] == before["adopted_version"]
    assert standing(owner, project) == ("video", "in_progress")


# One shot


@pytest.mark.parametrize("action", ["generate-storyboard-shot", "rerun-storyboard-shot"])
def test_a_shot_made_again_gets_a_newer_version(
    studio: Studio, owner: Client, project: str, action: str
) -> None:
    shot = made(studio, owner, project)["shots"][2]
    task = act(owner, project, action, {"shot_id": shot["shot_id"]}, status=202).json["task"]
    studio.work()
    again = shown(owner, project)["shots"][2]
    assert (task["status"], read(owner, task["id"])["task_type"]) == ("RESERVED", "storyboard_image")
    assert [version["id"] for version in again["versions"]] == [
        shot["adopted_version"],
        again["adopted_version"],
    ]


def test_a_shots_new_prompt_stays(studio: Studio, owner: Client, project: str) -> None:
    shot = made(studio, owner, project)["shots"][0]
    body = {"shot_id": shot["shot_id"], "prompt": "a red door"}
    act(owner, project, "generate-storyboard-shot", body, status=202)
    studio.work()
    assert shown(owner, project)["shots"][0]["prompt"] == "a red door"
    assert "a red door" in studio.provider.orders[-1]["prompt"]


def test_an_instruction_is_said_once(studio: Studio, owner: Client, project: str) -> None:
    shot = made(studio, owner, project)["shots"][0]
    body = {"shot_id": shot["shot_id"], "instruction": "closer"}
    act(owner, project, "rerun-storyboard-shot", body, status=202)
    studio.work()
    assert "Mornings are grey. closer" in studio.provider.orders[-1]["prompt"]
    assert shown(owner, project)["shots"][0]["prompt"] == shot["prompt"]


def test_a_shot_that_is_being_made_is_not_made_twice(studio: Studio, owner: Client, project: str) -> None:
    generate(owner, project)
    shot = shown(owner, project)["shots"][0]["shot_id"]
    for action in ("generate-storyboard-shot", "rerun-storyboard-shot"):
        reply = act(owner, project, action, {"shot_id": shot}, status=400)
        assert reply.json["code"] == "conflict"
    assert len(tasks(owner, project, "storyboard_image")) == 3


def test_another_version_can_be_adopted(studio: Studio, owner: Client, project: str) -> None:
    shot = made(studio, owner, project)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    studio.work()
    body = {"shot_id": shot["shot_id"], "version_id": shot["adopted_version"]}
    found = act(owner, project, "adopt-storyboard-shot", body).json
    assert found["storyboard"]["shots"][0]["adopted_version"] == shot["adopted_version"]


def test_a_purged_picture_leaves_its_place(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    shot = made(studio, owner, project)["shots"][0]
    with database() as session:
        session.delete(session.get_one(Asset, uuid.UUID(shot["versions"][0]["asset"]["id"])))
    after = shown(owner, project)["shots"][0]
    assert after["versions"] == [{**shot["versions"][0], "asset": None}]


# Refusals


def test_before_any_storyboard_there_is_none(owner: Client, project: str) -> None:
    assert shown(owner, project) is None
    assert poll(owner, project, status=404)["code"] == "not_found"


@pytest.mark.parametrize("action", ["generate-storyboard", "skip-storyboard"])
def test_a_script_must_be_adopted_first(
    studio: Studio, owner: Client, registry: Registry, action: str
) -> None:
    project = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project)
    assert act(owner, project, action, status=400).json["code"] == "conflict"


@pytest.mark.parametrize("prompt", ["", "x" * 4001, 7])
def test_a_prompt_out_of_bounds_is_refused(owner: Client, project: str, prompt: Any) -> None:
    assert list(generate(owner, project, 400, prompt=prompt)) == ["prompt"]


@pytest.mark.parametrize(
    ("action", "field"),
    [("generate-storyboard-shot", "prompt"), ("rerun-storyboard-shot", "instruction")],
)
def test_a_shots_text_out_of_bounds_is_refused(owner: Client, project: str, action: str, field: str) -> None:
    body = {"shot_id": unknown_id(), field: ""}
    assert list(act(owner, project, action, body, status=400).json) == [field]


@pytest.mark.parametrize(
    "action", ["generate-storyboard-shot", "rerun-storyboard-shot", "adopt-storyboard-shot"]
)
def test_unknown_shots_are_not_found(
    studio: Studio, owner: Client, other: Client, registry: Registry, project: str, action: str
) -> None:
    made(studio, owner, project)
    foreign = add_project(registry, other.team_id)
    add_script(registry, other.team_id, foreign, adopted=True)
    foreign_shot = made(studio, other, foreign)["shots"][0]
    for shot_id in (unknown_id(), "x", foreign_shot["shot_id"]):
        body = {"shot_id": shot_id, "version_id": foreign_shot["adopted_version"]}
        assert act(owner, project, action, body, status=404).json["code"] == "not_found"


def test_unknown_versions_are_not_found(studio: Studio, owner: Client, project: str) -> None:
    first, second, _ = made(studio, owner, project)["shots"]
    for version_id in (unknown_id(), "x", second["adopted_version"]):
        body = {"shot_id": first["shot_id"], "version_id": version_id}
        act(owner, project, "adopt-storyboard-shot", body, status=404)


def test_an_earlier_storyboards_shots_are_gone(studio: Studio, owner: Client, project: str) -> None:
    old = made(studio, owner, project)["shots"][0]
    made(studio, owner, project)
    act(owner, project, "rerun-storyboard-shot", {"shot_id": old["shot_id"]}, status=404)


def test_all_shots_are_reserved_or_none(studio: Studio, make_client: MakeClient, registry: Registry) -> None:
    poor = make_client(balance=Decimal("0.80"))
    project = add_project(registry, poor.team_id)
    add_script(registry, poor.team_id, project, adopted=True)
    assert generate(poor, project, 402)["code"] == "insufficient_balance"
    assert shown(poor, project) is None
    assert poor.get("/api/ai/tasks/").json["count"] == 0
    assert poor.get("/api/billing/summary/").json["frozen"] == "0.00"


def test_without_a_worker_nothing_is_ordered(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    with database() as session:
        for beat in session.scalars(select(WorkerBeat)):
            session.delete(beat)
    assert generate(owner, project, 503)["code"] == "no_worker"


def test_without_a_model_nothing_is_ordered(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    with database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
    assert generate(owner, project, 503)["code"] == "no_model"


def test_viewers_only_watch(studio: Studio, owner: Client, make_client: MakeClient, project: str) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)
    shot = made(studio, owner, project)["shots"][0]
    body = {"shot_id": shot["shot_id"], "version_id": shot["adopted_version"]}
    for action in (
        "generate-storyboard",
        "skip-storyboard",
        "generate-storyboard-shot",
        "rerun-storyboard-shot",
        "adopt-storyboard-shot",
    ):
        assert act(viewer, project, action, body, status=403).json["code"] == "permission_denied"
    assert poll(viewer, project)["status"] == "succeeded"


def test_another_teams_project_is_not_found(other: Client, project: str) -> None:
    for action in ("generate-storyboard", "poll-storyboard", "skip-storyboard"):
        act(other, project, action, status=404)


def test_the_same_key_orders_once(studio: Studio, owner: Client, project: str) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (
        act(owner, project, "generate-storyboard", headers=headers, status=202).json for _ in range(2)
    )
    assert first == second
    assert len(tasks(owner, project, "storyboard_image")) == 3


def test_a_shot_is_estimated_at_what_it_costs(studio: Studio, owner: Client, project: str) -> None:
    body = {"task_type": "storyboard_image", "count": 3}
    assert owner.post_json("/api/ai/estimate/", body).json["estimated_cost"] == "0.90"


def test_reading_a_storyboard_costs_the_same_however_long(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    long = add_project(registry, owner.team_id)
    segments = [{"visual_prompt": f"shot {n}"} for n in range(9)]
    add_script(registry, owner.team_id, long, segments=segments, adopted=True)
    counts = []
    for each in (project, long):
        made(studio, owner, each)
        with count_queries(registry) as queries:
            read_project(owner, each)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_shot_belongs_to_its_project(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    made(studio, owner, project)
    with database() as session:
        product = session.get_one(Project, uuid.UUID(project)).product_id
        rows = session.scalars(select(AITask).where(AITask.project_id == uuid.UUID(project))).all()
        assert {row.product_id for row in rows} == {product}
