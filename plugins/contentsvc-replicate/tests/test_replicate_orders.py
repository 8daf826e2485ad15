"""What is sent to Replicate, and how its predictions are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import (
    BillingUnit,
    Capability,
    ImageReference,
    ModelInfo,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    ReferenceRole,
)
from contentsvc.testing import Caller, ProviderServer, Reply, SampleMedia, sample_order, serving
from contentsvc.testing.samples import media, picture
from contentsvc_replicate.driver import replicate_driver, replicate_models

SETTINGS = {setting.name: setting.default for setting in replicate_driver().settings}
TAKEN = Reply.json({"id": "p1", "status": "starting"}, 201)
CLIP = Reply.file(b"\0\0\0\x18ftypisom", "video/mp4")


@pytest.fixture
def api() -> Iterator[ProviderServer]:
    with serving(lambda _: TAKEN) as server:
        yield server


@pytest.fixture
def caller(api: ProviderServer, tmp_path: Path) -> Callable[..., Caller]:
    def make(name: str, capability: Capability, **changes: Any) -> Caller:
        [model] = [m for m in replicate_models() if (m.name, m.capability) == (name, capability)]
        info = ModelInfo(name, model.endpoint, capability, model.options, model.billing_unit)
        backend = replicate_driver().capabilities[capability]
        return Caller(backend, replace(info, **changes), f"{api.url}/v1", "r8_token", SETTINGS, tmp_path)

    return make


@pytest.fixture
def films(caller: Callable[..., Caller]) -> Caller:
    return caller("seedance-2.0", Capability.VIDEO_GENERATION)


def pictures(caller: Callable[..., Caller], **changes: Any) -> Caller:
    return caller("flux-dev", Capability.IMAGE_GENERATION, **changes)


PICTURE = sample_order(Capability.IMAGE_GENERATION)
TEXT_CLIP = replace(sample_order(Capability.VIDEO_GENERATION), first_frame=None)


def test_a_model_is_ordered_by_its_name(api: ProviderServer, caller: Callable[..., Caller]) -> None:
    assert pictures(caller).start(PICTURE).answer.job_id == "p1"
    [request] = api.requests
    assert request.path == "/v1/models/black-forest-labs/flux-dev/predictions"
    assert request.headers["Authorization"] == "Bearer r8_token"
    assert request.json() == {
        "input": {
            "prompt": PICTURE.prompt,
            "seed": 11,
            "aspect_ratio": "1:1",
            "num_outputs": 1,
            "output_format": "png",
        }
    }


@pytest.mark.parametrize("endpoint", ["a" * 64, f"owner/name:{'a' * 64}"])
def test_a_version_is_ordered_by_its_id(
    api: ProviderServer, caller: Callable[..., Caller], endpoint: str
) -> None:
    pictures(caller, endpoint=endpoint).start(PICTURE)
    [request] = api.requests
    assert (request.path, request.json()["version"]) == ("/v1/predictions", "a" * 64)


@pytest.mark.parametrize("endpoint", ["flux", "a/b/c", "../account", "owner/name:latest"])
def test_another_endpoint_is_no_model(
    api: ProviderServer, caller: Callable[..., Caller], endpoint: str
) -> None:
    assert "owner/name" in str(pictures(caller, endpoint=endpoint).start(PICTURE).error)
    assert api.requests == []


def test_a_clip_begins_with_its_frame(api: ProviderServer, films: Caller) -> None:
    frame, end = media("https://media.example.com/1.png"), media("https://media.example.com/2.png")
    order = replace(TEXT_CLIP, duration_seconds=2, first_frame=frame, last_frame=end)
    assert films.start(order).answer.job_id == "p1?seconds=4"
    sent = api.requests[0].json()["input"]
    assert (sent["image"], sent["last_frame_image"]) == (frame.public_url, end.public_url)
    assert (sent["duration"], sent["resolution"]) == (4, "720p")


def test_a_resolution_that_is_not_on_offer_is_refused(api: ProviderServer, films: Caller) -> None:
    assert "1080p" in str(films.start(replace(TEXT_CLIP, resolution="1080p")).error)
    assert api.requests == []


def large() -> SampleMedia:
    return SampleMedia(picture(64) + bytes(300_000), "image/png", 64, 64)


def edit(caller: Callable[..., Caller]) -> Any:
    order = replace(
        sample_order(Capability.IMAGE_EDIT), references=(ImageReference(ReferenceRole.PRODUCT, large()),)
    )
    return caller("nano-banana-2", Capability.IMAGE_EDIT).start(order)


def test_a_large_picture_without_an_address_is_uploaded_first(
    api: ProviderServer, caller: Callable[..., Caller]
) -> None:
    file = Reply.json({"id": "f1", "urls": {"get": "https://files.example.com/f1"}}, 201)
    api.answer = lambda request: file if request.path == "/v1/files" else TAKEN
    edit(caller)
    upload, order = api.requests
    assert large().data in upload.body
    assert b"Content-Type: image/png" in upload.body
    assert order.json()["input"]["image_input"] == ["https://files.example.com/f1"]


@pytest.mark.parametrize(
    ("reply", "error", "retryable"),
    [
        (Reply.json({"detail": "Sorry"}, 500), ProviderError, True),
        (Reply.json({"detail": "Throttled", "retry_after": 3}, 429), RateLimited, True),
        (Reply.json({"id": "f1"}, 201), ProviderError, False),
    ],
)
def test_nothing_is_ordered_after_a_failed_upload(
    api: ProviderServer,
    caller: Callable[..., Caller],
    reply: Reply,
    error: type[ProviderError],
    retryable: bool,
) -> None:
    api.answer = lambda _: reply
    raised = edit(caller).error
    assert (type(raised), raised.retryable) == (error, retryable)
    assert len(api.requests) == 1


def test_an_order_without_a_usable_name_is_of_unknown_outcome(
    api: ProviderServer, caller: Callable[..., Caller]
) -> None:
    for name in (None, 7, "", "../account"):
        api.answer = lambda _, told=name: Reply.json({"id": told}, 201)
        assert isinstance(pictures(caller).start(PICTURE).error, OutcomeUnknown)


def told(api: ProviderServer, **members: Any) -> None:
    """Every prediction says this, every file is a clip."""
    api.answer = lambda request: (
        Reply.json({"id": "p1", **members}) if "predictions" in request.path else CLIP
    )


def test_a_file_at_home_is_fetched_with_the_token(api: ProviderServer, films: Caller) -> None:
    told(api, status="succeeded", output=f"{api.url}/v1/files/f1/download")
    films.poll("p1")
    assert api.requests[-1].headers["Authorization"] == "Bearer r8_token"


def test_a_clip_is_billed_by_the_seconds_ordered(api: ProviderServer, films: Caller) -> None:
    told(api, status="succeeded", output=f"{api.url}/clip.mp4", metrics={"predict_time": 71.5})
    usage = films.poll("p1?seconds=6").answer.result.usage
    assert (usage.units, usage.raw) == (Decimal(6), {"predict_time": 71.5, "ordered_seconds": 6.0})


@pytest.mark.parametrize(("seconds", "units"), [(2.5, Decimal("2.5")), (-1, None), (1e9, None), ("3", None)])
def test_a_model_billed_by_its_run_is_charged_for_it(
    api: ProviderServer, caller: Callable[..., Caller], seconds: Any, units: Decimal | None
) -> None:
    told(api, status="succeeded", output=[f"{api.url}/1.png"], metrics={"predict_time": seconds})
    answer = pictures(caller, billing_unit=BillingUnit.SECOND).poll("p1").answer
    assert answer.result.usage.units == units


@pytest.mark.parametrize("status", ["canceled", "aborted"])
def test_work_cancelled_there_ends_here(api: ProviderServer, films: Caller, status: str) -> None:
    told(api, status=status)
    error = films.poll("p1").error
    assert error is not None
    assert (str(error), error.retryable) == ("The work was cancelled at Replicate.", False)


def test_an_output_of_another_shape_is_told(api: ProviderServer, films: Caller) -> None:
    told(api, status="succeeded", output={"video": 1})
    assert "model's options" in str(films.poll("p1").error)
