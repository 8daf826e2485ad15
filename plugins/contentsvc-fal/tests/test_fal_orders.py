"""What is sent to fal.ai's queue, and how its jobs are named and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import (
    Capability,
    ContentRejected,
    ImageReference,
    ModelInfo,
    OutcomeUnknown,
    ReferenceRole,
)
from contentsvc.testing import Caller, Outcome, ProviderServer, Reply, Request, sample_order, serving
from contentsvc.testing.samples import media
from contentsvc_fal.driver import fal_driver, fal_models

SETTINGS = {setting.name: setting.default for setting in fal_driver().settings}
TAKEN = Reply.json({"request_id": "abc-1", "status": "IN_QUEUE"})


@pytest.fixture
def queue() -> Iterator[ProviderServer]:
    with serving(lambda _: TAKEN) as server:
        yield server


@pytest.fixture
def caller(queue: ProviderServer, tmp_path: Path) -> Callable[..., Caller]:
    def make(name: str, capability: Capability, **options: Any) -> Caller:
        [model] = [m for m in fal_models() if (m.name, m.capability) == (name, capability)]
        info = ModelInfo(name, model.endpoint, capability, {**model.options, **options}, model.billing_unit)
        backend = fal_driver().capabilities[capability]
        return Caller(backend, info, queue.url, "id:secret", SETTINGS, tmp_path)

    return make


@pytest.fixture
def films(caller: Callable[..., Caller]) -> Caller:
    return caller("wan-2.7", Capability.VIDEO_GENERATION)


@pytest.fixture
def pictures(caller: Callable[..., Caller]) -> Caller:
    return caller("flux-dev", Capability.IMAGE_GENERATION)


def references(count: int) -> tuple[ImageReference, ...]:
    url = "https://media.example.com/{}.png"
    return tuple(ImageReference(ReferenceRole.PRODUCT, media(url.format(place))) for place in range(count))


def sent(queue: ProviderServer) -> Request:
    [request] = queue.requests
    return request


def job(outcome: Outcome) -> str:
    return str(outcome.answer.job_id)


def test_a_picture_goes_to_the_models_own_fields(queue: ProviderServer, pictures: Caller) -> None:
    order = replace(sample_order(Capability.IMAGE_GENERATION), ratio="9:16", seed=11, index=2)
    assert job(pictures.start(order)) == "fal-ai/flux/requests/abc-1"
    assert sent(queue).path == "/fal-ai/flux/dev"
    assert sent(queue).json() == {
        "prompt": order.prompt,
        "seed": 13,
        "image_size": {"width": 768, "height": 1360},
        "num_images": 1,
        "output_format": "png",
        "enable_safety_checker": True,
    }


def test_key_and_lifetime_are_sent_as_headers(queue: ProviderServer, pictures: Caller) -> None:
    pictures.start(sample_order(Capability.IMAGE_GENERATION))
    headers = sent(queue).headers
    assert headers["Authorization"] == "Key id:secret"
    assert headers["X-Fal-Object-Lifecycle-Preference"] == '{"expiration_duration_seconds": 86400}'


def test_references_keep_their_order_and_their_number_its_limit(
    queue: ProviderServer, caller: Callable[..., Caller]
) -> None:
    order = replace(sample_order(Capability.IMAGE_EDIT), references=references(10))
    caller("nano-banana", Capability.IMAGE_EDIT).start(order)
    links = sent(queue).json()["image_urls"]
    assert links == [f"https://media.example.com/{place}.png" for place in range(8)]


def test_a_picture_without_an_address_travels_inside_of_the_order(
    queue: ProviderServer, caller: Callable[..., Caller]
) -> None:
    caller("nano-banana", Capability.IMAGE_EDIT).start(sample_order(Capability.IMAGE_EDIT))
    [picture] = sent(queue).json()["image_urls"]
    assert picture.startswith("data:image/png;base64,iVBOR")


def test_a_first_frame_changes_the_endpoint(queue: ProviderServer, films: Caller) -> None:
    order = sample_order(Capability.VIDEO_GENERATION, "https://media.example.com/1.png")
    assert job(films.start(order)) == "fal-ai/wan/requests/abc-1?seconds=5"
    assert sent(queue).path == "/fal-ai/wan/v2.7/image-to-video"
    assert sent(queue).json() == {
        "prompt": order.prompt,
        "seed": 11,
        "image_url": "https://media.example.com/1.png",
        "resolution": "720p",
        "duration": 5,
    }


def test_references_change_it_as_well(queue: ProviderServer, films: Caller) -> None:
    order = replace(sample_order(Capability.VIDEO_GENERATION), first_frame=None, references=references(1))
    films.start(order)
    assert sent(queue).path == "/fal-ai/wan/v2.7/reference-to-video"
    assert sent(queue).json()["reference_image_urls"] == ["https://media.example.com/0.png"]
    assert sent(queue).json()["aspect_ratio"] == "9:16"


def test_what_a_model_has_no_field_for_is_refused_before_anything_is_sent(
    queue: ProviderServer, films: Caller
) -> None:
    order = replace(sample_order(Capability.VIDEO_GENERATION), references=references(1))
    assert "takes no reference pictures" in str(films.start(order).error)
    assert queue.requests == []


def test_the_jobs_own_address_is_believed_at_home_only(queue: ProviderServer, pictures: Caller) -> None:
    for host, named in ((queue.url, "other/app"), ("https://elsewhere.example.com", "fal-ai/flux")):
        address = f"{host}/other/app/requests/abc-1"
        queue.answer = lambda _, told=address: Reply.json({"request_id": "abc-1", "response_url": told})
        outcome = pictures.start(sample_order(Capability.IMAGE_GENERATION))
        assert job(outcome) == f"{named}/requests/abc-1"


def test_an_order_without_a_usable_job_is_of_unknown_outcome(queue: ProviderServer, pictures: Caller) -> None:
    for name in (None, 7, "", "../../keys", "a" * 200):
        queue.answer = lambda _, told=name: Reply.json({"request_id": told})
        assert isinstance(pictures.start(sample_order(Capability.IMAGE_GENERATION)).error, OutcomeUnknown)


def told(result: Reply) -> Callable[[Request], Reply]:
    """A queue whose job is over, and whose result is this."""
    over = Reply.json({"status": "COMPLETED"})
    return lambda request: over if request.path.endswith("/status") else result


def test_a_black_picture_is_refused_content(queue: ProviderServer, pictures: Caller) -> None:
    black = {"images": [{"url": f"{queue.url}/1.png"}], "has_nsfw_concepts": [True]}
    queue.answer = told(Reply.json(black))
    assert isinstance(pictures.poll("fal-ai/flux/requests/abc-1").error, ContentRejected)


def test_a_models_own_failure_ends_the_job(queue: ProviderServer, pictures: Caller) -> None:
    fault = {"loc": ["body"], "msg": "Out of memory", "type": "internal_server_error"}
    queue.answer = told(Reply.json({"detail": [fault]}, 500))
    error = pictures.poll("fal-ai/flux/requests/abc-1").error
    assert error is not None
    assert (str(error), error.retryable) == ("The model on fal.ai has failed.", False)


def test_a_result_at_another_place_is_told(queue: ProviderServer, pictures: Caller) -> None:
    queue.answer = told(Reply.json({"image": {"url": f"{queue.url}/1.png"}}))
    assert "model's options" in str(pictures.poll("fal-ai/flux/requests/abc-1").error)


def test_a_state_nobody_knows_is_waited_out(queue: ProviderServer, pictures: Caller) -> None:
    queue.answer = lambda _: Reply.json({"status": "RESCHEDULED"})
    assert pictures.poll("fal-ai/flux/requests/abc-1").answer is not None


def test_a_clip_is_billed_by_the_seconds_ordered(
    queue: ProviderServer, films: Caller, caller: Callable[..., Caller]
) -> None:
    clip = Reply.file(b"\0\0\0\x18ftypisom", "video/mp4")
    over = told(Reply.json({"video": {"url": f"{queue.url}/clip.mp4"}}))
    queue.answer = lambda request: clip if request.path == "/clip.mp4" else over(request)
    usage = films.poll("fal-ai/wan/requests/abc-1?seconds=6").answer.result.usage
    assert (usage.units, usage.raw) == (Decimal(6), {"ordered_seconds": 6.0})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"input": {"prompt": "prompt", "sede": "seed"}}, "input.sede"),
        ({"input": {"prompt": "prompt", "size": {"field": "size", "values": {"1:1": "square"}}}}, "9:16"),
        ({"fixed": {"image_size": 1}, "input": {"prompt": "image_size.text"}}, "no object"),
    ],
)
def test_options_that_cannot_be_used_are_named(
    queue: ProviderServer, caller: Callable[..., Caller], options: dict[str, Any], words: str
) -> None:
    order = replace(sample_order(Capability.IMAGE_GENERATION), ratio="9:16")
    outcome = caller("flux-dev", Capability.IMAGE_GENERATION, **options).start(order)
    assert words in str(outcome.error)
    assert queue.requests == []
