"""The saved timeline of a project."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from pyramid.registry import Registry

from tests import media_samples
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import add_clip, add_empty_segment
from tests.functional.projecting import act, add_project, add_script, read_project

SAVE = "save-timeline"


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def clips(registry: Registry, owner: Client, project: str) -> list[str]:
    """Clips of 5, 4 and 3 seconds of an adopted script's segments; the ids of the video segments."""
    script = add_script(registry, owner.team_id, project, adopted=True)
    return [
        add_clip(registry, owner.team_id, project, segment, seconds=seconds)
        for segment, seconds in zip(script["segment_ids"], (5.0, 4.0, 3.0), strict=True)
    ]


def _timeline(reply: Any) -> Any:
    return reply.json["timeline"]


def test_a_new_project_has_none(owner: Client, project: str) -> None:
    assert read_project(owner, project)["timeline"] is None


def test_a_whole_timeline_is_shown_as_it_was_saved(owner: Client, project: str, clips: list[str]) -> None:
    whole = {
        "clips": [
            {
                "video_segment_id": clips[1],
                "trim_start": 0.5,
                "trim_end": 3.5,
                "volume": 0.0,
                "transition": {"type": "slide", "duration": 1.0},
            },
            {
                "video_segment_id": clips[0],
                "trim_start": 0.0,
                "trim_end": None,
                "volume": 2.0,
                "transition": {"type": "none", "duration": 0.0},
            },
        ],
        "subtitles": {
            "enabled": False,
            "style": {
                "font_size": 60,
                "color": "#ffcc00",
                "outline_color": "#112233",
                "position": "middle",
            },
            "items": [{"index": 4, "text": "Order yours.", "start": 0.5, "end": 2.0}],
        },
        "bgm": {"volume": 0.5, "fade_in": 1.0, "fade_out": 2.0},
        "voiceover": {"enabled": False, "volume": 1.5},
    }

    assert _timeline(act(owner, project, SAVE, whole)) == whole
    assert read_project(owner, project)["timeline"] == whole


def test_every_member_has_a_default(owner: Client, project: str, clips: list[str]) -> None:
    assert _timeline(act(owner, project, SAVE, {})) == {
        "clips": [],
        "subtitles": {
            "enabled": True,
            "style": {
                "font_size": 54,
                "color": "#FFFFFF",
                "outline_color": "#000000",
                "position": "bottom",
            },
            "items": [],
        },
        "bgm": {"volume": 0.3, "fade_in": 0.0, "fade_out": 0.0},
        "voiceover": {"enabled": True, "volume": 1.0},
    }


def test_a_clip_needs_only_its_id(owner: Client, project: str, clips: list[str]) -> None:
    [clip] = _timeline(act(owner, project, SAVE, {"clips": [{"video_segment_id": clips[2]}]}))["clips"]
    assert clip == {
        "video_segment_id": clips[2],
        "trim_start": 0.0,
        "trim_end": None,
        "volume": 1.0,
        "transition": {"type": "none", "duration": 0.0},
    }


def test_lines_without_an_index_are_counted(owner: Client, project: str, clips: list[str]) -> None:
    items = [{"text": "One", "start": 0, "end": 1}, {"text": "Two", "start": 1, "end": 2}]
    shown = _timeline(act(owner, project, SAVE, {"subtitles": {"items": items}}))["subtitles"]["items"]
    assert [(item["index"], item["text"]) for item in shown] == [(0, "One"), (1, "Two")]


def test_a_blend_without_a_duration_takes_half_a_second(
    owner: Client, project: str, clips: list[str]
) -> None:
    body = {"clips": [{"video_segment_id": clips[0], "transition": {"type": "fade"}}]}
    [clip] = _timeline(act(owner, project, SAVE, body))["clips"]
    assert clip["transition"] == {"type": "fade", "duration": 0.5}


def test_music_is_as_loud_as_it_was_uploaded_unless_told(
    owner: Client, project: str, clips: list[str]
) -> None:
    act(owner, project, SAVE, {"bgm": {"fade_in": 1}})
    sound = [("file", "beat.wav", media_samples.sound_wav(0.1))]
    path = f"/api/projects/{project}/upload-bgm/"
    assert owner.post(path, {"volume": "0.8"}, upload_files=sound).json["timeline"]["bgm"]["volume"] == 0.8
    assert _timeline(act(owner, project, SAVE, {"bgm": {"volume": 0}}))["bgm"]["volume"] == 0


def test_each_save_replaces_the_whole(owner: Client, project: str, clips: list[str]) -> None:
    act(owner, project, SAVE, {"voiceover": {"volume": 2}, "clips": [{"video_segment_id": clips[0]}]})
    timeline = _timeline(act(owner, project, SAVE, {"bgm": {"fade_out": 3}}))
    assert (timeline["clips"], timeline["voiceover"]["volume"]) == ([], 1.0)


def test_a_segment_may_be_cut_into_several_parts(owner: Client, project: str, clips: list[str]) -> None:
    parts = [
        {"video_segment_id": clips[0], "trim_start": start, "trim_end": start + 1} for start in (0, 2, 4)
    ]
    assert len(_timeline(act(owner, project, SAVE, {"clips": parts}))["clips"]) == 3


def test_a_segment_without_a_clip_may_be_placed(registry: Registry, owner: Client, project: str) -> None:
    script = add_script(registry, owner.team_id, project, adopted=True)
    empty = add_empty_segment(registry, owner.team_id, project, script["segment_ids"][0])
    body = {"clips": [{"video_segment_id": empty, "trim_start": 1, "trim_end": 50}]}
    assert _timeline(act(owner, project, SAVE, body))["clips"][0]["video_segment_id"] == empty


BAD_MEMBERS = [
    ({"clips": {}}, "clips"),
    ({"clips": [{}]}, "clips.0.video_segment_id"),
    ({"clips": [{"video_segment_id": "x"}]}, "clips.0.video_segment_id"),
    ({"clips": [{"video_segment_id": str(uuid.uuid4())}]}, "clips.0.video_segment_id"),
    ({"subtitles": {"enabled": "yes"}}, "subtitles.enabled"),
    ({"subtitles": {"style": {"font_size": 11}}}, "subtitles.style.font_size"),
    ({"subtitles": {"style": {"font_size": 201}}}, "subtitles.style.font_size"),
    ({"subtitles": {"style": {"font_size": 20.5}}}, "subtitles.style.font_size"),
    ({"subtitles": {"style": {"color": "white"}}}, "subtitles.style.color"),
    ({"subtitles": {"style": {"color": "#12345"}}}, "subtitles.style.color"),
    ({"subtitles": {"style": {"outline_color": "#GGGGGG"}}}, "subtitles.style.outline_color"),
    ({"subtitles": {"style": {"position": "left"}}}, "subtitles.style.position"),
    ({"subtitles": {"items": [{"text": "x", "start": 1, "end": 1}]}}, "subtitles.items.0.end"),
    ({"subtitles": {"items": [{"text": "x", "start": 2, "end": 1}]}}, "subtitles.items.0.end"),
    ({"subtitles": {"items": [{"text": "x", "start": -1, "end": 1}]}}, "subtitles.items.0.start"),
    ({"subtitles": {"items": [{"start": 0, "end": 1}]}}, "subtitles.items.0.text"),
    ({"subtitles": {"items": [{"text": "x" * 1001, "start": 0, "end": 1}]}}, "subtitles.items.0.text"),
    (
        {"subtitles": {"items": [{"index": -1, "text": "x", "start": 0, "end": 1}]}},
        "subtitles.items.0.index",
    ),
    ({"bgm": {"volume": 2.1}}, "bgm.volume"),
    ({"bgm": {"volume": "1"}}, "bgm.volume"),
    ({"bgm": {"fade_in": -1}}, "bgm.fade_in"),
    ({"bgm": {"fade_out": -0.5}}, "bgm.fade_out"),
    ({"voiceover": {"volume": -0.1}}, "voiceover.volume"),
    ({"voiceover": {"enabled": 1}}, "voiceover.enabled"),
    ({"voiceover": []}, "voiceover"),
]


@pytest.mark.parametrize(("body", "field"), BAD_MEMBERS)
def test_bad_members_are_refused(
    owner: Client, project: str, clips: list[str], body: dict[str, Any], field: str
) -> None:
    assert list(act(owner, project, SAVE, body, status=400).json) == [field]
    assert read_project(owner, project)["timeline"] is None


BAD_CLIPS = [
    ({"trim_start": -0.1}, "trim_start"),
    ({"trim_start": 5.0}, "trim_start"),
    ({"trim_end": 0}, "trim_end"),
    ({"trim_start": 2, "trim_end": 2}, "trim_end"),
    ({"trim_start": 3, "trim_end": 2}, "trim_end"),
    ({"trim_start": 2, "trim_end": 2.049}, "trim_end"),
    ({"trim_start": 4.96}, "trim_start"),
    ({"trim_end": 5.2}, "trim_end"),
    ({"volume": -0.1}, "volume"),
    ({"volume": 2.01}, "volume"),
    ({"volume": None}, "volume"),
    ({"transition": {"type": "explode"}}, "transition.type"),
    ({"transition": {"type": "fade", "duration": -1}}, "transition.duration"),
]


@pytest.mark.parametrize(("fields", "fault"), BAD_CLIPS)
def test_bad_clips_are_refused(
    owner: Client, project: str, clips: list[str], fields: dict[str, Any], fault: str
) -> None:
    body = {"clips": [{"video_segment_id": clips[1]}, {"video_segment_id": clips[0], **fields}]}
    assert list(act(owner, project, SAVE, body, status=400).json) == [f"clips.1.{fault}"]


def _joined(clips: list[str], *blends: float) -> dict[str, Any]:
    return {
        "clips": [
            {"video_segment_id": clip, "transition": {"type": "fade", "duration": blend}}
            for clip, blend in zip(clips, blends, strict=True)
        ]
    }


@pytest.mark.parametrize(
    ("blends", "place"),
    [
        ((5.5, 0, 0), 0),  # longer than its own clip
        ((4.5, 0, 0), 0),  # longer than the next
        ((0, 3.5, 0), 1),
        ((2.5, 2, 0), 1),  # the clip between gives more than it has
    ],
)
def test_a_transition_fits_into_what_it_joins(
    owner: Client, project: str, clips: list[str], blends: tuple[float, ...], place: int
) -> None:
    reply = act(owner, project, SAVE, _joined(clips, *blends), status=400).json
    assert list(reply) == [f"clips.{place}.transition.duration"]


def test_transitions_that_just_fit_are_saved(owner: Client, project: str, clips: list[str]) -> None:
    assert len(_timeline(act(owner, project, SAVE, _joined(clips, 2, 2, 0)))["clips"]) == 3


def test_the_shortest_part_is_saved(owner: Client, project: str, clips: list[str]) -> None:
    # As floats the two are less than 0.05 apart.
    part = {"video_segment_id": clips[0], "trim_start": 0.3, "trim_end": 0.35}
    assert len(_timeline(act(owner, project, SAVE, {"clips": [part]}))["clips"]) == 1


def test_the_last_clips_transition_counts_for_nothing(owner: Client, project: str, clips: list[str]) -> None:
    assert len(_timeline(act(owner, project, SAVE, _joined(clips, 0, 0, 60)))["clips"]) == 3


def test_a_trimmed_clip_is_as_long_as_its_part(owner: Client, project: str, clips: list[str]) -> None:
    body = _joined(clips, 1.5, 0, 0)
    body["clips"][0] |= {"trim_start": 2, "trim_end": 3}
    reply = act(owner, project, SAVE, body, status=400).json
    assert list(reply) == ["clips.0.transition.duration"]


def test_clips_of_another_project_are_refused(
    registry: Registry, owner: Client, project: str, clips: list[str]
) -> None:
    second = add_project(registry, owner.team_id)
    script = add_script(registry, owner.team_id, second, adopted=True)
    foreign = add_clip(registry, owner.team_id, second, script["segment_ids"][0])
    reply = act(owner, project, SAVE, {"clips": [{"video_segment_id": foreign}]}, status=400).json
    assert list(reply) == ["clips.0.video_segment_id"]


def test_clips_of_a_deleted_segment_are_refused(owner: Client, project: str, clips: list[str]) -> None:
    segment = read_project(owner, project)["current_script"]["segments"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})
    reply = act(owner, project, SAVE, {"clips": [{"video_segment_id": clips[0]}]}, status=400).json
    assert list(reply) == ["clips.0.video_segment_id"]


def test_clips_of_a_deleted_segment_are_not_shown(owner: Client, project: str, clips: list[str]) -> None:
    act(owner, project, SAVE, {"clips": [{"video_segment_id": clip} for clip in clips]})
    segment = read_project(owner, project)["current_script"]["segments"][1]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})

    shown = read_project(owner, project)["timeline"]
    assert [clip["video_segment_id"] for clip in shown["clips"]] == [clips[0], clips[2]]


def test_what_is_shown_after_a_deletion_can_be_saved(owner: Client, project: str, clips: list[str]) -> None:
    act(owner, project, SAVE, {"clips": [{"video_segment_id": clip} for clip in clips]})
    segment = read_project(owner, project)["current_script"]["segments"][1]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})

    shown = read_project(owner, project)["timeline"]
    assert _timeline(act(owner, project, SAVE, shown)) == shown


def test_before_a_script_is_adopted_nothing_is_saved(registry: Registry, owner: Client, project: str) -> None:
    add_script(registry, owner.team_id, project)
    assert act(owner, project, SAVE, {}, status=400).json["code"] == "conflict"


def test_viewers_save_nothing(owner: Client, project: str, clips: list[str], make_client: MakeClient) -> None:
    act(make_client("viewer", owner.team_id), project, SAVE, {}, status=403)


def test_another_team_saves_nothing(owner: Client, other: Client, project: str, clips: list[str]) -> None:
    assert act(other, project, SAVE, {}, status=404).json["code"] == "not_found"
    assert read_project(owner, project)["timeline"] is None
