"""Pictures kept for free videos: uploaded, listed, reviewed, thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry

from tests import media_samples
from tests.functional.conftest import Client, MakeClient
from tests.functional.queries import count_queries
from tests.functional.reviewing import PROCESSING, REJECTED, RUNNING, TAKEN, Reviewer, reviewer_of
from tests.functional.videoing import REFERENCES


@pytest.fixture
def reviewer(registry: Registry) -> Iterator[Reviewer]:
    with reviewer_of(registry) as reviewer:
        yield reviewer


def keep(client: Any, status: int = 201, **fields: Any) -> Any:
    """Upload a picture; the reply."""
    upload = [("file", "steam.png", media_samples.image("PNG"))]
    return client.post(REFERENCES, fields, upload_files=upload, status=status).json


def poll(client: Any, asset_id: str, status: int = 200) -> Any:
    return client.post(f"{REFERENCES}{asset_id}/poll/", status=status).json


def listed(client: Any) -> list[str]:
    return [asset["id"] for asset in client.get(REFERENCES).json["results"]]


def test_a_picture_is_kept_as_an_asset_outside_of_the_library(reviewer: Reviewer, owner: Client) -> None:
    asset = keep(owner, name="Steam")
    assert (asset["name"], asset["asset_type"], asset["in_library"]) == ("Steam", "image", False)
    assert owner.get("/api/assets/").json["results"] == []


def test_a_picture_without_a_name_has_its_files(reviewer: Reviewer, owner: Client) -> None:
    assert keep(owner)["name"] == "steam.png"


def test_only_pictures_are_kept(reviewer: Reviewer, owner: Client) -> None:
    upload = [("file", "tone.wav", media_samples.sound("wav"))]
    assert list(owner.post(REFERENCES, upload_files=upload, status=400).json) == ["file"]


def test_the_list_has_the_teams_pictures_newest_first(
    reviewer: Reviewer, owner: Client, other: Client
) -> None:
    keep(other)
    first, second = keep(owner)["id"], keep(owner)["id"]
    assert listed(owner) == [second, first]


def test_the_list_costs_the_same_for_one_and_for_many(
    reviewer: Reviewer, registry: Registry, owner: Client
) -> None:
    keep(owner)
    with count_queries(registry) as one:
        listed(owner)
    keep(owner)
    with count_queries(registry) as two:
        listed(owner)
    assert len(one) == len(two)


def test_other_assets_are_no_references(reviewer: Reviewer, owner: Client) -> None:
    upload = [("file", "cup.png", media_samples.image("PNG"))]
    asset = owner.post("/api/assets/upload/", upload_files=upload).json
    poll(owner, asset["id"], status=404)
    assert listed(owner) == []


def test_a_picture_is_handed_in_by_itself(reviewer: Reviewer, owner: Client) -> None:
    assert keep(owner)["review_status"] == "processing"
    reviewer.finish()
    assert reviewer.handed_in() == ["steam.png"]


def test_the_poll_tells_a_passed_picture(reviewer: Reviewer, owner: Client) -> None:
    asset_id = keep(owner)["id"]
    assert poll(owner, asset_id) == PROCESSING
    reviewer.finish()
    assert poll(owner, asset_id) == {"review_status": "active", "review_error": ""}


def test_the_poll_tells_why_a_picture_was_rejected(reviewer: Reviewer, owner: Client) -> None:
    reviewer.provider.default = REJECTED
    asset_id = keep(owner)["id"]
    reviewer.finish()
    assert poll(owner, asset_id) == {"review_status": "failed", "review_error": "Nobody can be seen."}


def test_the_poll_brings_the_next_look_forward(reviewer: Reviewer, owner: Client) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.polls.extend([RUNNING] * 4)
    asset_id = keep(owner)["id"]
    for _ in range(5):
        reviewer.work()
    [before] = reviewer.waits()
    poll(owner, asset_id)
    [after] = reviewer.waits()
    assert after < before


def test_without_a_reviewer_a_picture_is_kept_all_the_same(reviewer: Reviewer, owner: Client) -> None:
    reviewer.close()
    asset = keep(owner)
    assert asset["review_status"] == ""
    assert poll(owner, asset["id"]) == {"review_status": "", "review_error": ""}


def test_the_poll_hands_in_what_nobody_could_review_before(reviewer: Reviewer, owner: Client) -> None:
    reviewer.close()
    asset_id = keep(owner)["id"]
    reviewer.open()
    assert poll(owner, asset_id) == PROCESSING


def test_a_rejected_picture_can_be_submitted_again(reviewer: Reviewer, owner: Client) -> None:
    reviewer.provider.default = REJECTED
    asset_id = keep(owner)["id"]
    reviewer.finish()
    assert owner.post(f"/api/assets/{asset_id}/submit-review/").json == PROCESSING


def test_a_deleted_picture_goes_to_the_trash(reviewer: Reviewer, owner: Client) -> None:
    asset_id = keep(owner)["id"]
    owner.delete(f"{REFERENCES}{asset_id}/", status=204)
    assert listed(owner) == []
    assert [item["id"] for item in owner.get("/api/assets/trash/").json["results"]] == [asset_id]
    owner.delete(f"{REFERENCES}{asset_id}/", status=404)


def test_a_restored_picture_is_kept_again(reviewer: Reviewer, owner: Client) -> None:
    asset_id = keep(owner)["id"]
    owner.delete(f"{REFERENCES}{asset_id}/")
    owner.post(f"/api/assets/{asset_id}/restore/")
    assert listed(owner) == [asset_id]


def test_a_viewer_may_poll_but_not_keep(reviewer: Reviewer, owner: Client, make_client: MakeClient) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert poll(viewer, keep(owner)["id"]) == PROCESSING
    assert keep(viewer, status=403)["code"] == "permission_denied"


def test_a_picture_uploaded_twice_with_one_key_is_kept_once(reviewer: Reviewer, owner: Client) -> None:
    upload = [("file", "steam.png", media_samples.image("PNG"))]
    headers = {"Idempotency-Key": "one"}
    for _ in range(2):
        owner.post(REFERENCES, upload_files=upload, headers=headers)
    assert len(listed(owner)) == 1
