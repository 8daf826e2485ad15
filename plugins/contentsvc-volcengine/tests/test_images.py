"""Seedream."""

from __future__ import annotations

import base64
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from volcengine_calls import Call, calling
from volcengine_dialects import ark_error

from contentsvc.plugin import BillingUnit, Capability, ContentRejected, ImageReference, ReferenceRole
from contentsvc.testing import Reply, Request, SampleMedia, sample_order, sample_result

ORDER = sample_order(Capability.IMAGE_GENERATION)
PICTURE: bytes = sample_result(Capability.IMAGE_EDIT).file
INLINE = base64.b64encode(PICTURE).decode()
USAGE = {"generated_images": 1, "output_tokens": 16384, "total_tokens": 16384}


def made(**entry: Any) -> Reply:
    return Reply.json({"model": "seedream", "data": [entry], "usage": USAGE})


DONE = made(b64_json=INLINE)


def reference(data: bytes = PICTURE, **fields: Any) -> ImageReference:
    return ImageReference(ReferenceRole.PRODUCT, SampleMedia(data, "image/PNG", **fields))


def result_of(call: Call, order: Any = ORDER) -> Any:
    outcome = call.caller.start(order)
    assert outcome.error is None, outcome
    return outcome.answer.result


def test_an_order_has_the_size_of_its_ratio_and_no_watermark(tmp_path: Path) -> None:
    with calling(Capability.IMAGE_GENERATION, DONE, tmp_path) as call:
        result = result_of(call, replace(ORDER, ratio="9:16"))
        (request,), (body,) = call.server.requests, call.asked
    assert request.path == "/api/v3/images/generations"
    assert body == {
        "model": "doubao-seedream-4-5-251128",
        "prompt": "A stoneware cup on a sill in morning light\nWithout: text.",
        "size": "1600x2848",
        "response_format": "url",
        "watermark": False,
        "sequential_image_generation": "disabled",
    }
    assert (result.usage.units, result.usage.raw) == (Decimal(1), USAGE)
    assert result.image.metadata == {"generator": "doubao-seedream-4-5-251128"}


def test_a_ratio_without_a_size_is_told_in_words(tmp_path: Path) -> None:
    with calling(Capability.IMAGE_GENERATION, DONE, tmp_path, options={"sizes": {}, "size": "4K"}) as call:
        result_of(call)
        (body,) = call.asked
    assert body["size"] == "4K"
    assert body["prompt"].endswith("\nAspect ratio 1:1.")


def test_the_seed_goes_only_to_models_that_take_one(tmp_path: Path) -> None:
    with calling(Capability.IMAGE_GENERATION, DONE, tmp_path, options={"takes_seed": True}) as call:
        result_of(call)
        assert call.asked[0]["seed"] == 11


def test_references_go_along_in_their_order_up_to_what_the_model_takes(tmp_path: Path) -> None:
    order = replace(ORDER, references=(reference(), reference(b"second"), reference(b"third")))
    with calling(Capability.IMAGE_EDIT, DONE, tmp_path, options={"max_references": 2}) as call:
        result_of(call, order)
        (body,) = call.asked
    second = base64.b64encode(b"second").decode()
    assert body["image"] == [f"data:image/png;base64,{INLINE}", f"data:image/png;base64,{second}"]


def test_a_large_reference_is_named_by_its_link(tmp_path: Path) -> None:
    large = reference(bytes(10_000_001), public_url="https://media.test/large.png")
    with calling(Capability.IMAGE_EDIT, DONE, tmp_path) as call:
        result_of(call, replace(ORDER, references=(large,)))
        assert call.asked[0]["image"] == ["https://media.test/large.png"]


def test_a_large_reference_without_a_link_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with calling(Capability.IMAGE_EDIT, DONE, tmp_path) as call:
        outcome = call.caller.start(replace(ORDER, references=(reference(bytes(10_000_001)),)))
        assert call.server.requests == []
    assert str(outcome.error) == "A picture of this order is too large for Volcengine."


def test_a_model_billed_by_tokens_reports_thousands_of_them(tmp_path: Path) -> None:
    with calling(Capability.IMAGE_GENERATION, DONE, tmp_path) as call:
        call.caller.model = replace(call.caller.model, billing_unit=BillingUnit.THOUSAND_TOKENS)
        assert result_of(call).usage.units == Decimal("16.384")


def test_a_picture_whose_file_does_not_come_is_fetched_once_more(tmp_path: Path) -> None:
    replies = [Reply(503), Reply.file(PICTURE, "image/png")]

    def answer(request: Request) -> Reply:
        return made(url=f"{request.base}/made") if request.method == "POST" else replies.pop(0)

    with calling(Capability.IMAGE_GENERATION, answer, tmp_path) as call:
        result = result_of(call)
        assert [request.method for request in call.server.requests] == ["POST", "GET", "GET"]
    assert result.usage.units == 1


def test_a_picture_that_was_held_back_is_refused_content(tmp_path: Path) -> None:
    reply = made(error={"code": "OutputImageSensitiveContentDetected", "message": "no"})
    with calling(Capability.IMAGE_GENERATION, reply, tmp_path) as call:
        assert isinstance(call.caller.start(ORDER).error, ContentRejected)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (made(error={"code": "InternalServiceError"}), "made no picture: InternalServiceError"),
        (made(b64_json="%%%"), "made no picture that can be read"),
        (made(), "made no picture."),
        (ark_error(404, "ModelNotOpen"), "not open to the account"),
    ],
)
def test_no_picture_says_why(tmp_path: Path, reply: Reply, words: str) -> None:
    with calling(Capability.IMAGE_GENERATION, reply, tmp_path) as call:
        error = call.caller.start(ORDER).error
    assert words in str(error)
    assert error is not None
    assert not error.retryable
