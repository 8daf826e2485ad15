"""What is sent to Replicate, and how its predictions are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from replicate_dialects import Clips, Edits, Pictures

from contentsvc.plugin import (
    BillingUnit,
    ImageReference,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    ReferenceRole,
)
from contentsvc.testing import Kind, Reply, Request, SampleMedia, Stage
from contentsvc.testing.dialects import JOB
from contentsvc.testing.samples import media, picture
from contentsvc_replicate import plugin


@pytest.fixture
def films(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Clips("seedance-2.0"))


@pytest.fixture
def edits(stage_of: Callable[..., Stage]) -> Stage:
    """An edit of a picture that is too large for an order, and has no address."""
    stage = stage_of(plugin, Edits("nano-banana-2"))
    stage.order = replace(stage.order, references=(ImageReference(ReferenceRole.PRODUCT, large()),))
    return stage


@pytest.fixture
def pictures(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Pictures("flux-dev"))


def large() -> SampleMedia:
    return SampleMedia(picture(64) + bytes(300_000), "image/png", 64, 64)


def sent(stage: Stage, **changes: Any) -> Request:
    """The request that an order becomes."""
    stage.order = replace(stage.order, **changes)
    stage.accepted()
    [request] = stage.provider.of_kind(Kind.ORDER)
    return request


def test_a_model_is_ordered_by_its_name(pictures: Stage) -> None:
    request = sent(pictures)
    assert pictures.job_id == JOB
    assert request.path == "/v1/models/black-forest-labs/flux-dev/predictions"
    assert request.headers["Authorization"] == f"Bearer {pictures.caller.secret}"
    assert request.json() == {
        "input": {
            "prompt": pictures.order.prompt,
            "seed": 11,
            "aspect_ratio": "1:1",
            "num_outputs": 1,
            "output_format": "png",
        }
    }


@pytest.mark.parametrize("endpoint", ["a" * 64, f"owner/name:{'a' * 64}"])
def test_a_version_is_ordered_by_its_id(pictures: Stage, endpoint: str) -> None:
    pictures.caller.model = replace(pictures.caller.model, endpoint=endpoint)
    request = sent(pictures)
    assert (request.path, request.json()["version"]) == ("/v1/predictions", "a" * 64)


@pytest.mark.parametrize("endpoint", ["flux", "a/b/c", "../account", "owner/name:latest"])
def test_another_endpoint_is_no_model(pictures: Stage, endpoint: str) -> None:
    pictures.caller.model = replace(pictures.caller.model, endpoint=endpoint)
    assert "owner/name" in str(pictures.refuses(pictures.start(), ProviderError))
    assert pictures.provider.requests == []


def test_a_clip_begins_with_its_frame(films: Stage) -> None:
    frame, end = media("https://media.example.com/1.png"), media("https://media.example.com/2.png")
    document = sent(films, duration_seconds=2, first_frame=frame, last_frame=end).json()["input"]
    assert films.job_id == f"{JOB}?seconds=4"
    assert (document["image"], document["last_frame_image"]) == (frame.public_url, end.public_url)
    assert (document["duration"], document["resolution"]) == (4, "720p")


def test_a_resolution_that_is_not_on_offer_is_refused(films: Stage) -> None:
    films.order = replace(films.order, resolution="1080p")
    assert "1080p" in str(films.refuses(films.start(), ProviderError))
    assert films.provider.requests == []


def test_a_large_picture_without_an_address_is_uploaded_first(edits: Stage) -> None:
    order = sent(edits)
    upload, last = edits.provider.requests
    assert (upload.path, last) == ("/v1/files", order)
    assert large().data in upload.body
    assert b"Content-Type: image/png" in upload.body
    assert order.json()["input"]["image_input"] == ["https://files.example.com/f1"]


def test_one_with_an_address_is_not(edits: Stage) -> None:
    linked = replace(large(), public_url="https://media.example.com/1.png")
    order = sent(edits, references=(ImageReference(ReferenceRole.PRODUCT, linked),))
    assert edits.provider.requests == [order]
    assert order.json()["input"]["image_input"] == [linked.public_url]


@pytest.mark.parametrize(
    ("reply", "error", "retryable"),
    [
        (Reply.json({"detail": "Sorry"}, 500), ProviderError, True),
        (Reply.json({"detail": "Throttled", "retry_after": 3}, 429), RateLimited, True),
        (Reply.json({"id": "f1"}, 201), ProviderError, False),
    ],
)
def test_nothing_is_ordered_after_a_failed_upload(
    edits: Stage, reply: Reply, error: type[ProviderError], retryable: bool
) -> None:
    edits.when(Kind.ASIDE, reply)
    raised = edits.refuses(edits.start(), error)
    assert (type(raised), raised.retryable, edits.orders()) == (error, retryable, 0)


@pytest.mark.parametrize("name", [None, 7, "", "../account"])
def test_an_order_without_a_usable_name_is_of_unknown_outcome(pictures: Stage, name: Any) -> None:
    pictures.when(Kind.ORDER, Reply.json({"id": name}, 201))
    pictures.refuses(pictures.start(), OutcomeUnknown)


def test_a_file_at_home_is_fetched_with_the_token(films: Stage) -> None:
    films.link_to(f"{films.provider.url}/v1/files/f1/download")
    file = Reply.file(films.made.file, films.made.media_type)
    films.when(
        Kind.POLL,
        lambda request: file if request.path.endswith("/download") else films.usual(request),
    )
    films.result(films.run())
    fetched = films.provider.requests[-1]
    assert (fetched.path, fetched.headers["Authorization"]) == (
        "/v1/files/f1/download",
        f"Bearer {films.caller.secret}",
    )


def test_a_clip_is_billed_by_the_seconds_ordered(films: Stage) -> None:
    films.made = replace(films.made, usage=71.5)
    usage = films.result(films.run()).usage
    assert (usage.units, usage.raw) == (Decimal(5), {"predict_time": 71.5, "ordered_seconds": 5.0})


def test_a_model_billed_by_its_run_is_charged_for_it(pictures: Stage) -> None:
    pictures.caller.model = replace(pictures.caller.model, billing_unit=BillingUnit.SECOND)
    pictures.made = replace(pictures.made, usage=2.5)
    assert pictures.result(pictures.run()).usage.units == Decimal("2.5")


@pytest.mark.parametrize("status", ["canceled", "aborted"])
def test_work_cancelled_there_ends_here(films: Stage, status: str) -> None:
    films.when(Kind.POLL, Reply.json({"id": JOB, "status": status}))
    error = films.refuses(films.run(), ProviderError)
    assert (str(error), error.retryable) == ("The work was cancelled at Replicate.", False)
