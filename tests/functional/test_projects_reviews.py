"""The faces of a project: submitted by themselves, and holding its videos up until they have passed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import Capability
from contentsvc.projects.clips import orders
from contentsvc.projects.models import Shot, ShotVersion, Storyboard, WorkStatus
from contentsvc.settings import ReviewSettings, Settings
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, Studio, unknown_id
from tests.functional.grouping import attached, groups, made, picture_studio, trash, turned
from tests.functional.library import add_asset, add_assets
from tests.functional.projecting import act, add_project, add_script, read_project
from tests.functional.queries import count_queries
from tests.functional.reviewing import REJECTED, TAKEN, Reviewer, reviewer_of, status_of

MIRA = {"id": "mira", "type": "character", "name": "Mira"}
KITCHEN = {"id": "kitchen", "type": "scene", "name": "Kitchen"}


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


def cast_project(registry: Registry, client: Client) -> str:
    meta = {"script_entities": [MIRA, KITCHEN]}
    project_id = add_project(registry, client.team_id, meta=meta)
    segments = [
        {"narration": "Mira bakes.", "entity_refs": ["mira", "kitchen"]},
        {"narration": "The oven glows.", "entity_refs": ["kitchen"]},
        {"narration": "Order yours."},
    ]
    add_script(registry, client.team_id, project_id, segments=segments, adopted=True)
    return project_id


def add_storyboard(registry: Registry, client: Client, project_id: str, versions: int = 1) -> list[list[str]]:
    """A storyboard whose shots use the last of ``versions`` pictures each; the pictures by segment."""
    script = read_project(client, project_id)["current_script"]
    with transaction_scope(registry, client.team_id) as session:
        storyboard = Storyboard(
            team_id=client.team_id,
            project_id=uuid.UUID(project_id),
            script_version_id=uuid.UUID(script["id"]),
            task_id=uuid.uuid4(),
            status=WorkStatus.SUCCEEDED,
        )
        session.add(storyboard)
        session.flush()
        pictures = []
        for segment in script["segments"]:
            shot = Shot(
                team_id=client.team_id,
                storyboard_id=storyboard.id,
                segment_id=uuid.UUID(segment["segment_id"]),
                index=segment["index"],
                status=WorkStatus.SUCCEEDED,
            )
            session.add(shot)
            session.flush()
            assets = add_assets(registry, client.team_id, versions, category="storyboard")
            for asset in assets:
                version = ShotVersion(team_id=client.team_id, shot_id=shot.id, asset_id=uuid.UUID(asset))
                session.add(version)
                session.flush()
                shot.adopted_version_id = version.id
            pictures.append(assets)
    return pictures


def precheck(client: Client, project_id: str) -> Any:
    return client.get(f"/api/projects/{project_id}/video-precheck/").json


def poll(client: Client, project_id: str) -> dict[str, str]:
    reviews: dict[str, str] = act(client, project_id, "poll-reviews").json["reviews"]
    return reviews


def blockers(client: Client, project_id: str) -> list[str]:
    return [face["asset_id"] for face in precheck(client, project_id)["blocking"]]


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


def submit(client: Client, asset: str, status: int = 200) -> Any:
    return client.post(f"/api/assets/{asset}/submit-review/", status=status).json


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
