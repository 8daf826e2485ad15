import base64
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from google_calls import KEY, Place, photo, reference
from google_dialects import failed, generated, picture

from contentsvc.plugin import (
    AuthenticationFailed,
    BillingUnit,
    Capability,
    ContentRejected,
    ImageReference,
    ImageRequest,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    ReferenceRole,
)
from contentsvc.testing import Reply, sample_order
from contentsvc.testing.samples import picture as png

MADE = Reply.json(generated([{"text": "Here you are."}, picture(png(64, "red"))]))


def order(google: Place, *replies: Reply, request: ImageRequest | None = None, **options: Any) -> Any:
    google.replies.extend(replies)
    asked = request or sample_order(Capability.IMAGE_GENERATION)
    kind = Capability.IMAGE_EDIT if asked.references else Capability.IMAGE_GENERATION
    return google.caller(kind, **options).start(asked)


def test_the_order_says_what_the_picture_is(google: Place) -> None:
    result = order(google, MADE).answer.result
    assert result.image.metadata == {"generator": "gemini-nano-banana-2.1"}
    (request,) = google.requests
    assert request.target == "/v1beta/models/gemini-nano-banana-2.1:generateContent"
    assert request.headers["x-goog-api-key"] == KEY
    prompt = "A stoneware cup on a sill in morning light\n\nNot in the picture: text"
    assert google.body == {
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "generationConfig": {
            "responseModalities": ["IMAGE"],
            "imageConfig": {"aspectRatio": "1:1", "imageSize": "1K"},
        },
    }


def test_the_administrator_may_add_to_the_order(google: Place) -> None:
    order(google, MADE, parameters={"temperature": 0.5, "imageConfig": {"unheardOf": 1}})
    config = google.body["generationConfig"]
    assert config["temperature"] == 0.5
    assert config["imageConfig"] == {"aspectRatio": "1:1", "imageSize": "1K", "unheardOf": 1}


def test_references_go_before_the_words_in_their_order(google: Place) -> None:
    pictures = (reference(), ImageReference(ReferenceRole.SCENE, photo("image/jpeg", b"scene\xff\xfe")))
    request = sample_order(Capability.IMAGE_EDIT)
    changed = ImageRequest(**{**_members(request), "references": pictures})
    order(google, MADE, request=changed)
    parts = google.body["contents"][0]["parts"]
    # The SDK's spelling, which Google's JSON takes as well as its own.
    written = base64.urlsafe_b64encode(b"scene\xff\xfe").decode()
    assert parts[1] == {"inlineData": {"mime_type": "image/jpeg", "data": written}}
    assert list(parts[2]) == ["text"]


def test_a_model_takes_so_many_references(google: Place) -> None:
    request = sample_order(Capability.IMAGE_EDIT)
    changed = ImageRequest(**{**_members(request), "references": (reference(), reference(), reference())})
    order(google, MADE, request=changed, max_references=2)
    assert len(google.body["contents"][0]["parts"]) == 3


@pytest.mark.parametrize(
    "media", [photo("image/gif"), photo(data=bytes(15_000_000))], ids=["its kind", "its size"]
)
def test_a_picture_that_google_takes_not_is_refused_before_the_order(google: Place, media: Any) -> None:
    request = sample_order(Capability.IMAGE_EDIT)
    references = (ImageReference(ReferenceRole.PRODUCT, media),)
    outcome = order(google, request=ImageRequest(**{**_members(request), "references": references}))
    assert type(outcome.error) is ProviderError
    assert google.requests == []


def test_sketches_of_a_thinking_model_are_not_the_picture(google: Place) -> None:
    sketch = {**picture(b"sketch"), "thought": True}
    result = order(google, Reply.json(generated([sketch, picture(png(64, "red"))]))).answer.result
    assert result.image.path.name == "picture"


@pytest.mark.parametrize("finish", ["IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_RECITATION"])
def test_an_answer_that_was_stopped_is_a_refusal(google: Place, finish: str) -> None:
    assert isinstance(order(google, Reply.json(generated([], finish))).error, ContentRejected)


def test_words_instead_of_a_picture_are_an_error(google: Place) -> None:
    error = order(google, Reply.json(generated([{"text": "I would rather not."}]))).error
    assert error.public_message == "Google's model answered without a picture."


def test_a_picture_is_billed_as_one(google: Place) -> None:
    usage = order(google, MADE).answer.result.usage
    assert usage.units == 1
    assert usage.raw["candidatesTokenCount"] == 1000


def test_a_picture_may_be_billed_by_its_tokens(google: Place) -> None:
    outcome = order(google, MADE, billing_unit=BillingUnit.THOUSAND_TOKENS, output_weight=2)
    assert outcome.answer.result.usage.units == Decimal("2.5")


def test_a_key_that_is_none_is_told_apart_from_a_bad_order(google: Place) -> None:
    details = [{"reason": "API_KEY_INVALID"}]
    assert isinstance(order(google, failed(400, "No.", details=details)).error, AuthenticationFailed)
    error = order(google, failed(400, "Bad aspect ratio.")).error
    assert error.public_message == "Google refuses this order (HTTP 400, INVALID_ARGUMENT)."


def test_the_pause_may_stand_in_the_details(google: Place) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38.5s"}]
    error = order(google, failed(429, "Quota.", details=details)).error
    assert isinstance(error, RateLimited)
    assert error.retry_after == 38.5


def test_an_overloaded_model_is_tried_again(google: Place) -> None:
    assert order(google, failed(503, "Overloaded.")).error.retryable
    told = failed(503, "Overloaded.").but(headers={"Content-Type": "application/json", "Retry-After": "9"})
    assert order(google, told).error.retry_after == 9


@pytest.mark.parametrize("status", [201, 204])
def test_a_success_of_another_kind_says_nothing_of_the_order(google: Place, status: int) -> None:
    assert isinstance(order(google, Reply.json({}, status)).error, OutcomeUnknown)


@pytest.mark.parametrize("endpoint", ["../files", "a?b=c", "models/..", ""])
def test_an_endpoint_that_names_no_model_is_refused_before_the_order(google: Place, endpoint: str) -> None:
    caller = google.caller(Capability.IMAGE_GENERATION)
    caller.model = replace(caller.model, name=endpoint, endpoint=endpoint)
    error = caller.start(sample_order(Capability.IMAGE_GENERATION)).error
    assert error is not None
    assert "no name of a model" in error.public_message
    assert google.requests == []


def test_the_version_of_the_api_is_the_administrators(google: Place) -> None:
    order(google, MADE, api_version="v1")
    assert google.requests[0].path.startswith("/v1/models/")


def _members(request: ImageRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}
