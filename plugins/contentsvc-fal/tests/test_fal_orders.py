"""What is sent to fal.ai's queue, and how its jobs are named and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from fal_dialects import Clips, Edits, Pictures

from contentsvc.plugin import ContentRejected, ImageReference, OutcomeUnknown, ProviderError, ReferenceRole
from contentsvc.testing import Kind, Reply, Request, Stage
from contentsvc.testing.dialects import JOB
from contentsvc.testing.samples import media
from contentsvc_fal import plugin


@pytest.fixture
def films(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Clips("wan-2.7"))


@pytest.fixture
def edits(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Edits("nano-banana"))


@pytest.fixture
def pictures(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Pictures("flux-dev"))


def references(count: int) -> tuple[ImageReference, ...]:
    url = "https://media.example.com/{}.png"
    return tuple(ImageReference(ReferenceRole.PRODUCT, media(url.format(place))) for place in range(count))


def sent(stage: Stage, **changes: Any) -> Request:
    """The request that an order becomes."""
    stage.order = replace(stage.order, **changes)
    stage.accepted()
    [request] = stage.provider.requests
    return request


def test_a_picture_goes_to_the_models_own_fields(pictures: Stage) -> None:
    request = sent(pictures, ratio="9:16", seed=11, index=2)
    assert pictures.job_id == f"fal-ai/flux/requests/{JOB}"
    assert request.path == "/fal-ai/flux/dev"
    assert request.json() == {
        "prompt": pictures.order.prompt,
        "seed": 13,
        "image_size": {"width": 768, "height": 1360},
        "num_images": 1,
        "output_format": "png",
        "enable_safety_checker": True,
    }


def test_key_and_lifetime_are_sent_as_headers(pictures: Stage) -> None:
    headers = sent(pictures).headers
    assert headers["Authorization"] == f"Key {pictures.caller.secret}"
    assert headers["X-Fal-Object-Lifecycle-Preference"] == '{"expiration_duration_seconds": 86400}'


def test_references_keep_their_order_and_their_number_its_limit(edits: Stage) -> None:
    links = sent(edits, references=references(10)).json()["image_urls"]
    assert links == [f"https://media.example.com/{place}.png" for place in range(8)]


def test_a_first_frame_changes_the_endpoint(films: Stage) -> None:
    frame = media("https://media.example.com/1.png")
    request = sent(films, first_frame=frame)
    assert films.job_id == f"fal-ai/wan/requests/{JOB}?seconds=5"
    assert request.path == "/fal-ai/wan/v2.7/image-to-video"
    assert request.json() == {
        "prompt": films.order.prompt,
        "seed": 11,
        "image_url": frame.public_url,
        "resolution": "720p",
        "duration": 5,
    }


def test_references_change_it_as_well(films: Stage) -> None:
    request = sent(films, first_frame=None, references=references(1))
    assert request.path == "/fal-ai/wan/v2.7/reference-to-video"
    assert request.json()["reference_image_urls"] == ["https://media.example.com/0.png"]
    assert request.json()["aspect_ratio"] == "9:16"


def test_what_a_model_has_no_field_for_is_refused_before_anything_is_sent(films: Stage) -> None:
    films.order = replace(films.order, references=references(1))
    assert "takes no reference pictures" in str(films.refuses(films.start(), ProviderError))
    assert films.provider.requests == []


@pytest.mark.parametrize("endpoint", ["", "flux", "fal-ai/../keys", "fal-ai/flux?x=1"])
def test_another_endpoint_is_no_model(pictures: Stage, endpoint: str) -> None:
    pictures.caller.model = replace(pictures.caller.model, endpoint=endpoint)
    assert "as fal-ai/flux/dev" in str(pictures.refuses(pictures.start(), ProviderError))
    assert pictures.provider.requests == []


@pytest.mark.parametrize(
    ("host", "named"), [("", "other/app"), ("https://elsewhere.example.com", "fal-ai/flux")]
)
def test_the_jobs_own_address_is_believed_at_home_only(pictures: Stage, host: str, named: str) -> None:
    address = f"{host or pictures.provider.url}/other/app/requests/abc-1"
    pictures.when(Kind.ORDER, Reply.json({"request_id": "abc-1", "response_url": address}))
    assert pictures.accepted() == f"{named}/requests/abc-1"


@pytest.mark.parametrize("name", [None, 7, "", "../../keys", "a" * 200])
def test_an_order_without_a_usable_job_is_of_unknown_outcome(pictures: Stage, name: Any) -> None:
    pictures.when(Kind.ORDER, Reply.json({"request_id": name}))
    pictures.refuses(pictures.start(), OutcomeUnknown)


def over(stage: Stage, result: Reply) -> None:
    """The job is over, and its result is this."""
    done = Reply.json({"status": "COMPLETED"})
    stage.when(Kind.POLL, lambda request: done if request.path.endswith("/status") else result)


def test_a_black_picture_is_refused_content(pictures: Stage) -> None:
    black = {"images": [{"url": pictures.made.link}], "has_nsfw_concepts": [True]}
    over(pictures, Reply.json(black))
    pictures.refuses(pictures.run(), ContentRejected)


def test_a_models_own_failure_ends_the_job(pictures: Stage) -> None:
    fault = {"loc": ["body"], "msg": "Out of memory", "type": "internal_server_error"}
    over(pictures, Reply.json({"detail": [fault]}, 500))
    error = pictures.refuses(pictures.run(), ProviderError)
    assert (str(error), error.retryable) == ("The model on fal.ai has failed.", False)


def test_a_state_nobody_knows_is_waited_out(pictures: Stage) -> None:
    pictures.when(Kind.POLL, Reply.json({"status": "RESCHEDULED"}))
    assert pictures.poll(pictures.accepted()).answer is not None


def test_a_clip_is_billed_by_the_seconds_ordered(films: Stage) -> None:
    films.order = replace(films.order, duration_seconds=5.5)
    usage = films.result(films.run()).usage
    assert (usage.units, usage.raw) == (Decimal(6), {"ordered_seconds": 6.0})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"input": {"prompt": "prompt", "sede": "seed"}}, "input.sede"),
        ({"input": {"prompt": "prompt", "size": {"field": "size", "values": {"9:16": "tall"}}}}, "1:1"),
        ({"fixed": {"image_size": 1}, "input": {"prompt": "image_size.text"}}, "no object"),
    ],
)
def test_options_that_cannot_be_used_are_named(
    stage_of: Callable[..., Stage], options: dict[str, Any], words: str
) -> None:
    stage = stage_of(plugin, Pictures("flux-dev", **options))
    assert words in str(stage.refuses(stage.start(), ProviderError))
    assert stage.provider.requests == []
