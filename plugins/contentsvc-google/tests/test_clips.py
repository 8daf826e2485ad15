import base64
from decimal import Decimal
from typing import Any

import pytest
from google_calls import KEY, Place, photo, reference
from google_dialects import failed, filmed, interaction

from contentsvc.plugin import (
    BillingUnit,
    Capability,
    ContentRejected,
    Pending,
    ProviderError,
    ReferenceRole,
    VideoRequest,
)
from contentsvc.testing import Reply
from contentsvc.testing.samples import clip

TAKEN = Reply.json(interaction("queued", job="v1_ab-C="))
FILM = Reply.file(clip(), "video/mp4")


def request(**changes: Any) -> VideoRequest:
    values: dict[str, Any] = {
        "prompt": "A slow pan",
        "duration_seconds": 4.2,
        "ratio": "3:4",
        "resolution": "480p",
        "seed": 3,
    }
    return VideoRequest(**{**values, **changes})


def body(google: Place, asked: VideoRequest, **options: Any) -> Any:
    google.replies.append(TAKEN)
    outcome = google.caller(Capability.VIDEO_GENERATION, **options).start(asked)
    assert outcome.error is None, outcome
    return google.body


def polled(google: Place, *replies: Reply, **options: Any) -> Any:
    google.replies.extend(replies)
    return google.caller(Capability.VIDEO_GENERATION, **options).poll("5s:v1_ab-C=")


def test_the_order_fits_what_the_model_films(google: Place) -> None:
    assert body(google, request()) == {
        "model": "gemini-omni-1.1-flash",
        "input": [{"type": "user_input", "content": [{"type": "text", "text": "A slow pan"}]}],
        "background": True,
        "response_format": {
            "type": "video",
            "aspect_ratio": "9:16",
            "resolution": "360p",
            "duration": "5s",
            "delivery": "uri",
        },
        "generation_config": {"video_config": {"task": "text_to_video"}},
    }
    assert google.requests[0].target == "/v1beta/interactions"
    assert google.requests[0].headers["x-goog-api-key"] == KEY


@pytest.mark.parametrize(("asked", "ordered"), [(1.0, "3s"), (3.0, "3s"), (9.1, "10s"), (30.0, "10s")])
def test_the_length_is_whole_seconds_within_the_models(google: Place, asked: float, ordered: str) -> None:
    assert body(google, request(duration_seconds=asked))["response_format"]["duration"] == ordered


def test_frames_lead_in_their_order(google: Place) -> None:
    frames = {"first_frame": photo(data=b"first"), "last_frame": photo(data=b"last")}
    sent = body(google, request(**frames, references=(reference(),)))
    first, last, words = sent["input"][0]["content"]
    assert first == {"type": "image", "data": base64.b64encode(b"first").decode(), "mime_type": "image/png"}
    assert base64.b64decode(last["data"]) == b"last"
    assert "begins with the first picture" in words["text"]
    assert sent["generation_config"]["video_config"]["task"] == "image_to_video"


def test_references_are_named_by_their_place(google: Place) -> None:
    pictures = (reference(), reference(ReferenceRole.SCENE))
    sent = body(google, request(references=pictures))
    assert sent["input"][0]["content"][2]["text"].endswith(
        "Picture 1 shows the product.\n\nPicture 2 shows the scene."
    )
    assert sent["generation_config"]["video_config"]["task"] == "reference_to_video"


def test_the_administrator_may_add_to_the_order(google: Place) -> None:
    sent = body(google, request(), parameters={"store": False, "unheard_of": [1]}, resolutions=["8k"])
    assert (sent["store"], sent["unheard_of"]) == (False, [1])
    assert sent["response_format"]["resolution"] == "8k"


def test_a_last_frame_alone_is_refused_before_the_order(google: Place) -> None:
    outcome = google.caller(Capability.VIDEO_GENERATION).start(request(last_frame=photo()))
    assert type(outcome.error) is ProviderError
    assert google.requests == []


def test_a_clip_is_fetched_from_google_with_the_key(google: Place) -> None:
    link = f"{google.server.url}/v1beta/files/abc:download?alt=media"
    result = polled(google, Reply.json(filmed(link)), FILM).answer.result
    asked, fetched = google.requests
    assert asked.target == "/v1beta/interactions/v1_ab-C=?stream=false"
    assert fetched.headers["x-goog-api-key"] == KEY
    assert result.usage.units == 5
    assert result.usage.raw["total_output_tokens"] == 1000


def test_a_clip_may_come_in_the_answer_itself(google: Place) -> None:
    content = [{"type": "video", "data": base64.b64encode(clip()).decode(), "mime_type": "video/mp4"}]
    done = interaction("completed", steps=[{"type": "model_output", "content": content}])
    assert polled(google, Reply.json(done)).error is None


def test_a_clip_may_be_billed_by_its_tokens(google: Place) -> None:
    link = f"{google.server.url}/clip"
    outcome = polled(google, Reply.json(filmed(link)), FILM, billing_unit=BillingUnit.THOUSAND_TOKENS)
    assert outcome.answer.result.usage.units == Decimal("1.1")


def test_a_job_that_runs_is_pending(google: Place) -> None:
    assert polled(google, Reply.json(interaction("in_progress"))).answer == Pending()


@pytest.mark.parametrize(
    "steps", [[], [{"type": "model_output", "content": [{"type": "text", "text": "No."}]}]]
)
def test_words_instead_of_a_clip_are_a_refusal(google: Place, steps: Any) -> None:
    assert isinstance(
        polled(google, Reply.json(interaction("completed", steps=steps))).error, ContentRejected
    )


@pytest.mark.parametrize("status", ["incomplete", "budget_exceeded", "cancelled", "requires_action"])
def test_other_endings_are_final(google: Place, status: str) -> None:
    error = polled(google, Reply.json(interaction(status))).error
    assert type(error) is ProviderError
    assert not error.retryable


def test_a_job_that_google_has_forgotten_is_final(google: Place) -> None:
    error = polled(google, failed(400, "Invalid interaction name: x")).error
    assert error.public_message == "Google does not know this job any more."
    assert not error.retryable


def test_a_question_that_is_refused_says_nothing_of_the_job(google: Place) -> None:
    assert polled(google, failed(400, "Something odd.")).error.retryable


def test_another_providers_job_is_not_asked_for(google: Place) -> None:
    outcome = google.caller(Capability.VIDEO_GENERATION).poll("../models")
    assert type(outcome.error) is ProviderError
    assert google.requests == []
