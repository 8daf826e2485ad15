"""Storyboards: ordered whole, made from what is adopted, skipped; what they mean for the project."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.generation.models import AITask, PromptTemplate
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_due, run_job
from tests.fakes.provider import Reply
from tests.functional.boarding import REJECTED, cast, generate, made, poll, references, shown, standing, tasks
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, ledger_of, read
from tests.functional.grouping import attached, picture_studio
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_project, add_script, read_project


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


def test_shots_are_shaped_and_worded_by_the_template(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    with database() as session:
        session.execute(
            update(PromptTemplate)
            .where(PromptTemplate.key == "storyboard_image")
            .values(template="Frame of {product}: {prompt}", ratio="4:3")
        )
    made(studio, owner, project)
    asked = studio.provider.orders[0]
    assert asked["ratio"] == "4:3"
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
