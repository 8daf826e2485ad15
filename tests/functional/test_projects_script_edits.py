"""Edits of a script by hand: segments changed, added and deleted."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest

from contentsvc.db.session import transaction_scope
from contentsvc.projects.core.access import lock_project
from contentsvc.projects.scripts.edits import MAX_SEGMENTS, ScriptEditor
from contentsvc.projects.scripts.schemas import SegmentAdd
from tests.functional.generating import unknown_id
from tests.functional.projecting import (
    act,
    add_project,
    add_script,
    adopt_script,
    read_project,
    set_project,
)

EDITS = ("update-script-segment", "add-script-segment", "delete-script-segment")


@pytest.fixture
def project(registry: Any, owner: Any) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def script(registry: Any, owner: Any, project: str) -> Any:
    return add_script(registry, owner.team_id, project)


def ids(reply: Any) -> list[str]:
    return [segment["segment_id"] for segment in reply["segments"]]


# Changing a segment


def test_a_change_is_made_in_place(owner: Any, project: str, script: Any) -> None:
    reply = act(
        owner,
        project,
        "update-script-segment",
        {"segment_id": script["segment_ids"][0], "visual_prompt": "Dawn", "duration_seconds": 7.5},
    ).json

    assert (reply["id"], reply["version"], ids(reply)) == (script["id"], 1, script["segment_ids"])
    assert (reply["segments"][0]["visual_prompt"], reply["segments"][0]["duration_seconds"]) == ("Dawn", 7.5)
    assert read_project(owner, project)["current_script"] == reply
    assert len(read_project(owner, project)["script_versions"]) == 1


def test_fields_and_segments_left_out_stay(owner: Any, project: str, script: Any) -> None:
    before = read_project(owner, project)["current_script"]["segments"]

    after = act(
        owner,
        project,
        "update-script-segment",
        {"segment_id": script["segment_ids"][1].upper(), "duration_seconds": 9, "narration": None},
    ).json["segments"]

    assert after == [before[0], {**before[1], "duration_seconds": 9}, before[2]]


def test_a_narration_by_hand_is_spoken_by_the_narrator(registry: Any, owner: Any, project: str) -> None:
    spoken = [{"speaker": "Mia", "line": "Hi"}, {"speaker": "Ben", "line": "Hello"}]
    script = add_script(
        registry, owner.team_id, project, segments=[{"narration": "Hi. Hello.", "dialogue": spoken}]
    )

    (segment,) = act(
        owner,
        project,
        "update-script-segment",
        {"segment_id": script["segment_ids"][0], "narration": "Good morning."},
    ).json["segments"]

    assert segment["narration"] == "Good morning."
    assert segment["dialogue"] == [{"speaker": None, "line": "Good morning."}]


def test_dialogue_stays_when_the_narration_does(registry: Any, owner: Any, project: str) -> None:
    spoken = [{"speaker": "Mia", "line": "Hi"}]
    script = add_script(registry, owner.team_id, project, segments=[{"narration": "Hi", "dialogue": spoken}])

    (segment,) = act(
        owner,
        project,
        "update-script-segment",
        {"segment_id": script["segment_ids"][0], "visual_prompt": "Noon"},
    ).json["segments"]

    assert segment["dialogue"] == spoken


def test_an_empty_narration_is_silence(owner: Any, project: str, script: Any) -> None:
    body = {"segment_id": script["segment_ids"][0], "narration": ""}

    segment = act(owner, project, "update-script-segment", body).json["segments"][0]

    assert (segment["narration"], segment["dialogue"]) == ("", [])


def test_entity_references_survive_an_edit(registry: Any, owner: Any, project: str) -> None:
    script = add_script(registry, owner.team_id, project, segments=[{"entity_refs": ["e1", "e2"]}])
    body = {"segment_id": script["segment_ids"][0], "narration": "New"}

    assert act(owner, project, "update-script-segment", body).json["segments"][0]["entity_refs"] == [
        "e1",
        "e2",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("duration_seconds", 0.99),
        ("duration_seconds", 60.01),
        ("duration_seconds", "5"),
        ("duration_seconds", True),
        ("narration", 5),
        ("narration", "x" * 4001),
        ("visual_prompt", []),
        ("visual_prompt", "x" * 4001),
    ],
)
@pytest.mark.parametrize("action", ["update-script-segment", "add-script-segment"])
def test_a_field_that_does_not_fit_is_named(
    owner: Any, project: str, script: Any, action: str, field: str, value: Any
) -> None:
    body = {"segment_id": script["segment_ids"][0], field: value}

    assert list(act(owner, project, action, body, status=400).json) == [field]


@pytest.mark.parametrize("seconds", [1, 60])
def test_the_shortest_and_the_longest_segment(owner: Any, project: str, script: Any, seconds: int) -> None:
    body = {"segment_id": script["segment_ids"][0], "duration_seconds": seconds}

    reply = act(owner, project, "update-script-segment", body).json

    assert reply["segments"][0]["duration_seconds"] == seconds


def test_edits_of_an_adopted_script_leave_it_adopted(
    registry: Any, owner: Any, project: str, script: Any
) -> None:
    adopt_script(owner, project, script)
    set_project(registry, project, stage="video")
    body = {"segment_id": script["segment_ids"][0], "narration": "New"}

    assert act(owner, project, "update-script-segment", body).json["is_adopted"] is True
    assert read_project(owner, project)["stage"] == "video"


def test_an_edit_moves_the_projects_updated_at(owner: Any, project: str, script: Any) -> None:
    before = read_project(owner, project)["updated_at"]

    act(owner, project, "add-script-segment")

    assert read_project(owner, project)["updated_at"] > before


# Adding a segment


def test_a_segment_is_added_behind_another(owner: Any, project: str, script: Any) -> None:
    first, second, third = script["segment_ids"]

    reply = act(
        owner,
        project,
        "add-script-segment",
        {"after_segment_id": second, "narration": "Wait.", "visual_prompt": "Steam", "duration_seconds": 2},
    ).json

    added = reply["segments"][2]
    assert ids(reply) == [first, second, added["segment_id"], third]
    assert [segment["index"] for segment in reply["segments"]] == [0, 1, 2, 3]
    assert {k: v for k, v in added.items() if k not in ("segment_id", "index")} == {
        "narration": "Wait.",
        "dialogue": [{"speaker": None, "line": "Wait."}],
        "visual_prompt": "Steam",
        "duration_seconds": 2,
        "entity_refs": [],
    }


def test_a_segment_behind_the_last_one_is_the_last(owner: Any, project: str, script: Any) -> None:
    reply = act(owner, project, "add-script-segment", {"after_segment_id": script["segment_ids"][2]}).json

    assert ids(reply)[:3] == script["segment_ids"]


@pytest.mark.parametrize("body", [{}, {"after_segment_id": None}])
def test_without_a_place_a_segment_comes_first(owner: Any, project: str, script: Any, body: Any) -> None:
    reply = act(owner, project, "add-script-segment", body).json

    assert ids(reply)[1:] == script["segment_ids"]
    added = reply["segments"][0]
    assert (added["narration"], added["dialogue"], added["visual_prompt"]) == ("", [], "")
    assert 1 <= added["duration_seconds"] <= 60


def test_a_full_script_takes_no_more(registry: Any, owner: Any, project: str) -> None:
    add_script(registry, owner.team_id, project, segments=[{}] * MAX_SEGMENTS)

    assert act(owner, project, "add-script-segment", status=400).json["code"] == "conflict"


def test_nothing_can_be_added_before_there_is_a_script(owner: Any, project: str) -> None:
    assert act(owner, project, "add-script-segment", status=400).json["code"] == "conflict"


# Deleting a segment


def test_a_segment_is_deleted(owner: Any, project: str, script: Any) -> None:
    first, second, third = script["segment_ids"]

    reply = act(owner, project, "delete-script-segment", {"segment_id": second}).json

    assert ids(reply) == [first, third]
    assert [segment["index"] for segment in reply["segments"]] == [0, 1]


def test_the_only_segment_stays(registry: Any, owner: Any, project: str) -> None:
    script = add_script(registry, owner.team_id, project, segments=[{"narration": "All"}])

    reply = act(owner, project, "delete-script-segment", {"segment_id": script["segment_ids"][0]}, status=400)

    assert reply.json["code"] == "conflict"
    assert ids(read_project(owner, project)["current_script"]) == script["segment_ids"]


# All three


def naming(action: str, segment_id: Any) -> dict[str, Any]:
    return {"after_segment_id" if action == "add-script-segment" else "segment_id": segment_id}


@pytest.mark.parametrize("action", EDITS)
@pytest.mark.parametrize("segment_id", [unknown_id(), "no-id"])
def test_an_unknown_segment_is_not_found(
    owner: Any, project: str, script: Any, action: str, segment_id: str
) -> None:
    act(owner, project, action, naming(action, segment_id), status=404)


@pytest.mark.parametrize("action", EDITS)
def test_before_any_script_no_segment_is_found(owner: Any, project: str, action: str) -> None:
    act(owner, project, action, naming(action, unknown_id()), status=404)


@pytest.mark.parametrize("action", EDITS)
def test_a_segment_of_a_script_that_is_not_the_working_one_is_not_found(
    registry: Any, owner: Any, project: str, script: Any, action: str
) -> None:
    add_script(registry, owner.team_id, project)

    act(owner, project, action, naming(action, script["segment_ids"][0]), status=404)


@pytest.mark.parametrize("action", EDITS)
def test_another_teams_segment_is_not_found(
    registry: Any, owner: Any, other: Any, project: str, script: Any, action: str
) -> None:
    foreign = add_script(registry, other.team_id, add_project(registry, other.team_id))

    act(owner, project, action, naming(action, foreign["segment_ids"][0]), status=404)


@pytest.mark.parametrize("action", EDITS)
def test_another_teams_project_is_not_found(other: Any, project: str, script: Any, action: str) -> None:
    act(other, project, action, naming(action, script["segment_ids"][0]), status=404)


@pytest.mark.parametrize("action", ["update-script-segment", "delete-script-segment"])
def test_the_segment_must_be_named(owner: Any, project: str, script: Any, action: str) -> None:
    assert list(act(owner, project, action, status=400).json) == ["segment_id"]


@pytest.mark.parametrize("action", ["adopt-script", *EDITS])
def test_a_viewer_is_refused_before_his_body_is_read(
    make_client: Any, owner: Any, project: str, script: Any, action: str
) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)

    assert act(viewer, project, action, status=403).json["code"] == "permission_denied"


def test_a_member_edits(make_client: Any, owner: Any, project: str, script: Any) -> None:
    member = make_client(role="member", team_id=owner.team_id)

    act(member, project, "delete-script-segment", {"segment_id": script["segment_ids"][0]})


def test_edits_at_the_same_moment_all_count(registry: Any, owner: Any, project: str, script: Any) -> None:
    """Each of them rewrites the whole list: without the project's lock, all but one were lost."""
    ready = threading.Barrier(4)

    def add() -> None:
        ready.wait()
        with transaction_scope(registry, owner.team_id) as session:
            row = lock_project(session, uuid.UUID(project))
            ScriptEditor(session, row).add(SegmentAdd(narration="More"))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(read_project(owner, project)["current_script"]["segments"]) == 7
