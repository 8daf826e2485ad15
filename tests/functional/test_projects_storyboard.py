"""Storyboards: ordered whole, shot by shot, in part failed and completed, skipped, adopted from."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.generation.models import AITask, PromptTemplate
from contentsvc.jobs.models import Job, WorkerBeat
from contentsvc.jobs.runner import run_due, run_job
from contentsvc.projects.models import Project
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, ledger_of, read, unknown_id
from tests.functional.grouping import attached, picture_studio
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_project, add_script, read_project
from tests.functional.queries import count_queries

REJECTED = Reply(422)


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


def generate(client: Client, project_id: str, status: int = 202, **body: Any) -> Any:
    return act(client, project_id, "generate-storyboard", body, status=status).json


def made(studio: Studio, client: Client, project_id: str, *replies: Reply) -> Any:
    """A storyboard that has ended, its shots answered with these replies; as the project shows it."""
    generate(client, project_id)
    studio.provider.replies.extend(replies)
    studio.work()
    return shown(client, project_id)


def shown(client: Client, project_id: str) -> Any:
    return read_project(client, project_id)["storyboard"]


def poll(client: Client, project_id: str, status: int = 200) -> Any:
    return act(client, project_id, "poll-storyboard", status=status).json


def standing(client: Client, project_id: str) -> tuple[str, str]:
    found = read_project(client, project_id)
    return found["stage"], found["status"]


def tasks(client: Client, project_id: str, task_type: str) -> list[Any]:
    query = {"project": project_id, "task_type": task_type, "page_size": 100}
    return list(client.get("/api/ai/tasks/", query).json["results"])


# The whole


def test_an_order_tells_its_task_and_its_shots(studio: Studio, owner: Client, project: str) -> None:
    ordered = generate(owner, project)
    assert (ordered["task"]["status"], ordered["total"]) == ("RESERVED", 3)
    assert ordered["version_id"] == shown(owner, project)["version_id"]


def test_the_whole_costs_nothing_by_itself(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    studio.work()
    task = read(owner, task_id)
    assert (task["task_type"], task["estimated_cost"], task["actual_cost"]) == ("storyboard", "0.00", "0.00")
    assert ledger_of(owner, task_id) == []


def test_each_shot_is_a_task_that_is_paid(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    shots = tasks(owner, project, "storyboard_image")
    assert [(task["status"], task["actual_cost"]) for task in shots] == [("succeeded", "0.30")] * 3


def test_the_whole_ends_with_its_last_shot(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    for _ in range(2):
        run_due(studio.registry, limit=1)
    halfway = read(owner, task_id)
    studio.work()
    assert (halfway["status"], round(halfway["progress"], 2)) == ("RESERVED", 0.67)
    assert read(owner, task_id)["status"] == "succeeded"


def test_shots_that_end_together_end_the_whole_once(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    with studio.database() as session:
        jobs = session.scalars(select(Job.id)).all()
    together = threading.Event()
    studio.provider.replies.extend([Reply(gate=together)] * 3)
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(run_job, studio.registry, job, 0) for job in jobs]
        for _ in jobs:
            studio.provider.ordered.acquire(timeout=20)
        together.set()
        assert [run.result() for run in runs] == [True] * 3
    with studio.database() as session:
        timeline = session.get_one(AITask, uuid.UUID(task_id)).timeline
    assert [step["status"] for step in timeline] == ["RESERVED", "succeeded"]
    assert standing(owner, project) == ("video", "in_progress")


def test_polls_count_the_shots_that_are_done(studio: Studio, owner: Client, project: str) -> None:
    version = generate(owner, project)["version_id"]
    run_due(studio.registry, limit=1)
    assert poll(owner, project) == {
        "status": "generating",
        "done": 1,
        "total": 3,
        "version_id": version,
        "error": None,
    }


def test_a_finished_storyboard_has_succeeded(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    polled = poll(owner, project)
    assert (polled["status"], polled["done"], polled["total"]) == ("succeeded", 3, 3)


def test_there_is_a_shot_for_each_segment_in_order(studio: Studio, owner: Client, project: str) -> None:
    board = made(studio, owner, project)
    segments = read_project(owner, project)["current_script"]["segments"]
    assert [(shot["segment_id"], shot["index"]) for shot in board["shots"]] == [
        (segment["segment_id"], segment["index"]) for segment in segments
    ]
    assert [shot["prompt"] for shot in board["shots"]] == [s["visual_prompt"] for s in segments]


def test_a_new_picture_is_adopted_by_itself(studio: Studio, owner: Client, project: str) -> None:
    for shot in made(studio, owner, project)["shots"]:
        [version] = shot["versions"]
        assert (shot["status"], shot["adopted_version"]) == ("succeeded", version["id"])


def test_shots_are_filed_in_the_library(studio: Studio, owner: Client, project: str) -> None:
    asset = made(studio, owner, project)["shots"][1]["versions"][0]["asset"]
    assert (asset["category"], asset["in_library"], asset["project"]) == ("storyboard", True, project)
    assert asset["metadata"]["index"] == 1


def test_shots_are_upright_and_worded_by_the_template(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    with database() as session:
        session.execute(
            update(PromptTemplate)
            .where(PromptTemplate.key == "storyboard_image")
            .values(template="Frame of {product}: {prompt}", ratio="1:1")
        )
    made(studio, owner, project)
    asked = studio.provider.orders[0]
    assert asked["ratio"] == "9:16"
    assert "Frame of Cup: Shot: Mornings are grey" in asked["prompt"]


def test_a_prompt_holds_for_all_shots(studio: Studio, owner: Client, project: str) -> None:
    generate(owner, project, prompt="in warm light")
    studio.work()
    assert ["in warm light" in sent["prompt"] for sent in studio.provider.orders] == [True] * 3


def test_a_new_storyboard_is_another_version(studio: Studio, owner: Client, project: str) -> None:
    first = made(studio, owner, project)["version_id"]
    second = made(studio, owner, project)
    assert second["version_id"] != first
    assert [len(shot["versions"]) for shot in second["shots"]] == [1, 1, 1]


def test_an_older_storyboard_that_ends_late_moves_nothing(
    studio: Studio, owner: Client, project: str
) -> None:
    first = generate(owner, project)["task"]["id"]
    studio.provider.replies.extend([REJECTED, REJECTED, REJECTED])
    generate(owner, project)
    studio.work()
    assert read(owner, first)["status"] == "failed"
    assert (poll(owner, project)["status"], standing(owner, project)) == (
        "succeeded",
        ("video", "in_progress"),
    )


# What shots are made from


def cast(owner: Client, registry: Registry, project: str, refs: list[list[str]]) -> tuple[str, str]:
    """A character and a scene with pictures, named by the segments as ``refs`` say."""
    entities = [
        {"id": "mira", "type": "character", "name": "Mira"},
        {"id": "kitchen", "type": "scene", "name": "Kitchen"},
    ]
    owner.patch_json(f"/api/projects/{project}/", {"metadata": {"script_entities": entities}})
    written = [{"visual_prompt": f"shot {n}", "entity_refs": named} for n, named in enumerate(refs)]
    add_script(registry, owner.team_id, project, segments=written, adopted=True)
    person = attached(owner, project, add_asset(registry, owner.team_id), "person", "Mira")
    scene = attached(owner, project, add_asset(registry, owner.team_id), "scene", "Kitchen")
    return person, scene


def references(studio: Studio) -> list[list[str]]:
    return [sent["references"] for sent in studio.provider.orders]


def test_the_product_is_always_shown_to_the_model(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    assert references(studio) == [["product"]] * 3


def test_a_shot_is_made_from_whom_and_what_its_segment_names(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    cast(owner, registry, project, [["mira"], ["kitchen", "mira"], []])
    made(studio, owner, project)
    assert references(studio) == [["product", "character"], ["product", "character", "scene"], ["product"]]


def test_a_script_nobody_has_read_gets_all_adopted_pictures(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    cast(owner, registry, project, [[]])
    made(studio, owner, project)
    assert references(studio) == [["product", "character", "scene"]]


def test_unadopted_groups_are_left_out(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    person, _ = cast(owner, registry, project, [["mira", "kitchen"]])
    act(owner, project, "set-base-asset-adopt", {"group_id": person, "state": "unadopted"})
    made(studio, owner, project)
    assert references(studio) == [["product", "scene"]]


def test_an_unadopted_product_is_shown_all_the_same(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    group = attached(owner, project, add_asset(registry, owner.team_id), "product", "Cup")
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "unadopted"})
    made(studio, owner, project)
    assert references(studio) == [["product"]] * 3


# Stage and status


def test_an_order_takes_the_project_to_its_storyboard(studio: Studio, owner: Client, project: str) -> None:
    generate(owner, project)
    assert standing(owner, project) == ("storyboard", "in_progress")


def test_a_finished_storyboard_takes_the_project_to_its_clips(
    studio: Studio, owner: Client, project: str
) -> None:
    made(studio, owner, project)
    found = read_project(owner, project)
    assert (found["stage"], found["status"]) == ("video", "in_progress")
    assert [clip["status"] for clip in found["video_segments"]] == ["empty"] * 3


def test_a_failed_storyboard_fails_the_project(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, REJECTED)
    assert standing(owner, project) == ("storyboard", "failed")
    assert read_project(owner, project)["video_segments"] == []


@pytest.mark.parametrize("reply", [Reply(), REJECTED])
def test_a_script_adopted_meanwhile_keeps_the_project_at_its_base_assets(
    studio: Studio, owner: Client, registry: Registry, project: str, reply: Reply
) -> None:
    generate(owner, project)
    studio.provider.replies.append(reply)
    add_script(registry, owner.team_id, project, adopted=True)
    studio.work()
    assert standing(owner, project) == ("base_assets", "in_progress")


def test_what_a_deleted_project_has_ordered_is_finished(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    owner.delete(f"/api/projects/{project}/")
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


def test_skipping_takes_the_project_to_its_clips(owner: Client, project: str) -> None:
    found = act(owner, project, "skip-storyboard").json
    assert (found["stage"], found["status"]) == ("video", "in_progress")
    assert [clip["index"] for clip in found["video_segments"]] == [0, 1, 2]


def test_skipping_twice_makes_no_second_clips(owner: Client, project: str) -> None:
    first = act(owner, project, "skip-storyboard").json["video_segments"]
    assert act(owner, project, "skip-storyboard").json["video_segments"] == first


def test_a_new_storyboard_keeps_the_video_segments(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    first = read_project(owner, project)["video_segments"]
    made(studio, owner, project)
    assert read_project(owner, project)["video_segments"] == first


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
    from contentsvc.assets.models import Asset

    with database() as session:
        session.delete(session.get_one(Asset, uuid.UUID(shot["versions"][0]["asset"]["id"])))
    after = shown(owner, project)["shots"][0]
    assert after["versions"] == [{**shot["versions"][0], "asset": None}]


# Segments that come and go


def test_the_shot_of_a_deleted_segment_is_not_shown(studio: Studio, owner: Client, project: str) -> None:
    shots = made(studio, owner, project)["shots"]
    act(owner, project, "delete-script-segment", {"segment_id": shots[0]["segment_id"]})
    board = shown(owner, project)
    assert [(shot["shot_id"], shot["index"]) for shot in board["shots"]] == [
        (shots[1]["shot_id"], 0),
        (shots[2]["shot_id"], 1),
    ]
    assert (board["done"], board["total"]) == (2, 2)
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shots[0]["shot_id"]}, status=404)


def test_a_new_segment_has_no_shot_until_the_next_storyboard(
    studio: Studio, owner: Client, project: str
) -> None:
    made(studio, owner, project)
    act(owner, project, "add-script-segment", {"visual_prompt": "a roof"})
    assert shown(owner, project)["total"] == 3
    assert generate(owner, project)["total"] == 4


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
