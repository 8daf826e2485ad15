"""The offline author, through the API."""

from __future__ import annotations

from pyramid.registry import Registry

from tests.functional.conftest import Client
from tests.functional.projecting import add_project
from tests.functional.scripting import frames, only


def _path(project: str) -> str:
    return f"/api/projects/{project}/script-agent-stream/"


def test_it_writes_a_film_of_the_length_asked_for(registry: Registry, owner: Client) -> None:
    project = add_project(registry, owner.team_id)
    reply = owner.post_json(_path(project), {"mode": "auto", "total_duration": 30})
    segments = only(reply, "saved")["script_version"]["segments"]
    assert abs(sum(segment["duration_seconds"] for segment in segments) - 30) < 1
    assert {frame["type"] for frame in frames(reply)} == {"tool", "delta", "draft", "saved", "done"}


def test_it_rewrites_one_segment(registry: Registry, owner: Client) -> None:
    project = add_project(registry, owner.team_id)
    before = only(owner.post_json(_path(project), {"mode": "auto"}), "saved")["script_version"]["segments"]
    body = {"mode": "revise", "prompt": "shorter and warmer", "target_index": 1}
    after = only(owner.post_json(_path(project), body), "saved")["script_version"]["segments"]
    assert [after[0], *after[2:]] == [before[0], *before[2:]]
    assert after[1]["segment_id"] == before[1]["segment_id"]
