from decimal import Decimal
from typing import Any

import pytest
from dashscope_calls import KEY, Place, photo, reference
from dashscope_dialects import filmed, task

from contentsvc.plugin import Capability, Pending, ProviderError, ReferenceRole, VideoRequest
from contentsvc.testing import Reply
from contentsvc.testing.samples import clip

LINK = "https://cdn.example/1.png"


def request(**changes: Any) -> VideoRequest:
    values: dict[str, Any] = {
        "prompt": "A slow pan",
        "duration_seconds": 4.2,
        "ratio": "2:3",
        "resolution": "480p",
        "seed": 3,
    }
    return VideoRequest(**{**values, **changes})


def body(studio: Place, asked: VideoRequest, **options: Any) -> Any:
    studio.replies.append(task("PENDING", job="0385dc79-5ff8"))
    outcome = studio.caller(Capability.VIDEO_GENERATION, **options).start(asked)
    assert outcome.error is None, outcome
    assert outcome.answer.job_id == "0385dc79-5ff8"
    return studio.body


def polled(studio: Place, *replies: Reply, **options: Any) -> Any:
    studio.replies.extend(replies)
    return studio.caller(Capability.VIDEO_GENERATION, **options).poll("0385dc79-5ff8")


def test_the_order_is_taken_as_a_task(studio: Place) -> None:
    assert body(studio, request()) == {
        "model": "wan3.0-video",
        "input": {"prompt": "A slow pan"},
        "parameters": {"resolution": "480P", "duration": 5, "watermark": False, "ratio": "3:4", "seed": 3},
    }
    (order,) = studio.requests
    assert order.target == "/api/v1/services/aigc/video-generation/video-synthesis"
    assert order.headers["X-DashScope-Async"] == "enable"
    assert order.headers["Authorization"] == f"Bearer {KEY}"


def test_frames_lead_and_bring_their_shape(studio: Place) -> None:
    frames = {"first_frame": photo(url=LINK), "last_frame": photo()}
    sent = body(studio, request(**frames, references=(reference(),)))
    first, last = sent["input"]["media"]
    assert first == {"type": "first_frame", "url": LINK}
    assert last["type"] == "last_frame"
    assert last["url"].startswith("data:image/png;base64,")
    assert "ratio" not in sent["parameters"]


def test_references_are_named_by_their_place(studio: Place) -> None:
    sent = body(studio, request(references=(reference(), reference(ReferenceRole.SCENE))))
    assert [media["type"] for media in sent["input"]["media"]] == ["reference_image"] * 2
    assert sent["input"]["prompt"] == "A slow pan\nImage 1: the product.\nImage 2: the scene."


@pytest.mark.parametrize(
    ("pictures", "model"),
    [
        ({}, "wan2.7-t2v"),
        ({"first_frame": photo()}, "wan2.7-i2v"),
        ({"references": (reference(),)}, "wan2.7-r2v"),
    ],
    ids=["words", "frames", "references"],
)
def test_a_family_of_models_is_one_model(studio: Place, pictures: Any, model: str) -> None:
    sent = body(studio, request(**pictures), name="wan2.7")
    assert sent["model"] == model
    # The smallest it has.
    assert sent["parameters"]["resolution"] == "720P"


def test_a_last_frame_alone_is_refused_before_the_order(studio: Place) -> None:
    outcome = studio.caller(Capability.VIDEO_GENERATION).start(request(last_frame=photo()))
    assert type(outcome.error) is ProviderError
    assert studio.requests == []


def test_a_clip_is_fetched_and_charged_by_its_seconds(studio: Place) -> None:
    link = f"{studio.server.url}/made.mp4?Signature=x"
    result = polled(studio, filmed(link, 5.0), Reply.file(clip(), "video/mp4")).answer.result
    asked, fetched = studio.requests
    assert asked.target == "/api/v1/tasks/0385dc79-5ff8"
    assert "Authorization" not in fetched.headers
    assert result.usage.units == Decimal("5.0")
    assert result.usage.raw == {"duration": 5.0, "video_count": 1, "SR": 720}


@pytest.mark.parametrize("status", ["PENDING", "RUNNING", "SUSPENDED"])
def test_a_task_that_runs_is_pending(studio: Place, status: str) -> None:
    assert polled(studio, task(status)).answer == Pending()


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            task("FAILED", code="InternalError.Algo", message="x"),
            "could not make this clip (InternalError.Algo)",
        ),
        (task("CANCELED"), "was cancelled"),
        (task("UNKNOWN"), "does not know this task any more"),
        (task("SUCCEEDED"), "said to be finished, and there is none"),
    ],
    ids=["failed", "cancelled", "unknown", "empty"],
)
def test_a_task_that_came_to_nothing_is_final(studio: Place, reply: Reply, message: str) -> None:
    error = polled(studio, reply).error
    assert message in error.public_message
    assert not error.retryable


def test_another_providers_task_is_not_asked_for(studio: Place) -> None:
    outcome = studio.caller(Capability.VIDEO_GENERATION).poll("../models")
    assert type(outcome.error) is ProviderError
    assert studio.requests == []
