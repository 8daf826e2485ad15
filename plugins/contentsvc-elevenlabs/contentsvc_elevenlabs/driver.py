"""What this distribution declares: one driver, and models to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_elevenlabs.check import check
from contentsvc_elevenlabs.speech import OUTPUT_FORMAT, SPEEDS, ElevenLabsSpeech

NAME: Final = "elevenlabs"
BASE_URL: Final = "https://api.elevenlabs.io"
# An example: which voices may be used is the administrator's to say.
VOICES: Final[Mapping[str, str]] = {"george": "JBFqnCBsd6RMkjVDRZzb"}


def elevenlabs_driver() -> Driver:
    """The driver. Regional addresses are rows of their own on it."""
    return Driver(
        name=NAME,
        display_name="ElevenLabs",
        capabilities={Capability.SPEECH: ElevenLabsSpeech},
        base_url=BASE_URL,
        check=check,
    )


def elevenlabs_models() -> tuple[Model, ...]:
    """Models to begin with, the default of nothing; prices are examples."""
    return (
        _model("eleven_multilingual_v2", "Eleven Multilingual v2", "0.1", max_characters=10_000),
        _model("eleven_v3", "Eleven v3", "0.1", max_characters=5_000),
        _model("eleven_flash_v2_5", "Eleven Flash v2.5", "0.05", max_characters=40_000, takes_language=True),
    )


def _model(
    name: str, display_name: str, price: str, *, max_characters: int, takes_language: bool = False
) -> Model:
    # Nobody here repeats an order of unknown outcome: the API takes no key that would make it one order.
    return Model(
        provider=NAME,
        name=name,
        display_name=display_name,
        capability=Capability.SPEECH,
        unit_price=Decimal(price),
        billing_unit=BillingUnit.THOUSAND_CHARACTERS,
        endpoint=name,
        options={
            "voices": dict(VOICES),
            "voice": next(iter(VOICES)),
            "speeds": list(SPEEDS),
            "output_format": OUTPUT_FORMAT,
            "max_characters": max_characters,
            "takes_language": takes_language,
        },
    )
