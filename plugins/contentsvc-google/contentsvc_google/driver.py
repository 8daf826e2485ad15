"""What this distribution declares: one driver, and models to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_google.chat import GeminiEntities, GeminiScripts
from contentsvc_google.check import check
from contentsvc_google.images import GeminiImages
from contentsvc_google.sdk import BASE_URL
from contentsvc_google.videos import OmniVideos

NAME: Final = "google"
BACKENDS: Final[Mapping[Capability, type[Any]]] = {
    Capability.SCRIPT: GeminiScripts,
    Capability.ENTITY_EXTRACTION: GeminiEntities,
    Capability.IMAGE_GENERATION: GeminiImages,
    Capability.IMAGE_EDIT: GeminiImages,
    Capability.VIDEO_GENERATION: OmniVideos,
}
RATIOS: Final = ("1:1", "3:4", "4:3", "2:3", "3:2", "9:16", "16:9")


def google_driver() -> Driver:
    """The driver; its provider is the Gemini API of Google's AI Studio."""
    return Driver(
        name=NAME, display_name="Google Gemini", capabilities=BACKENDS, base_url=BASE_URL, check=check
    )


def google_models() -> tuple[Model, ...]:
    """Models to begin with, the default of nothing; prices are examples."""
    text = {"output_weight": 6}
    picture = {"ratios": list(RATIOS), "image_size": "1K"}
    clip = {
        "ratios": ["9:16", "16:9"],
        "resolutions": ["360p", "720p", "1080p"],
        "min_seconds": 3,
        "max_seconds": 10,
        "max_references": 3,
    }
    tokens, image = BillingUnit.THOUSAND_TOKENS, BillingUnit.IMAGE
    return (
        _model("gemini-3.5-flash", Capability.SCRIPT, "0.003", tokens, text),
        _model("gemini-3.5-flash", Capability.ENTITY_EXTRACTION, "0.003", tokens, text),
        _model("gemini-nano-banana-2.1", Capability.IMAGE_GENERATION, "0.5", image, picture),
        _model(
            "gemini-nano-banana-2.1", Capability.IMAGE_EDIT, "0.5", image, {**picture, "max_references": 14}
        ),
        _model("gemini-omni-1.1-flash", Capability.VIDEO_GENERATION, "0.75", BillingUnit.SECOND, clip),
    )


def _model(
    name: str, capability: Capability, price: str, unit: BillingUnit, options: Mapping[str, Any]
) -> Model:
    # None is resubmit_safe: the API takes no key that would make two requests one order.
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
