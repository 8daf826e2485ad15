"""Seedance."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from volcengine_calls import Call, calling
from volcengine_dialects import task

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Capability,
    ContentRejected,
    ImageReference,
    OutcomeUnknown,
    Pending,
    ReferenceRole,
    VideoRequest,
)
from contentsvc.testing import Reply, Request, SampleMedia, sample_result

CLIP: bytes = sample_result(Capability.VIDEO_GENERATION).file
ORDER = VideoRequest("Slow push in on a cup", 5.0, "9:16", "720p", 11)
TAKEN = Reply.json({"id": "cgt-20261120-abcde"})
APPROVED = SampleMedia(b"face", "image/png", handles={"asset_id": "asset-77"})
PLAIN = SampleMedia(b"cup", "image/jpeg")


def body_of(folder: Path, order: VideoRequest, **options: Any) -> dict[str, Any]:
    with calling(Capability.VIDEO_GENERATION, TAKEN, folder, options=options) as call:
        assert call.caller.start(order).answer == Accepted("cgt-20261120-abcde")
        (body,) = call.asked
    found: dict[str, Any] = body
    return found


def finished(**members: Any) -> Any:
    """Answers a poll with a finished task whose clip is at the same server."""

    def answer(request: Request) -> Reply:
        if request.path.endswith(".mp4"):
            return Reply.file(CLIP, "video/mp4")
        return task("succeeded", content={"video_url": f"{request.base}/clip.mp4"}, **members)

    return answer


def polled(call: Call) -> Any:
    outcome = call.caller.poll("cgt-1")
    assert outcome.error is None, outcome
    return outcome.answer


def test_a_clip_from_words_alone(tmp_path: Path) -> None:
    assert body_of(tmp_path, ORDER) == {
        "model": "doubao-seedance-2-0-260128",
        "content": [{"type": "text", "text": "Slow push in on a cup"}],
        "resolution": "720p",
        "ratio": "9:16",
        "duration": 5,
        "watermark": False,
        "generate_audio": False,
    }


def test_frames_lead_and_references_stay_away(tmp_path: Path) -> None:
    reference = ImageReference(ReferenceRole.PRODUCT, PLAIN)
    order = replace(ORDER, first_frame=APPROVED, last_frame=PLAIN, references=(reference,))
    body = body_of(tmp_path, order, frame_ratio="adaptive")
    assert body["content"][1:] == [
        {"type": "image_url", "image_url": {"url": "asset://asset-77"}, "role": "first_frame"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/jpeg;base64,Y3Vw"},
            "role": "last_frame",
        },
    ]
    assert body["ratio"] == "adaptive"


def test_references_are_explained_by_their_place(tmp_path: Path) -> None:
    references = (
        ImageReference(ReferenceRole.PRESENTER, APPROVED),
        ImageReference(ReferenceRole.PRODUCT, PLAIN),
    )
    text, person, product = body_of(tmp_path, replace(ORDER, references=references))["content"]
    assert text["text"].split("\n")[1:] == [
        "图片1: the person who presents.",
        "图片2: the product; its shape, colour and markings stay as they are.",
    ]
    assert (person["role"], person["image_url"]["url"]) == ("reference_image", "asset://asset-77")
    assert product["role"] == "reference_image"


def test_a_last_frame_alone_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with calling(Capability.VIDEO_GENERATION, TAKEN, tmp_path) as call:
        outcome = call.caller.start(replace(ORDER, last_frame=PLAIN))
        assert call.server.requests == []
    assert "only together with a first one" in str(outcome.error)


@pytest.mark.parametrize(("asked", "sent"), [(1.5, 4), (4.2, 5), (5.0, 5), (60.0, 15)])
def test_lengths_are_whole_seconds_that_the_model_films(tmp_path: Path, asked: float, sent: int) -> None:
    assert body_of(tmp_path, replace(ORDER, duration_seconds=asked))["duration"] == sent


@pytest.mark.parametrize(("known", "sent"), [(["480p", "720p"], "720p"), (["4k"], "4k"), ([], "1080p")])
def test_a_resolution_that_the_model_lacks_becomes_the_next_smaller(
    tmp_path: Path, known: list[str], sent: str
) -> None:
    order = replace(ORDER, resolution="1080p")
    assert body_of(tmp_path, order, resolutions=known)["resolution"] == sent


@pytest.mark.parametrize("name", ["", "../../x", "a b", "x" * 200])
def test_a_task_without_a_usable_name_is_of_unknown_outcome(tmp_path: Path, name: str) -> None:
    with calling(Capability.VIDEO_GENERATION, Reply.json({"id": name}), tmp_path) as call:
        assert isinstance(call.caller.start(ORDER).error, OutcomeUnknown)


@pytest.mark.parametrize("status", ["queued", "running", "processing"])
def test_a_task_that_runs_is_pending(tmp_path: Path, status: str) -> None:
    with calling(Capability.VIDEO_GENERATION, task(status), tmp_path) as call:
        assert polled(call) == Pending()
        assert call.server.requests[0].path == "/api/v3/contents/generations/tasks/cgt-1"


def test_a_finished_clip_is_paid_by_its_tokens(tmp_path: Path) -> None:
    report = {"completion_tokens": 108_900, "total_tokens": 108_900}
    answer = finished(usage=report, resolution="720p", ratio="9:16", seed=3)
    with calling(Capability.VIDEO_GENERATION, answer, tmp_path) as call:
        result = polled(call).result
    assert (result.usage.units, result.usage.raw) == (Decimal("108.9"), report)
    assert result.video.metadata["resolution"] == "720p"


def test_a_clip_billed_by_seconds_is_paid_by_its_length(tmp_path: Path) -> None:
    answer = finished(usage={"completion_tokens": 108_900}, duration=5)
    with calling(Capability.VIDEO_GENERATION, answer, tmp_path) as call:
        call.caller.model = replace(call.caller.model, billing_unit=BillingUnit.SECOND)
        assert polled(call).result.usage.units == Decimal(5)


@pytest.mark.parametrize(
    ("status", "words"),
    [("cancelled", "was cancelled"), ("expired", "waited too long"), ("succeeded", "there is none")],
)
def test_a_task_that_ended_without_a_clip_is_over(tmp_path: Path, status: str, words: str) -> None:
    with calling(Capability.VIDEO_GENERATION, task(status), tmp_path) as call:
        error = call.caller.poll("cgt-1").error
    assert error is not None
    assert words in str(error)
    assert not error.retryable


def test_a_clip_that_was_held_back_is_refused_content(tmp_path: Path) -> None:
    reply = task("failed", error={"code": "OutputVideoSensitiveContentDetected", "message": "no"})
    with calling(Capability.VIDEO_GENERATION, reply, tmp_path) as call:
        assert isinstance(call.caller.poll("cgt-1").error, ContentRejected)
