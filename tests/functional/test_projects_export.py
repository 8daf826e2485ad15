"""Films of a project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete

from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue, WorkerBeat
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig
from tests import media_samples
from tests.fakes.provider import Reply, fake_provider
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import add_clip, add_clips, add_empty_segment, set_default_model
from tests.functional.generating import Database, Studio, ledger_of, read
from tests.functional.projecting import act, add_project, add_script, read_project

SUBMIT, POLL = "submit-export", "poll-export"


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            set_default_model(session, Capability.EXPORT, server.url)
            set_default_model(session, Capability.SPEECH, server.url)
        made = Studio(registry, database, server)
        yield made
        assert made.faults() == []


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def segments(registry: Registry, owner: Client, project: str) -> list[str]:
    """Segments of the adopted script."""
    ids: list[str] = add_script(registry, owner.team_id, project, adopted=True)["segment_ids"]
    return ids


@pytest.fixture
def clips(registry: Registry, owner: Client, project: str, segments: list[str]) -> list[str]:
    """Clips of 5, 4 and 3 seconds and 1, 2 and 3 bytes."""
    return add_clips(registry, owner.team_id, project, segments)


def _exported(studio: Studio, owner: Client, project: str) -> Any:
    """What the provider was asked for the film."""
    act(owner, project, SUBMIT)
    studio.work()
    return studio.provider.orders[-1]


def test_submitting_answers_the_task(studio: Studio, owner: Client, project: str, clips: list[str]) -> None:
    reply = act(owner, project, SUBMIT, status=202).json

    assert set(reply) == {"task", "export_id"}
    assert reply["task"]["status"] == "RESERVED"
    task = read(owner, reply["task"]["id"])
    assert (task["task_type"], task["project"], task["estimated_cost"]) == ("export", project, "0.00")


def test_submitting_moves_the_project(studio: Studio, owner: Client, project: str, clips: list[str]) -> None:
    export_id = act(owner, project, SUBMIT).json["export_id"]

    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("export", "in_progress")
    assert shown["export"] == act(owner, project, POLL).json
    assert shown["export"] == {
        "export_id": export_id,
        "status": "generating",
        "progress": 0.0,
        "url": None,
        "asset": None,
        "duration_seconds": None,
        "error": None,
    }


def test_a_finished_film_completes_the_project(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    submitted = act(owner, project, SUBMIT).json
    studio.work()

    polled = act(owner, project, POLL).json
    assert (polled["export_id"], polled["status"], polled["progress"]) == (
        submitted["export_id"],
        "succeeded",
        1.0,
    )
    assert polled["duration_seconds"] == pytest.approx(1.0, abs=0.1)
    film = polled["asset"]
    assert (film["asset_type"], film["category"], film["source"]) == ("video", "", "generated")
    assert (film["project"], film["name"]) == (project, "Film.mp4")
    assert polled["url"] == film["preview_url"]
    assert owner.get(polled["url"]).content_type == "video/mp4"
    assert read_project(owner, project)["status"] == "completed"
    assert ledger_of(owner, submitted["task"]["id"]) == ["RESERVE", "CHARGE"]


def test_a_failed_film_fails_the_project(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.provider.default = Reply(400)
    submitted = act(owner, project, SUBMIT).json
    studio.work()

    polled = act(owner, project, POLL).json
    assert (polled["status"], polled["error"], polled["url"]) == (
        "failed",
        "The film could not be made.",
        None,
    )
    assert read_project(owner, project)["status"] == "failed"
    assert ledger_of(owner, submitted["task"]["id"]) == ["RESERVE", "RELEASE"]


def test_the_next_submission_takes_the_failure_back(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.provider.replies.append(Reply(400))
    act(owner, project, SUBMIT)
    studio.work()

    act(owner, project, SUBMIT)

    assert read_project(owner, project)["status"] == "in_progress"
    studio.work()
    assert read_project(owner, project)["status"] == "completed"


def test_a_passing_failure_is_tried_again(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.provider.replies.append(Reply(503))
    act(owner, project, SUBMIT)
    studio.work()

    assert act(owner, project, POLL).json["status"] == "succeeded"
    assert len(studio.provider.orders) == 2


def test_a_film_of_unknown_outcome_is_made_again_where_that_is_safe(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.set_options("fake-export", resubmit_safe=True)
    studio.provider.replies.append(Reply(cut=True))
    act(owner, project, SUBMIT)
    studio.work()

    assert act(owner, project, POLL).json["status"] == "succeeded"
    assert len(studio.provider.orders) == 2


def test_a_film_of_unknown_outcome_fails_elsewhere(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.provider.replies.append(Reply(cut=True))
    task = act(owner, project, SUBMIT).json["task"]["id"]
    studio.work()

    assert act(owner, project, POLL).json["status"] == "failed"
    assert read(owner, task)["metadata"]["outcome_unknown"] is True


def test_only_the_newest_export_speaks_for_the_project(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    studio.provider.replies.extend([Reply(400), Reply(200)])
    act(owner, project, SUBMIT)
    newest = act(owner, project, SUBMIT).json["export_id"]
    studio.work()

    polled = act(owner, project, POLL).json
    assert (polled["export_id"], polled["status"]) == (newest, "succeeded")
    assert read_project(owner, project)["status"] == "completed"


def test_a_film_that_ends_after_another_script_was_adopted_leaves_the_project_be(
    studio: Studio, registry: Registry, owner: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, SUBMIT)
    add_script(registry, owner.team_id, project, adopted=True)
    studio.work()

    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("base_assets", "in_progress")
    assert shown["export"]["status"] == "succeeded"


def test_a_deleted_projects_film_is_finished(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    task = act(owner, project, SUBMIT).json["task"]["id"]
    owner.delete(f"/api/projects/{project}/")
    studio.work()

    done = read(owner, task)
    assert (done["status"], len(done["assets"])) == ("succeeded", 1)


def test_without_a_timeline_all_clips_are_shown_in_order(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    film = _exported(studio, owner, project)

    assert film["size"] == [1080, 1920]
    assert [clip["bytes"] for clip in film["clips"]] == [1, 2, 3]
    assert film["clips"][1] == {
        "bytes": 2,
        "trim": [0.0, 4.0],
        "volume": 1.0,
        "transition": ["none", 0.0],
    }
    assert (film["narration"], film["music"]) == ([], None)


def test_without_a_timeline_the_narration_is_written_on_it(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    film = _exported(studio, owner, project)

    assert film["subtitles"] == [
        ["Mornings are grey.", 0.0, 5.0],
        ["Then comes the cup.", 5.0, 9.0],
        ["Order yours today.", 9.0, 12.0],
    ]
    assert (film["font_size"], film["position"]) == (54, "bottom")


def test_the_timeline_is_what_is_exported(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    act(
        owner,
        project,
        "save-timeline",
        {
            "clips": [
                {
                    "video_segment_id": clips[2],
                    "trim_start": 0.5,
                    "volume": 0.5,
                    "transition": {"type": "wipe", "duration": 1},
                },
                {"video_segment_id": clips[0], "trim_end": 2},
            ],
            "subtitles": {
                "style": {"font_size": 80, "position": "top"},
                "items": [
                    {"text": "Now", "start": 0, "end": 1},
                    {"text": " ", "start": 1, "end": 2},
                    {"text": "Then", "start": 3, "end": 60},
                    {"text": "Never", "start": 4, "end": 5},
                ],
            },
        },
    )
    film = _exported(studio, owner, project)

    assert film["clips"] == [
        {"bytes": 3, "trim": [0.5, 3.0], "volume": 0.5, "transition": ["wipe", 1.0]},
        {"bytes": 1, "trim": [0.0, 2.0], "volume": 1.0, "transition": ["none", 0.0]},
    ]
    assert film["subtitles"] == [["Now", 0.0, 1.0], ["Then", 3.0, 3.5]]
    assert (film["font_size"], film["position"]) == (80, "top")


def test_subtitles_can_be_turned_off(studio: Studio, owner: Client, project: str, clips: list[str]) -> None:
    act(owner, project, "save-timeline", {"subtitles": {"enabled": False}})
    assert _exported(studio, owner, project)["subtitles"] == []


def test_a_voice_starts_with_its_segment(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    items = [{"index": 1, "text": "y" * 100}, {"index": 0, "text": "x" * 200}]
    act(owner, project, "generate-voiceover", {"items": items})
    blend = {"type": "fade", "duration": 1}
    placed = [{"video_segment_id": clips[n], "transition": blend} for n in (2, 0, 1)]
    act(owner, project, "save-timeline", {"clips": placed, "voiceover": {"volume": 0.5}})

    film = _exported(studio, owner, project)

    assert film["narration"] == [["audio/wav", 2.0], ["audio/wav", 6.0]]
    assert film["narration_volume"] == 0.5


def test_a_voice_moves_with_its_segment(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, "generate-voiceover", {"items": [{"index": 1, "text": "y" * 100}]})
    first = read_project(owner, project)["current_script"]["segments"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": first})

    assert _exported(studio, owner, project)["narration"] == [["audio/wav", 0.0]]


def test_subtitles_keep_the_pace_of_the_voice(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, "generate-voiceover", {"items": [{"index": 1, "text": "y" * 200}]})
    film = _exported(studio, owner, project)
    assert film["subtitles"][1] == ["Then comes the cup.", 5.0, 7.0]


def test_a_silenced_voice_is_left_out(studio: Studio, owner: Client, project: str, clips: list[str]) -> None:
    act(owner, project, "generate-voiceover", {"items": [{"index": 0, "text": "x"}]})
    act(owner, project, "save-timeline", {"voiceover": {"enabled": False}})
    assert _exported(studio, owner, project)["narration"] == []


def test_music_is_mixed_by_the_timeline(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    sound = [("file", "beat.wav", media_samples.sound_wav(0.1))]
    owner.post(f"/api/projects/{project}/upload-bgm/", {"volume": "0.7"}, upload_files=sound)
    act(owner, project, "save-timeline", {"bgm": {"fade_in": 1, "fade_out": 2}})
    assert _exported(studio, owner, project)["music"] == {"volume": 0.7, "fades": [1.0, 2.0]}


def test_what_is_changed_after_the_order_is_for_the_next_film(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, SUBMIT)
    act(owner, project, "save-timeline", {"clips": [{"video_segment_id": clips[1]}]})
    studio.work()
    assert [clip["bytes"] for clip in studio.provider.orders[-1]["clips"]] == [1, 2, 3]


def test_a_deleted_segments_clip_is_left_out(
    studio: Studio, owner: Client, project: str, clips: list[str], segments: list[str]
) -> None:
    act(owner, project, "delete-script-segment", {"segment_id": segments[1]})
    assert [clip["bytes"] for clip in _exported(studio, owner, project)["clips"]] == [1, 3]


def test_a_clip_that_got_shorter_pulls_the_timeline_in(
    studio: Studio, registry: Registry, owner: Client, project: str, clips: list[str], segments: list[str]
) -> None:
    placed = [
        {"video_segment_id": clips[0], "trim_end": 4, "transition": {"type": "fade", "duration": 3}},
        {"video_segment_id": clips[1]},
    ]
    act(owner, project, "save-timeline", {"clips": placed})
    add_clip(registry, owner.team_id, project, segments[0], seconds=2.0)

    [first, _] = _exported(studio, owner, project)["clips"]

    assert (first["trim"], first["transition"]) == ([0.0, 2.0], ["fade", 2.0])


def test_a_film_by_the_second_is_paid_by_its_length(
    studio: Studio, database: Database, owner: Client, project: str, clips: list[str]
) -> None:
    with database() as session:
        for model in session.query(ModelConfig).filter_by(name="fake-export"):
            model.billing_unit = BillingUnit.SECOND
            model.unit_price = 1

    task = act(owner, project, SUBMIT, status=402).json
    assert task["code"] == "insufficient_balance"
    assert "180.00" in task["detail"]


def test_an_export_can_be_estimated(studio: Studio, owner: Client) -> None:
    told = owner.post_json("/api/ai/estimate/", {"task_type": "export"}).json
    assert told["estimated_cost"] == "0.00"


def test_without_a_clip_there_is_no_film(
    studio: Studio, registry: Registry, owner: Client, project: str, segments: list[str]
) -> None:
    add_empty_segment(registry, owner.team_id, project, segments[0])
    assert act(owner, project, SUBMIT, status=400).json["code"] == "no_clips"
    assert read_project(owner, project)["stage"] == "base_assets"


def test_without_a_script_there_is_no_film(studio: Studio, owner: Client, project: str) -> None:
    assert act(owner, project, SUBMIT, status=400).json["code"] == "no_clips"


def test_without_a_model_there_is_no_film(
    studio: Studio, database: Database, owner: Client, project: str, clips: list[str]
) -> None:
    with database() as session:
        for model in session.query(ModelConfig).filter_by(capability=Capability.EXPORT):
            model.status = "inactive"
    assert act(owner, project, SUBMIT, status=503).json["code"] == "no_model"


def test_without_an_export_worker_there_is_no_film(
    studio: Studio, registry: Registry, database: Database, owner: Client, project: str, clips: list[str]
) -> None:
    with database() as session:
        session.execute(delete(WorkerBeat))
    beat_once(registry, [Queue.GENERATE, Queue.POLL])
    assert act(owner, project, SUBMIT, status=503).json["code"] == "no_worker"
    assert read_project(owner, project)["export"] is None


def test_before_any_export_there_is_nothing_to_poll(owner: Client, project: str) -> None:
    assert act(owner, project, POLL, status=404).json["code"] == "not_found"


def test_viewers_poll_and_download_but_order_nothing(
    studio: Studio, owner: Client, project: str, clips: list[str], make_client: MakeClient
) -> None:
    viewer = make_client("viewer", owner.team_id)
    act(viewer, project, SUBMIT, status=403)
    act(owner, project, SUBMIT)
    assert act(viewer, project, POLL).json["status"] == "generating"
    assert viewer.get(f"/api/projects/{project}/export-clips/").status_int == 200


def test_another_team_exports_nothing(
    studio: Studio, owner: Client, other: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, SUBMIT)
    for action in (SUBMIT, POLL):
        assert act(other, project, action, status=404).json["code"] == "not_found"
    other.get(f"/api/projects/{project}/export-clips/", status=404)


def test_a_repeat_with_the_same_key_orders_one_film(
    studio: Studio, owner: Client, project: str, clips: list[str]
) -> None:
    key = {"Idempotency-Key": "film"}
    first = act(owner, project, SUBMIT, headers=key)
    again = act(owner, project, SUBMIT, headers=key)
    assert (again.status_int, again.json) == (202, first.json)
    assert again.headers["Idempotent-Replay"] == "true"
