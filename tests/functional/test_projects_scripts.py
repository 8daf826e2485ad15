"""Script versions, and which one counts."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from contentsvc.db.session import transaction_scope
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.segments import as_written, from_written, new_segment
from contentsvc.projects.scripts.services import adopted, working
from tests.functional.generating import unknown_id
from tests.functional.projecting import (
    NARRATIONS,
    act,
    add_project,
    add_script,
    adopt_script,
    read_project,
    set_project,
)


@pytest.fixture
def project(registry: Any, owner: Any) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def script(registry: Any, owner: Any, project: str) -> Any:
    return add_script(registry, owner.team_id, project)


# Versions


def test_the_last_version_made_is_the_current_script(
    registry: Any, owner: Any, project: str, script: Any
) -> None:
    newer = add_script(registry, owner.team_id, project, mode="theme", prompt="quiet", total_duration=15)

    shown = read_project(owner, project)["current_script"]

    assert shown["id"] == newer["id"]
    assert (shown["version"], shown["mode"], shown["prompt"]) == (2, "theme", "quiet")
    assert (shown["total_duration"], shown["aspect_ratio"], shown["base_version"]) == (15, "9:16", None)
    assert (shown["is_adopted"], shown["adopted_at"]) == (False, None)


def test_segments_as_they_are_shown(owner: Any, project: str, script: Any) -> None:
    segments = read_project(owner, project)["current_script"]["segments"]

    assert segments[1] == {
        "segment_id": script["segment_ids"][1],
        "index": 1,
        "narration": NARRATIONS[1],
        "dialogue": [{"speaker": None, "line": NARRATIONS[1]}],
        "visual_prompt": f"Shot: {NARRATIONS[1]}",
        "duration_seconds": 5,
        "entity_refs": [],
    }
    assert [segment["index"] for segment in segments] == [0, 1, 2]


def test_the_history_of_versions(registry: Any, owner: Any, project: str, script: Any) -> None:
    newer = add_script(registry, owner.team_id, project, mode="revise")
    adopt_script(owner, project, script)

    versions = read_project(owner, project)["script_versions"]

    assert [{k: v for k, v in item.items() if k != "created_at"} for item in versions] == [
        {"id": script["id"], "version": 1, "mode": "auto", "is_adopted": True},
        {"id": newer["id"], "version": 2, "mode": "revise", "is_adopted": False},
    ]


def test_what_is_written_for_backends_is_read_back_the_same() -> None:
    segment = new_segment(
        narration="Hello", dialogue=[{"speaker": "Mia", "line": "Hello"}], duration_seconds=3
    )

    again = from_written(as_written(segment), segment_id=segment["segment_id"])

    assert again == segment


# Adoption


def test_adopting_moves_the_project_to_its_base_assets(owner: Any, project: str, script: Any) -> None:
    reply = adopt_script(owner, project, script)

    assert (reply["id"], reply["is_adopted"]) == (script["id"], True)
    assert reply["adopted_at"].endswith("Z")
    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("base_assets", "in_progress")


def test_adopting_another_version_takes_the_project_back(
    registry: Any, owner: Any, project: str, script: Any
) -> None:
    adopt_script(owner, project, script)
    set_project(registry, project, stage="export", status="completed")
    newer = add_script(registry, owner.team_id, project)

    adopt_script(owner, project, newer)

    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("base_assets", "in_progress")
    assert [item["is_adopted"] for item in shown["script_versions"]] == [False, True]


def test_adopting_the_same_version_again_moves_nothing(
    registry: Any, owner: Any, project: str, script: Any
) -> None:
    first = adopt_script(owner, project, script)
    set_project(registry, project, stage="video", status="failed")

    again = adopt_script(owner, project, script)

    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("video", "failed")
    assert again["adopted_at"] == first["adopted_at"]


def test_an_adopted_version_is_the_working_one_again(
    registry: Any, owner: Any, project: str, script: Any
) -> None:
    add_script(registry, owner.team_id, project)

    adopt_script(owner, project, script)

    assert read_project(owner, project)["current_script"]["id"] == script["id"]


def test_a_newer_version_leaves_the_adopted_one(registry: Any, owner: Any, project: str, script: Any) -> None:
    adopt_script(owner, project, script)
    newer = add_script(registry, owner.team_id, project)

    with transaction_scope(registry, owner.team_id) as session:
        row = session.get(Project, uuid.UUID(project))
        followed, written = adopted(session, row), working(session, row)

    assert followed is not None
    assert written is not None
    assert (str(followed.id), str(written.id)) == (script["id"], newer["id"])


@pytest.mark.parametrize("version_id", [unknown_id(), "no-id", ""])
def test_an_unknown_version_is_not_found(owner: Any, project: str, version_id: str) -> None:
    act(owner, project, "adopt-script", {"script_version_id": version_id}, status=404)


def test_another_projects_version_is_not_found(registry: Any, owner: Any, project: str, script: Any) -> None:
    adopt_script(owner, add_project(registry, owner.team_id), script, status=404)

    assert read_project(owner, project)["stage"] == "script"


def test_another_teams_version_is_not_found(registry: Any, owner: Any, other: Any, project: str) -> None:
    foreign = add_project(registry, other.team_id)

    adopt_script(owner, project, add_script(registry, other.team_id, foreign), status=404)


@pytest.mark.parametrize("body", [{}, {"script_version_id": None}, {"script_version_id": 5}])
def test_the_version_must_be_named(owner: Any, project: str, body: Any) -> None:
    assert list(act(owner, project, "adopt-script", body, status=400).json) == ["script_version_id"]
