"""The pre-check of a project's videos: faces hold them up until they have passed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyramid.registry import Registry

from contentsvc.plugin import Capability
from contentsvc.projects.clips import orders
from contentsvc.settings import ReviewSettings, Settings
from tests.functional.conftest import Client
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, Studio
from tests.functional.grouping import attached, groups, made, picture_studio, trash, turned
from tests.functional.library import add_asset, add_assets
from tests.functional.projecting import act, add_storyboard, read_project
from tests.functional.reviewing import (
    REJECTED,
    TAKEN,
    Reviewer,
    blockers,
    cast_project,
    poll,
    precheck,
    reviewer_of,
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


# The pre-check


def test_a_project_without_faces_is_ready(reviewer: Reviewer, owner: Client, project: str) -> None:
    assert precheck(owner, project) == {"ready": True, "blocking": []}


def test_a_character_blocks_until_it_has_passed(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    preview_url = owner.get(f"/api/assets/{picture}/").json["preview_url"]
    assert precheck(owner, project) == {
        "ready": False,
        "blocking": [
            {
                "kind": "character",
                "label": "Mira",
                "segment_id": None,
                "asset_id": picture,
                "preview_url": preview_url,
                "review_status": "processing",
                "review_error": "",
            }
        ],
    }
    reviewer.finish()
    assert precheck(owner, project) == {"ready": True, "blocking": []}


def test_a_shot_of_a_character_blocks_until_it_has_passed(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    [[shot], _, _] = add_storyboard(registry, owner, project)
    segment = read_project(owner, project)["current_script"]["segments"][0]["segment_id"]
    [face] = precheck(owner, project)["blocking"]
    assert (face["kind"], face["label"], face["segment_id"], face["asset_id"], face["review_status"]) == (
        "shot",
        "Shot 1",
        segment,
        shot,
        "",
    )
    poll(owner, project)
    reviewer.finish()
    assert precheck(owner, project)["ready"]


def test_a_rejected_face_blocks_with_its_reason(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.provider.default = REJECTED
    attached(owner, project, picture)
    reviewer.finish()
    [face] = precheck(owner, project)["blocking"]
    assert (face["review_status"], face["review_error"]) == ("failed", "Nobody can be seen.")


def test_another_candidate_unblocks(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    first, second = add_assets(registry, owner.team_id, 2)
    reviewer.provider.replies.append(REJECTED)
    attached(owner, project, first)
    reviewer.finish()
    attached(owner, project, second)
    reviewer.finish()
    assert precheck(owner, project)["ready"]


def test_only_the_adopted_picture_of_a_group_blocks(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    first, second = add_assets(registry, owner.team_id, 2)
    attached(owner, project, first)
    attached(owner, project, second)
    assert blockers(owner, project) == [second]


def test_a_group_that_is_not_adopted_does_not_block(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    group = attached(owner, project, picture)
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "unadopted"})
    assert precheck(owner, project)["ready"]


def test_a_three_view_blocks_with_its_portrait(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str
) -> None:
    reviewer.provider.default = TAKEN
    portrait = made(studio, owner, project, label="Mira")["id"]
    view = turned(studio, owner, project, portrait)["id"]
    assert blockers(owner, project) == [portrait, view]
    group = next(g["group_id"] for g in groups(owner, project) if not g["metadata"]["triview_of"])
    act(owner, project, "set-base-asset-adopt", {"group_id": group, "state": "unadopted"})
    assert blockers(owner, project) == []


def test_three_views_of_a_portrait_that_is_not_used_do_not_block(
    studio: Studio, reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    reviewer.provider.default = TAKEN
    portrait = made(studio, owner, project, label="Mira")["id"]
    turned(studio, owner, project, portrait)
    attached(owner, project, picture)
    assert blockers(owner, project) == [picture]


def test_a_storyboard_before_the_newest_does_not_block(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    add_storyboard(registry, owner, project)
    [[shot], _, _] = add_storyboard(registry, owner, project)
    assert blockers(owner, project) == [shot]


def test_a_deleted_segment_does_not_block(
    reviewer: Reviewer, registry: Registry, owner: Client, project: str
) -> None:
    add_storyboard(registry, owner, project)
    segment = read_project(owner, project)["current_script"]["segments"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})
    assert precheck(owner, project)["ready"]


def test_a_face_in_the_trash_blocks_as_long_as_it_is_used(
    reviewer: Reviewer, owner: Client, project: str, picture: str, database: Database
) -> None:
    attached(owner, project, picture)
    trash(database, picture)
    assert blockers(owner, project) == [picture]
    reviewer.finish()
    assert precheck(owner, project)["ready"]


def test_nothing_blocks_while_nothing_backs_review(
    reviewer: Reviewer, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    reviewer.close()
    assert precheck(owner, project) == {"ready": True, "blocking": []}


@pytest.fixture
def insisting(registry: Registry) -> Iterator[None]:
    """``review.required`` is set."""
    before: Settings = registry["contentsvc.settings"]
    review = ReviewSettings(required=True)
    registry["contentsvc.settings"] = before.model_copy(update={"review": review})
    yield
    registry["contentsvc.settings"] = before


def test_faces_block_where_the_platform_insists(
    reviewer: Reviewer, owner: Client, project: str, picture: str, insisting: None
) -> None:
    reviewer.close()
    attached(owner, project, picture)
    assert blockers(owner, project) == [picture]


# Ordering a clip


@pytest.fixture
def clip(
    studio: Studio, owner: Client, project: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The order of the project's first clip, whose answer is not waited for."""
    monkeypatch.setattr(orders, "ANSWER_SECONDS", 0.0)
    with database() as session:
        set_default_model(session, Capability.VIDEO_GENERATION, studio.provider.url)
    act(owner, project, "skip-storyboard")
    segment = read_project(owner, project)["video_segments"][0]["video_segment_id"]
    return {"video_segment_id": segment, "prompt": "slow zoom"}


def test_a_face_that_has_not_passed_holds_a_clip_up(
    reviewer: Reviewer, owner: Client, project: str, picture: str, clip: dict[str, str]
) -> None:
    attached(owner, project, picture)
    told = act(owner, project, "submit-video-segment", clip, status=400).json
    assert told["code"] == "unreviewed_faces"
    assert told["blocking"] == precheck(owner, project)["blocking"]
    assert owner.get("/api/ai/tasks/").json["count"] == 0


def test_a_face_that_has_passed_lets_the_clip_be_made(
    reviewer: Reviewer, owner: Client, project: str, picture: str, clip: dict[str, str]
) -> None:
    attached(owner, project, picture)
    reviewer.finish()
    act(owner, project, "submit-video-segment", clip, status=202)
