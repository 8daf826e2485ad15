"""What this distribution declares: one driver, and models to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_openai.chat import OpenAIEntities, OpenAIScripts
from contentsvc_openai.check import check
from contentsvc_openai.images import OpenAIImages
from contentsvc_openai.speech import OpenAISpeech

NAME: Final = "openai"
BASE_URL: Final = "https://api.openai.com/v1"
BACKENDS: Final[Mapping[Capability, type[Any]]] = {
    Capability.SCRIPT: OpenAIScripts,
    Capability.ENTITY_EXTRACTION: OpenAIEntities,
    Capability.IMAGE_GENERATION: OpenAIImages,
    Capability.IMAGE_EDIT: OpenAIImages,
    Capability.SPEECH: OpenAISpeech,
}
# Width and height are multiples of 16.
SIZES: Final[Mapping[str, str]] = {
    "1:1": "1024x1024",
    "3:4": "1152x1536",
    "4:3": "1536x1152",
    "2:3": "1024x1536",
    "3:2": "1536x1024",
    "9:16": "1152x2048",
    "16:9": "2048x1152",
}
VOICES: Final = (
    *("alloy", "ash", "ballad", "cedar", "coral", "echo", "fable"),
    *("marin", "nova", "onyx", "sage", "shimmer", "verse"),
)


def openai_driver() -> Driver:
    """The driver. Its first provider is OpenAI; more rows on it reach any compatible endpoint."""
    return Driver(name=NAME, display_name="OpenAI", capabilities=BACKENDS, base_url=BASE_URL, check=check)


def openai_models() -> tuple[Model, ...]:
    """Models to begin with, the default of nothing; prices are examples."""
    chat = {"output_weight": 6}
    picture = {
        "ratios": list(SIZES),
        "sizes": list(SIZES.values()),
        "parameters": {"quality": "medium"},
    }
    tokens, image, characters = (
        BillingUnit.THOUSAND_TOKENS,
        BillingUnit.IMAGE,
        BillingUnit.THOUSAND_CHARACTERS,
    )
    speech = {"voices": list(VOICES), "voice": "alloy", "max_characters": 4096}
    return (
        _model("gpt-5.4-mini", Capability.SCRIPT, "0.0005", tokens, chat),
        _model("gpt-5.4-mini", Capability.ENTITY_EXTRACTION, "0.0005", tokens, chat),
        _model("gpt-image-2", Capability.IMAGE_GENERATION, "0.06", image, picture),
        _model("gpt-image-2", Capability.IMAGE_EDIT, "0.07", image, {**picture, "max_references": 16}),
        _model("gpt-4o-mini-tts", Capability.SPEECH, "0.015", characters, speech),
    )


def _model(
    name: str, capability: Capability, price: str, unit: BillingUnit, options: Mapping[str, Any]
) -> Model:
    # Nobody here repeats an order of unknown outcome: the API takes no key that would make it one order.
    return Model(
        provider=NAME,
        name=name,
        display_name=name,
        capability=capability,
        unit_price=Decimal(price),
        billing_unit=unit,
        endpoint=name,
        options=options,
    )
