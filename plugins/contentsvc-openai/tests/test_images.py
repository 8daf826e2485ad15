from __future__ import annotations

from dataclasses import replace
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import pytest
from openai_endpoint import KEY, Endpoint, caller, error, linked, pictured

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Capability,
    ContentRejected,
    ImageReference,
    ImageRequest,
    OutcomeUnknown,
    ProviderError,
    ReferenceRole,
)
from contentsvc.testing import Caller, Cut, Reply, Request, SampleMedia, sample_order
from contentsvc.testing.samples import picture

ORDER: ImageRequest = sample_order(Capability.IMAGE_GENERATION)
PICTURE = picture()


@pytest.fixture
def painter(endpoint: Endpoint, tmp_path: Path) -> Caller:
    return caller(endpoint, Capability.IMAGE_GENERATION, tmp_path)


@pytest.fixture
def editor(endpoint: Endpoint, tmp_path: Path) -> Caller:
    return caller(endpoint, Capability.IMAGE_EDIT, tmp_path)


def done(painter: Caller, order: ImageRequest = ORDER) -> Any:
    """The result of an order that went well."""
    outcome = painter.start(order)
    assert outcome.error is None, outcome
    return outcome.answer.result


def with_references(*media: SampleMedia) -> ImageRequest:
    return replace(ORDER, references=tuple(ImageReference(ReferenceRole.PRODUCT, item) for item in media))


def form(request: Request) -> list[tuple[str, str | None, str, bytes]]:
    """The parts of a form: name, file name, media type, content."""
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    parts = []
    for part in BytesParser().parsebytes(head + request.body).get_payload():
        name = part.get_param("name", header="Content-Disposition")
        parts.append((name, part.get_filename(), part.get_content_type(), part.get_payload(decode=True)))
    return parts


def test_a_picture_in_the_reply_is_written(painter: Caller, endpoint: Endpoint) -> None:
    endpoint.says(pictured(PICTURE))
    result = done(painter)
    assert result.image.path.read_bytes() == PICTURE
    assert (result.usage.units, result.usage.raw["total_tokens"]) == (1, 1550)


def test_a_model_billed_by_tokens_uses_those(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(pictured(PICTURE))
    unit = BillingUnit.THOUSAND_TOKENS
    painter = caller(endpoint, Capability.IMAGE_GENERATION, tmp_path, billing_unit=unit, output_weight=2)
    assert str(done(painter).usage.units) == "3.05"


def test_the_order_says_what_is_wanted(painter: Caller, endpoint: Endpoint) -> None:
    endpoint.says(pictured(PICTURE))
    done(painter, replace(ORDER, ratio="9:16"))
    [request], [body] = endpoint.requests, endpoint.bodies
    assert (request.path, request.headers["Authorization"]) == ("/v1/images/generations", f"Bearer {KEY}")
    assert body == {
        "model": "gpt-image-2",
        "prompt": f"{ORDER.prompt}\n\nNot in the picture: text",
        "n": 1,
        "size": "1152x2048",
        "quality": "medium",
    }


@pytest.mark.parametrize(
    ("ratio", "size"),
    [("1:1", "1024x1024"), ("9:16", "1024x1536"), ("3:4", "1024x1536"), ("16:9", "1536x1024")],
)
def test_the_nearest_size_is_ordered(endpoint: Endpoint, tmp_path: Path, ratio: str, size: str) -> None:
    sizes = ["1024x1024", "1024x1536", "1536x1024", "auto", 5]
    endpoint.says(pictured(PICTURE))
    done(caller(endpoint, Capability.IMAGE_GENERATION, tmp_path, sizes=sizes), replace(ORDER, ratio=ratio))
    assert endpoint.bodies[0]["size"] == size


def test_without_sizes_the_endpoint_decides(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(pictured(PICTURE))
    done(caller(endpoint, Capability.IMAGE_GENERATION, tmp_path, sizes=None))
    assert "size" not in endpoint.bodies[0]


def test_a_long_prompt_is_cut_before_what_shall_not_be_seen(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(pictured(PICTURE))
    painter = caller(endpoint, Capability.IMAGE_GENERATION, tmp_path, max_prompt=60)
    done(painter, replace(ORDER, prompt="x" * 100))
    prompt = endpoint.bodies[0]["prompt"]
    assert (len(prompt), prompt.endswith("Not in the picture: text")) == (60, True)


def test_a_link_is_followed(painter: Caller, endpoint: Endpoint) -> None:
    endpoint.says(linked(f"{endpoint.server.url}/files/1"), Reply.file(PICTURE, "image/png"))
    assert done(painter).image.path.read_bytes() == PICTURE


def test_a_link_to_elsewhere_does_not_get_the_key(painter: Caller, endpoint: Endpoint) -> None:
    elsewhere = endpoint.server.url.replace("127.0.0.1", "localhost")
    endpoint.says(linked(f"{elsewhere}/files/1"), Reply.file(PICTURE, "image/png"))
    done(painter)
    assert not endpoint.requests[1].says(KEY)


def test_a_link_that_does_not_answer_is_asked_again_later(painter: Caller, endpoint: Endpoint) -> None:
    # A download is tried three times.
    cut, busy, file = Reply(cut=Cut.BEFORE), Reply(503), Reply.file(PICTURE, "image/png")
    endpoint.says(linked(f"{endpoint.server.url}/files/1"), cut, cut, busy, busy, busy, busy, file)
    job = painter.start(ORDER).answer
    assert isinstance(job, Accepted)
    waiting = painter.poll(job.job_id).error
    assert waiting is not None
    assert waiting.retryable
    result = painter.poll(job.job_id).answer.result
    assert (result.image.path.read_bytes(), result.usage.units) == (PICTURE, 1)
    assert [request.method for request in endpoint.requests] == ["POST"] + ["GET"] * 7


@pytest.mark.parametrize(
    "reply",
    [
        Reply.json({"data": []}),
        Reply.json({"data": [{"b64_json": "%%%"}]}),
        Reply.json({"data": [{"url": None}]}),
        Reply.json({"data": "picture"}),
        Reply.json(["picture"]),
        Reply(200, b'{"data": [{"b64', {"Content-Type": "application/json"}),
        Reply.file(b"<html>Sign in</html>", "text/html"),
    ],
)
def test_a_reply_without_a_picture_is_an_error(painter: Caller, endpoint: Endpoint, reply: Reply) -> None:
    endpoint.says(reply)
    error_ = painter.start(ORDER).error
    assert error_ is not None
    assert (type(error_), error_.retryable, error_.public_message) == (
        ProviderError,
        False,
        "The provider's answer can't be read.",
    )


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Your request was rejected by the safety system.", "moderation_blocked"),
        ("Your request was rejected as a result of our safety system.", None),
        ("It may violate our content policy.", "invalid_request_error"),
    ],
)
def test_refused_content_is_rejected(
    painter: Caller, endpoint: Endpoint, message: str, code: str | None
) -> None:
    endpoint.says(error(400, message, code=code))
    assert isinstance(painter.start(ORDER).error, ContentRejected)


def test_an_order_without_an_answer_is_of_unknown_outcome(painter: Caller, endpoint: Endpoint) -> None:
    endpoint.says(Reply(cut=Cut.BEFORE))
    assert isinstance(painter.start(ORDER).error, OutcomeUnknown)


def test_one_reference_is_sent_under_the_plain_name(editor: Caller, endpoint: Endpoint) -> None:
    endpoint.says(pictured(PICTURE))
    done(editor, with_references(SampleMedia(PICTURE, "image/png")))
    [request] = endpoint.requests
    parts = form(request)
    assert request.path == "/v1/images/edits"
    assert parts[-1] == ("image", "1.png", "image/png", PICTURE)
    assert {name: content.decode() for name, _, _, content in parts[:-1]} == {
        "model": "gpt-image-2",
        "prompt": f"{ORDER.prompt}\n\nNot in the picture: text",
        "n": "1",
        "size": "1024x1024",
        "quality": "medium",
    }


def test_references_are_sent_in_their_order_as_far_as_the_model_takes_them(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    media = [
        SampleMedia(b"GIF89a", "image/gif"),
        SampleMedia(b"one", "image/jpeg"),
        SampleMedia(b"two", "image/webp"),
        SampleMedia(b"three", "image/png"),
    ]
    endpoint.says(pictured(PICTURE))
    done(caller(endpoint, Capability.IMAGE_EDIT, tmp_path, max_references=2), with_references(*media))
    sent = [part for part in form(endpoint.requests[0]) if part[1]]
    assert sent == [
        ("image[]", "1.jpg", "image/jpeg", b"one"),
        ("image[]", "2.webp", "image/webp", b"two"),
    ]
    assert "Content-Length" in endpoint.requests[0].headers


def test_references_of_another_kind_are_refused_before_the_order(editor: Caller, endpoint: Endpoint) -> None:
    outcome = editor.start(with_references(SampleMedia(b"GIF89a", "image/gif")))
    assert str(outcome.error) == "The provider takes PNG, JPEG and WebP pictures only."
    assert endpoint.requests == []


def test_nothing_else_can_be_asked_for_later(painter: Caller) -> None:
    assert str(painter.poll("job-1").error) == "This is no picture that could be asked for."
