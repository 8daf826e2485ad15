"""From a request to a provider's input, as a model's options declare it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import Capability, ImageReference, MediaRef, ProviderError, ReferenceRole
from contentsvc.testing import sample_order
from contentsvc.testing.samples import media
from contentsvc_declared import Declaration, Filled, fill

PICTURE = sample_order(Capability.IMAGE_GENERATION)
CLIP = replace(sample_order(Capability.VIDEO_GENERATION), first_frame=None)


def link(picture: MediaRef) -> str:
    return picture.public_url or "none"


def filled(request: Any, fixed: dict[str, Any] | None = None, **inputs: Any) -> Filled:
    options = {"input": {"prompt": "prompt", **inputs}, "fixed": fixed or {}}
    return fill(Declaration.of(options), request, link)


def told(request: Any, **inputs: Any) -> dict[str, Any]:
    """The input but its prompt."""
    document = filled(request, **inputs).document
    assert document.pop("prompt") == request.prompt
    return document


def pictures(count: int) -> tuple[ImageReference, ...]:
    return tuple(ImageReference(ReferenceRole.PRODUCT, media(f"at {place}")) for place in range(count))


def test_only_declared_fields_are_sent() -> None:
    assert told(PICTURE) == {}
    assert told(CLIP) == {}


def test_texts_go_as_they_are_or_as_the_table_says() -> None:
    assert told(PICTURE, ratio="aspect_ratio") == {"aspect_ratio": "1:1"}
    table = {"field": "image_size", "values": {"1:1": {"width": 512, "height": 512}}}
    assert told(PICTURE, size=table) == {"image_size": {"width": 512, "height": 512}}


def test_a_clips_size_is_looked_up_by_ratio_and_resolution() -> None:
    width, height = (
        {"field": name, "values": {"9:16 720p": side}} for name, side in (("w", 720), ("h", 1280))
    )
    assert told(CLIP, width=width, height=height) == {"w": 720, "h": 1280}


def test_a_dot_leads_into_an_object() -> None:
    assert filled(PICTURE, {"size": {"unit": "px"}}, ratio="size.ratio").document["size"] == {
        "unit": "px",
        "ratio": "1:1",
    }


def test_an_empty_negative_prompt_is_not_sent() -> None:
    assert told(PICTURE, negative_prompt="negative") == {"negative": "text"}
    assert told(replace(PICTURE, negative_prompt=""), negative_prompt="negative") == {}


def test_pictures_of_a_batch_have_seeds_of_their_own() -> None:
    assert told(replace(PICTURE, index=3), seed="seed") == {"seed": 14}
    assert told(replace(PICTURE, seed=70_000), seed={"field": "seed", "max": 65_535}) == {"seed": 4464}


@pytest.mark.parametrize(
    ("slot", "asked", "sent", "ordered"),
    [
        ("duration", 4.2, 5, 5.0),
        ("duration", 4.0000000001, 4, 4.0),
        ({"field": "duration", "min": 2, "max": 10}, 1.0, 2, 2.0),
        ({"field": "duration", "min": 2, "max": 10}, 12.5, 10, 10.0),
        ({"field": "duration", "allowed": [5, 10]}, 5.5, 10, 10.0),
        ({"field": "duration", "allowed": [5, 10]}, 30, 10, 10.0),
        ({"field": "duration", "allowed": [2.5]}, 1, 2.5, 2.5),
        ({"field": "duration", "text": True}, 5, "5", 5.0),
        ({"field": "duration", "suffix": "s"}, 5, "5s", 5.0),
    ],
)
def test_lengths_are_never_shorter_than_asked_for_as_far_as_that_goes(
    slot: Any, asked: float, sent: Any, ordered: float
) -> None:
    made = filled(replace(CLIP, duration_seconds=asked), duration=slot)
    assert (made.document["duration"], made.seconds) == (sent, ordered)


def test_references_are_a_list_or_one() -> None:
    order = replace(PICTURE, references=pictures(3))
    assert told(order, references={"field": "images", "max": 2}) == {"images": ["at 0", "at 1"]}
    assert told(order, references={"field": "image", "single": True}) == {"image": "at 0"}


def test_frames_have_fields_of_their_own() -> None:
    order = replace(CLIP, first_frame=media("first"), last_frame=media("last"))
    assert told(order, first_frame="image", last_frame="end.image") == {
        "image": "first",
        "end": {"image": "last"},
    }


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (replace(PICTURE, references=pictures(1)), "takes no reference pictures"),
        (replace(CLIP, first_frame=media("first")), "takes no first or last frame"),
    ],
)
def test_pictures_without_a_field_are_refused(request_: Any, words: str) -> None:
    with pytest.raises(ProviderError, match=words):
        filled(request_)


def test_what_is_fixed_stays_the_same_from_order_to_order() -> None:
    declaration = Declaration.of({"input": {"prompt": "a.prompt"}, "fixed": {"a": {"b": 1}}})
    fill(declaration, PICTURE, link)
    assert declaration.fixed == {"a": {"b": 1}}


def test_a_variant_changes_what_it_names() -> None:
    declaration = Declaration.of(
        {
            "input": {"prompt": "prompt"},
            "fixed": {"mode": "text"},
            "variants": {"references": {"endpoint": "other", "fixed": {"mode": "pictures"}}},
        }
    )
    usual, endpoint = declaration.for_request(PICTURE, "usual")
    assert (usual.fixed, endpoint) == ({"mode": "text"}, "usual")
    other, endpoint = declaration.for_request(replace(PICTURE, references=pictures(1)), "usual")
    assert (other.fixed, other.input, endpoint) == ({"mode": "pictures"}, declaration.input, "other")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "input: Field required"),
        ({"input": {"prompt": ""}}, "input.prompt.field"),
        ({"input": {"prompt": "p", "duration": {"field": "d", "allowed": [0]}}}, "input.duration.allowed.0"),
        ({"input": {"prompt": "p"}, "variants": {"sometimes": {}}}, "variants.sometimes"),
    ],
)
def test_options_that_cannot_be_read_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ProviderError, match=words) as caught:
        Declaration.of(options)
    assert not caught.value.retryable


def test_the_options_in_the_readme_can_be_used() -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    declaration = Declaration.of(json.loads(readme.split("```json")[1].split("```")[0]))
    clip = fill(declaration, replace(CLIP, first_frame=media("first")), link)
    assert clip.document == {
        "prompt": CLIP.prompt,
        "seed": 11,
        "aspect_ratio": "portrait",
        "duration": "5s",
        "resolution": "720p",
        "image": {"url": "first"},
        "watermark": False,
    }


def test_options_of_the_service_are_left_alone() -> None:
    assert Declaration.of({"input": {"prompt": "p"}, "ratios": ["1:1"], "fallback": "x"}).output == ""
