"""Video packs of the library: the clips that projects use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import add_clip, add_clips, add_empty_segment
from tests.functional.projecting import act, add_project, add_script, adopt_script, read_project
from tests.functional.queries import count_queries

PACKS = "/api/assets/video-packs/"


@pytest.fixture
def project(registry: Any, owner: Client) -> str:
    return add_project(registry, owner.team_id, name="Morning")


@pytest.fixture
def segments(registry: Any, owner: Client, project: str) -> list[str]:
    """The segments of the project's adopted script."""
    return list(add_script(registry, owner.team_id, project, adopted=True)["segment_ids"])


def clips(client: Client) -> list[str]:
    """Clips of the only pack."""
    [pack] = client.get(PACKS).json
    return [clip["id"] for clip in pack["clips"]]


def adopted(client: Client, project: str) -> list[str]:
    """The clips that a project uses."""
    found = []
    for segment in read_project(client, project)["video_segments"]:
        found += [v["asset"]["id"] for v in segment["versions"] if v["id"] == segment["adopted_version"]]
    return found


def packed(client: Client) -> int:
    number: int = client.get("/api/assets/summary/").json["video_packs"]
    return number


def test_a_project_without_clips_has_no_pack(
    registry: Any, owner: Client, project: str, segments: list[str]
) -> None:
    add_empty_segment(registry, owner.team_id, project, segments[0])
    assert owner.get(PACKS).json == []
    assert packed(owner) == 0


def test_a_pack_has_the_adopted_clips_in_the_films_order(
    registry: Any, owner: Client, project: str, segments: list[str]
) -> None:
    add_clips(registry, owner.team_id, project, segments)
    add_clip(registry, owner.team_id, project, segments[1])
    [pack] = owner.get(PACKS).json
    assert pack["project"] == {"id": project, "name": "Morning"}
    assert clips(owner) == adopted(owner, project)
    assert pack["clips"][0] == owner.get(f"/api/assets/{pack['clips'][0]['id']}/").json
    assert packed(owner) == 1


def test_deleted_clips_are_left_out(registry: Any, owner: Client, project: str, segments: list[str]) -> None:
    add_clips(registry, owner.team_id, project, segments)
    first, second, third = clips(owner)
    owner.delete(f"/api/assets/{first}/")
    assert clips(owner) == [second, third]
    for each in (second, third):
        owner.delete(f"/api/assets/{each}/")
    assert (owner.get(PACKS).json, packed(owner)) == ([], 0)


def test_clips_of_segments_that_left_the_script_are_left_out(
    registry: Any, owner: Client, project: str, segments: list[str]
) -> None:
    add_clips(registry, owner.team_id, project, segments)
    act(owner, project, "delete-script-segment", {"segment_id": segments[0]})
    assert clips(owner) == adopted(owner, project)
    assert len(clips(owner)) == 2


def test_another_adopted_script_has_its_own_clips(
    registry: Any, owner: Client, project: str, segments: list[str]
) -> None:
    add_clips(registry, owner.team_id, project, segments)
    adopt_script(owner, project, add_script(registry, owner.team_id, project))
    assert (owner.get(PACKS).json, packed(owner)) == ([], 0)


def test_deleted_and_foreign_projects_have_no_pack(
    registry: Any, owner: Client, other: Client, project: str, segments: list[str]
) -> None:
    add_clips(registry, owner.team_id, project, segments)
    assert (other.get(PACKS).json, packed(other)) == ([], 0)
    owner.delete(f"/api/projects/{project}/")
    assert (owner.get(PACKS).json, packed(owner)) == ([], 0)


def test_many_packs_take_as_many_queries_as_one(
    registry: Any, owner: Client, project: str, segments: list[str], make_client: MakeClient
) -> None:
    viewer = make_client("viewer", owner.team_id)
    add_clips(registry, owner.team_id, project, segments)
    with count_queries(registry) as for_one:
        viewer.get(PACKS)
    newer = add_project(registry, owner.team_id, name="Evening")
    script = add_script(registry, owner.team_id, newer, adopted=True)
    add_clips(registry, owner.team_id, newer, script["segment_ids"])
    with count_queries(registry) as for_two:
        names = [pack["project"]["name"] for pack in viewer.get(PACKS).json]
    assert names == ["Evening", "Morning"]
    assert len(for_two) == len(for_one)
    assert packed(owner) == 2
