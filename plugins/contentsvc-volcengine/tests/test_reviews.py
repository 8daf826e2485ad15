"""The asset library."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from volcengine_calls import calling
from volcengine_dialects import SECRET, asset_error, result

from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    Capability,
    ContentRejected,
    Done,
    Pending,
    ReviewRequest,
    ReviewResult,
)
from contentsvc.testing import Reply, Request, SampleMedia
from contentsvc_volcengine.reviews import NOT_FIT

LINK = "https://media.test/anna.png"
ORDER = ReviewRequest(SampleMedia(b"face", "image/png", public_url=LINK), "Anna")
ANSWERS = {
    "CreateAssetGroup": result({"Id": "group-1"}),
    "CreateAsset": result({"Id": "asset-1"}),
    "GetAsset": result({"Id": "asset-1", "Status": "Active"}),
}


def answer(request: Request) -> Reply:
    return ANSWERS[request.query["Action"]]


def test_the_first_picture_makes_the_teams_group_and_the_second_finds_it(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path) as call:
        assert call.caller.start(ORDER).answer == Accepted("asset-1")
        assert call.caller.start(ORDER).answer == Accepted("asset-1")
        actions = [request.query["Action"] for request in call.server.requests]
        group, asset, _ = call.asked
    assert actions == ["CreateAssetGroup", "CreateAsset", "CreateAsset"]
    assert group == {"Name": "contentsvc order-7c1d", "GroupType": "AIGC", "ProjectName": "default"}
    assert asset == {
        "GroupId": "group-1",
        "URL": LINK,
        "AssetType": "Image",
        "Name": "Anna",
        "ProjectName": "default",
    }
    assert call.caller.state == {"review_groups": {"default": "group-1"}}


def test_a_group_is_kept_though_its_first_picture_is_refused(tmp_path: Path) -> None:
    def refusing(request: Request) -> Reply:
        if request.query["Action"] == "CreateAsset":
            return asset_error(400, "InputImageSensitiveContentDetected", "no")
        return answer(request)

    with calling(Capability.ASSET_REVIEW, refusing, tmp_path) as call:
        assert isinstance(call.caller.start(ORDER).error, ContentRejected)
    assert call.caller.state == {"review_groups": {"default": "group-1"}}


def test_a_group_that_was_deleted_there_is_forgotten(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, asset_error(404, "NotFound.Group", "gone"), tmp_path) as call:
        call.caller.state["review_groups"] = {"default": "group-0"}
        assert "gone" in str(call.caller.start(ORDER).error)
    assert call.caller.state == {}


def test_another_project_has_a_group_of_its_own(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path, options={"project": "films"}) as call:
        call.caller.state["review_groups"] = {"default": "group-0"}
        call.caller.start(ORDER)
    assert call.caller.state == {"review_groups": {"default": "group-0", "films": "group-1"}}


def test_questions_are_signed_and_carry_no_api_key(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path) as call:
        call.caller.poll("asset-1")
        (request,) = call.server.requests
    assert request.target == "/?Action=GetAsset&Version=2024-01-01"
    assert request.headers["X-Content-Sha256"] == hashlib.sha256(request.body).hexdigest()
    assert request.headers["Host"] == request.base.removeprefix("http://")
    assert request.headers["Authorization"].startswith("HMAC-SHA256 Credential=AKLTkit/")
    assert "/cn-beijing/ark/request, " in request.headers["Authorization"]
    assert not request.says(SECRET)


def test_the_address_of_the_library_is_found_by_that_of_the_models(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path) as call:
        plane = {"url": f"{call.server.url}/plane", "region": "ap-southeast-1"}
        call.caller.model.options["control_planes"]["ark.test"] = plane  # type: ignore[index]
        call.caller.base_url = "https://ark.test/api/v3"
        call.caller.poll("asset-1")
        (request,) = call.server.requests
    assert request.path == "/plane"
    assert "/ap-southeast-1/ark/request, " in request.headers["Authorization"]


@pytest.mark.parametrize(
    ("asset", "verdict"),
    [
        ({"Status": "Processing"}, Pending()),
        ({"Status": "Active"}, Done(ReviewResult(True, handles={"asset_id": "asset-1"}))),
        (
            {"Status": "Failed", "Error": {"Code": "FaceMismatch"}},
            Done(ReviewResult(False, "The face is not the one that was verified for this group.")),
        ),
        (
            {"Status": "Failed", "Error": {"Code": "WidthTooSmall"}},
            Done(ReviewResult(False, f"{NOT_FIT} (WidthTooSmall).")),
        ),
        (
            {"Status": "Failed", "Error": {"Code": "ContentRestricted"}},
            Done(ReviewResult(False, "Volcengine's content check refuses what this order contains.")),
        ),
        ({"Status": "Failed"}, Done(ReviewResult(False, "Volcengine did not approve this picture."))),
    ],
)
def test_a_verdict_is_told_in_words(tmp_path: Path, asset: dict[str, Any], verdict: Any) -> None:
    with calling(Capability.ASSET_REVIEW, result({"Id": "asset-1", **asset}), tmp_path) as call:
        assert call.caller.poll("asset-1").answer == verdict


def test_a_reply_without_its_envelope_is_read_as_well(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, Reply.json({"Status": "Active"}), tmp_path) as call:
        assert call.caller.poll("asset-1").answer.result.is_approved


def test_a_picture_without_a_link_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path) as call:
        outcome = call.caller.start(ReviewRequest(SampleMedia(b"face", "image/png"), "Anna"))
        assert call.server.requests == []
    assert "can't be reached from outside" in str(outcome.error)


def test_without_an_access_key_nothing_is_asked(tmp_path: Path) -> None:
    with calling(Capability.ASSET_REVIEW, answer, tmp_path, secret="ark-1") as call:
        error = call.caller.start(ORDER).error
        assert call.server.requests == []
    assert isinstance(error, AuthenticationFailed)
    assert "lacks access_key_id and secret_access_key" in str(error)


@pytest.mark.parametrize("part", ["AKLTkit", "c2VjcmV0"])
def test_a_part_of_the_key_that_the_provider_repeats_is_hidden(tmp_path: Path, part: str) -> None:
    reply = asset_error(400, "InvalidParameter", f"The key {part} is odd.")
    with calling(Capability.ASSET_REVIEW, reply, tmp_path) as call:
        outcome = call.caller.poll("asset-1")
    assert "The key [hidden] is odd." in outcome.message
    assert part not in call.caller.written
