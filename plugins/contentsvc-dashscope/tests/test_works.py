"""Pictures and voices: made at once, and fetched by a link."""

import base64
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from dashscope_calls import KEY, Place, photo, reference
from dashscope_dialects import failed, pictured, spoken

from contentsvc.plugin import (
    Accepted,
    Capability,
    ImageReference,
    ImageRequest,
    ProviderError,
    ReferenceRole,
    SpeechRequest,
)
from contentsvc.testing import Reply, sample_order
from contentsvc.testing.samples import picture, sound

FILE = Reply.file(picture(64, "red"), "image/png")
SOUND = Reply.file(sound(), "audio/wav")


def drawn(studio: Place, request: ImageRequest | None = None, **options: Any) -> Any:
    studio.replies.extend([pictured(f"{studio.server.url}/made.png"), FILE])
    asked = request or sample_order(Capability.IMAGE_GENERATION)
    kind = Capability.IMAGE_EDIT if asked.references else Capability.IMAGE_GENERATION
    return studio.caller(kind, **options).start(asked)


def edit(*pictures: ImageReference) -> ImageRequest:
    request: ImageRequest = replace(sample_order(Capability.IMAGE_EDIT), references=pictures)
    return request


def said(studio: Place, request: SpeechRequest, **options: Any) -> Any:
    studio.replies.extend([spoken(f"{studio.server.url}/said.mp3"), SOUND])
    return studio.caller(Capability.SPEECH, **options).start(request)


def test_the_order_says_what_the_picture_is(studio: Place) -> None:
    result = drawn(studio).answer.result
    assert result.image.metadata == {"generator": "qwen-image-2.0"}
    order, fetched = studio.requests
    assert order.target == "/api/v1/services/aigc/multimodal-generation/generation"
    assert order.headers["Authorization"] == f"Bearer {KEY}"
    assert "Authorization" not in fetched.headers
    assert studio.body == {
        "model": "qwen-image-2.0",
        "input": {
            "messages": [
                {"role": "user", "content": [{"text": "A stoneware cup on a sill in morning light"}]}
            ]
        },
        "parameters": {
            "n": 1,
            "watermark": False,
            "negative_prompt": "text",
            "size": "1328*1328",
            "seed": 11,
        },
    }


def test_references_go_before_the_words_in_their_order(studio: Place) -> None:
    scene = ImageReference(ReferenceRole.SCENE, photo("image/jpeg", b"scene"))
    drawn(studio, edit(reference(), scene))
    content = studio.body["input"]["messages"][0]["content"]
    assert content[1] == {"image": f"data:image/jpeg;base64,{base64.b64encode(b'scene').decode()}"}
    assert list(content[2]) == ["text"]


def test_a_model_takes_so_many_references(studio: Place) -> None:
    drawn(studio, edit(*[reference()] * 5))
    assert len(studio.body["input"]["messages"][0]["content"]) == 4


def test_bytes_go_out_before_links(studio: Place) -> None:
    media = photo(url="https://cdn.example/1.png")
    drawn(studio, edit(ImageReference(ReferenceRole.PRODUCT, media)))
    assert studio.body["input"]["messages"][0]["content"][0]["image"].startswith("data:image/png;base64,")


def test_a_large_picture_goes_out_as_its_link(studio: Place) -> None:
    media = photo(data=bytes(10_000_001), url="https://cdn.example/1.png")
    drawn(studio, edit(ImageReference(ReferenceRole.PRODUCT, media)))
    assert studio.body["input"]["messages"][0]["content"][0]["image"] == "https://cdn.example/1.png"


@pytest.mark.parametrize(
    "media", [photo("image/gif"), photo(data=bytes(10_000_001))], ids=["its kind", "its size"]
)
def test_a_picture_that_is_not_taken_is_refused_before_the_order(studio: Place, media: Any) -> None:
    outcome = drawn(studio, edit(ImageReference(ReferenceRole.PRODUCT, media)))
    assert type(outcome.error) is ProviderError
    assert studio.requests == []


def test_one_picture_is_charged_whatever_is_reported(studio: Place) -> None:
    studio.replies.extend([pictured(f"{studio.server.url}/1.png", usage={"image_count": 4}), FILE])
    outcome = studio.caller(Capability.IMAGE_GENERATION).start(sample_order(Capability.IMAGE_GENERATION))
    assert outcome.answer.result.usage.units == 1
    assert outcome.answer.result.usage.raw == {"image_count": 4}


def test_an_answer_without_a_picture_is_an_error(studio: Place) -> None:
    studio.replies.append(pictured())
    outcome = studio.caller(Capability.IMAGE_GENERATION).start(sample_order(Capability.IMAGE_GENERATION))
    assert outcome.error.public_message == "Model Studio made no picture."


def test_a_bad_order_is_told_by_its_code(studio: Place) -> None:
    studio.replies.append(failed(400, "size is wrong"))
    outcome = studio.caller(Capability.IMAGE_GENERATION).start(sample_order(Capability.IMAGE_GENERATION))
    assert outcome.error.public_message == "Model Studio refuses this order (HTTP 400, InvalidParameter)."


def test_an_overloaded_provider_is_tried_again(studio: Place) -> None:
    told = failed(503, "Overloaded.").but(headers={"Content-Type": "application/json", "Retry-After": "9"})
    studio.replies.extend([failed(503, "Overloaded."), told])
    caller = studio.caller(Capability.IMAGE_GENERATION)
    errors = [caller.start(sample_order(Capability.IMAGE_GENERATION)).error for _ in range(2)]
    assert errors[0].retryable
    assert errors[1].retry_after == 9


@pytest.mark.parametrize(
    ("capability", "file"), [(Capability.IMAGE_GENERATION, FILE), (Capability.SPEECH, SOUND)]
)
def test_work_that_can_not_be_fetched_at_once_is_not_ordered_again(
    studio: Place, capability: Capability, file: Reply
) -> None:
    link = f"{studio.server.url}/made"
    made = spoken(link) if capability is Capability.SPEECH else pictured(link)
    studio.replies.extend([made, *[Reply(503)] * 9])
    caller = studio.caller(capability)
    taken = caller.start(sample_order(capability)).answer
    assert isinstance(taken, Accepted)
    studio.replies.clear()
    studio.replies.append(file)
    result = caller.poll(taken.job_id).answer.result
    assert result.usage.units == (Decimal("0.032") if capability is Capability.SPEECH else 1)
    assert [request.method for request in studio.requests].count("POST") == 1


def test_the_order_says_what_is_spoken(studio: Place) -> None:
    result = said(studio, SpeechRequest("Mornings are grey.", speed=1.25, language="en-GB")).answer.result
    assert result.usage.units == Decimal("0.032")
    assert studio.requests[0].target == "/api/v1/services/audio/tts/SpeechSynthesizer"
    assert studio.body == {
        "model": "cosyvoice-v3-flash",
        "input": {
            "text": "Mornings are grey.",
            "voice": "longanyang",
            "format": "mp3",
            "sample_rate": 24000,
            "rate": 1.25,
            "language_hints": ["en"],
        },
    }


def test_a_language_the_model_knows_no_hint_for_is_left_out(studio: Place) -> None:
    said(studio, SpeechRequest("Jó reggelt.", language="hu"))
    assert "language_hints" not in studio.body["input"]


def test_a_voice_of_ones_own_is_sent(studio: Place) -> None:
    said(studio, SpeechRequest("Hello.", voice="cloned-1"), parameters={"format": "wav"})
    assert (studio.body["input"]["voice"], studio.body["input"]["format"]) == ("cloned-1", "wav")


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        (SpeechRequest("Hello.", voice="other"), {"voices": ["longanyang"]}),
        (SpeechRequest("Hello."), {"voice": ""}),
        (SpeechRequest("Hello."), {"max_characters": 3}),
    ],
    ids=["unknown voice", "no voice", "too long"],
)
def test_a_text_that_can_not_be_spoken_is_refused_before_the_order(
    studio: Place, request_: SpeechRequest, options: Any
) -> None:
    assert type(said(studio, request_, **options).error) is ProviderError
    assert studio.requests == []
