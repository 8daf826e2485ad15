"""The faces of a project: submitted by themselves, reviewable by their use, and polled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyramid.registry import Registry

from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, unknown_id
from tests.functional.grouping import attached, groups, made, picture_studio, turned
from tests.functional.library import add_asset, add_assets
from tests.functional.projecting import act, add_storyboard, read_project
from tests.functional.queries import count_queries
from tests.functional.reviewing import (
    KITCHEN,
    MIRA,
    REJECTED,
    Reviewer,
    cast_project,
    poll,
    precheck,
    reviewer_of,
    status_of,
    submit,
)


@pytest.fixture
def reviewer(registry: Registry) -> Iterator[Reviewer]:
    with reviewer_of(registry) as reviewer:
        yield reviewer


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project whose adopted script shows Mira in its first segment, and a kitchen in its second."""
    return cast_project(registry, owner)


@pytest.fixture
def picture(registry: Registry, owner: Client) -> str:
    """A plain upload."""
    return add_asset(registry, owner.team_id)


# Submitted by themselves


def test_a_generated_character_is_submitted(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str
) -> None:
    portrait = made(studio, owner, project, label="Mira")
    reviewer.finish()
    assert status_of(owner, portrait["id"]) == "active"


def test_a_three_view_of_a_character_is_submitted(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str
) -> None:
    portrait = made(studio, owner, project, label="Mira")
    view = turned(studio, owner, project, portrait["id"])
    reviewer.finish()
    assert status_of(owner, view["id"]) == "active"


@pytest.mark.parametrize("kind", ["product", "scene"])
def test_products_and_scenes_are_not(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str, kind: str
) -> None:
    asset = made(studio, owner, project, kind=kind)
    assert reviewer.work() == 0
    assert status_of(owner, asset["id"]) == ""


def test_an_attached_character_is_submitted_whatever_its_category(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    assert status_of(owner, picture) == "processing"
    reviewer.finish()
    assert status_of(owner, picture) == "active"


def test_the_reply_to_an_attachment_shows_the_review(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    [group] = groups(owner, project)
    assert group["adopted_asset"]["review_status"] == "processing"


def test_a_shot_of_a_character_is_submitted(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str
) -> None:
    act(owner, project, "generate-storyboard", {"prompt": "warm light"}, status=202)
    studio.work()
    shots = read_project(owner, project)["storyboard"]["shots"]
    statuses = [shot["versions"][0]["asset"]["review_status"] for shot in shots]
    assert [bool(status) for status in statuses] == [True, False, False]


def test_a_shot_version_that_is_chosen_is_submitted(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    pictures = add_storyboard(registry, owner, project, versions=2)
    shot = read_project(owner, project)["storyboard"]["shots"][0]
    body = {"shot_id": shot["shot_id"], "version_id": shot["versions"][0]["id"]}
    act(owner, project, "adopt-storyboard-shot", body)
    assert [status_of(owner, asset) for asset in pictures[0]] == ["processing", ""]


def test_a_candidate_that_is_chosen_is_submitted(
    reviewer: Reviewer, owner: Client, project: str, registry: Registry
) -> None:
    reviewer.close()
    first, second = add_assets(registry, owner.team_id, 2)
    group = attached(owner, project, first)
    attached(owner, project, second)
    reviewer.open()
    act(owner, project, "adopt-base-asset", {"group_id": group, "asset_id": first})
    assert [status_of(owner, asset) for asset in (first, second)] == ["processing", ""]


def test_a_group_that_is_chosen_is_submitted(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.close()
    group = attached(owner, project, picture)
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "unadopted"})
    reviewer.open()
    assert poll(owner, project) == {picture: ""}
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "adopted"})
    assert status_of(owner, picture) == "processing"


def test_what_the_metadata_makes_a_face_is_submitted_by_the_next_poll(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    [_, [second], _] = add_storyboard(registry, owner, project)
    act(owner, project, "poll-reviews")
    assert status_of(owner, second) == ""
    meta = {"script_entities": [MIRA, {**KITCHEN, "type": "character"}]}
    owner.patch_json(f"/api/projects/{project}/", {"metadata": meta})
    assert poll(owner, project)[second] == "processing"


def test_an_asset_that_has_passed_is_not_submitted_again(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    reviewer.finish()
    attached(owner, cast_project(registry, owner), picture)
    assert status_of(owner, picture) == "active"
    assert reviewer.work() == 0


def test_a_rejected_face_is_not_submitted_again_by_itself(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.provider.default = REJECTED
    attached(owner, project, picture)
    reviewer.finish()
    assert poll(owner, project) == {picture: "failed"}
    attached(owner, project, picture)
    assert status_of(owner, picture) == "failed"


def test_without_a_model_that_reviews_characters_are_made_all_the_same(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str
) -> None:
    reviewer.close()
    portrait = made(studio, owner, project, label="Mira")
    assert status_of(owner, portrait["id"]) == ""


# Reviewable by their use


def test_a_plain_upload_that_a_character_uses_can_be_submitted(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.provider.replies.append(REJECTED)
    attached(owner, project, picture)
    reviewer.finish()
    assert submit(owner, picture)["review_status"] == "processing"


def test_a_plain_upload_that_a_scene_uses_can_not(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture, kind="scene", label="Kitchen")
    assert submit(owner, picture, 400)["code"] == "not_reviewable"


def test_a_group_that_is_not_adopted_makes_nothing_reviewable(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.close()
    group = attached(owner, project, picture)
    assert submit(owner, picture, 503)["code"] == "no_model"
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "unadopted"})
    assert submit(owner, picture, 400)["code"] == "not_reviewable"


def test_a_deleted_project_makes_nothing_reviewable(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.close()
    attached(owner, project, picture)
    owner.delete(f"/api/projects/{project}/")
    assert submit(owner, picture, 400)["code"] == "not_reviewable"


# poll-reviews


def test_a_new_project_has_no_reviews(reviewer: Reviewer, owner: Client, project: str) -> None:
    assert act(owner, project, "poll-reviews").json == {"reviews": {}}


def test_a_poll_tells_each_face(reviewer: Reviewer, registry: Registry, owner: Client, project: str) -> None:
    first, second = add_assets(registry, owner.team_id, 2)
    attached(owner, project, first)
    attached(owner, project, second)
    [[shot], _, _] = add_storyboard(registry, owner, project)
    assert poll(owner, project) == {first: "processing", second: "processing", shot: "processing"}
    reviewer.finish()
    assert poll(owner, project) == {first: "active", second: "active", shot: "active"}


def test_viewers_may_poll(
    reviewer: Reviewer, owner: Client, make_client: MakeClient, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    viewer = make_client(role="viewer", team_id=owner.team_id)
    assert poll(viewer, project) == {picture: "processing"}
    assert not precheck(viewer, project)["ready"]


def test_another_teams_project_does_not_exist(
    reviewer: Reviewer, owner: Client, other: Client, project: str
) -> None:
    act(other, project, "poll-reviews", status=404)
    other.get(f"/api/projects/{project}/video-precheck/", status=404)
    act(owner, unknown_id(), "poll-reviews", status=404)


def test_faces_of_other_projects_are_not_told(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str, picture: str
) -> None:
    attached(owner, cast_project(registry, owner), picture)
    assert poll(owner, project) == {}
    assert precheck(owner, project) == {"ready": True, "blocking": []}


def test_reading_reviews_costs_the_same_however_many(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    def cost() -> tuple[int, int]:
        with count_queries(registry) as asked:
            precheck(owner, project)
        with count_queries(registry) as polled:
            poll(owner, project)
        return len(asked), len(polled)

    attached(owner, project, add_asset(registry, owner.team_id))
    add_storyboard(registry, owner, project)
    poll(owner, project)
    few = cost()
    for number in range(5):
        attached(owner, project, add_asset(registry, owner.team_id), label=f"Extra {number}")
    assert cost() == few
