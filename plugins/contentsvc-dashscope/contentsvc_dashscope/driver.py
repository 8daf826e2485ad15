"""What this distribution declares: one driver, and models to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_dashscope.check import check
from contentsvc_dashscope.images import QwenImages
from contentsvc_dashscope.scripts import QwenEntities, QwenScripts
from contentsvc_dashscope.speech import CosyVoices
from contentsvc_dashscope.videos import WanVideos

NAME: Final = "dashscope"
BASE_URL: Final = "https://dashscope.aliyuncs.com"
BACKENDS: Final[Mapping[Capability, type[Any]]] = {
    Capability.SCRIPT: QwenScripts,
    Capability.ENTITY_EXTRACTION: QwenEntities,
    Capability.IMAGE_GENERATION: QwenImages,
    Capability.IMAGE_EDIT: QwenImages,
    Capability.VIDEO_GENERATION: WanVideos,
    Capability.SPEECH: CosyVoices,
}
SIZES: Final[Mapping[str, str]] = {
    "1:1": "1328*1328",
    "3:4": "1104*1472",
    "4:3": "1472*1104",
    "2:3": "1024*1536",
    "3:2": "1536*1024",
    "9:16": "928*1664",
    "16:9": "1664*928",
}
LANGUAGES: Final = ("zh", "en", "fr", "de", "ja", "ko", "ru", "pt", "th", "id", "vi")


def dashscope_driver() -> Driver:
    """The driver; its provider is Model Studio's region of Beijing."""
    return Driver(
        name=NAME,
        display_name="Alibaba Model Studio",
        capabilities=BACKENDS,
        base_url=BASE_URL,
        check=check,
    )


def dashscope_models() -> tuple[Model, ...]:
    """Models to begin with, the default of nothing; prices are examples."""
    # Thinking and JSON don't go together.
    chat = {"json": "object", "output_weight": 2.5, "parameters": {"enable_thinking": False}}
    picture = {"ratios": list(SIZES), "sizes": dict(SIZES), "takes_seed": True}
    clip = {
        "ratios": ["9:16", "16:9", "1:1", "3:4", "4:3"],
        "takes_seed": True,
        "pictures": "links",
    }
    wan3 = {
        **clip,
        "resolutions": ["480p", "720p", "1080p"],
        "min_seconds": 2,
        "max_seconds": 30,
        "max_references": 10,
    }
    wan27 = {
        **clip,
        "endpoints": {"frames": "wan2.7-i2v", "references": "wan2.7-r2v"},
        "resolutions": ["720p", "1080p"],
        "min_seconds": 2,
        "max_seconds": 15,
        "max_references": 9,
    }
    voice = {"voice": "longanyang", "languages": list(LANGUAGES), "max_characters": 10_000}
    tokens, image = BillingUnit.THOUSAND_TOKENS, BillingUnit.IMAGE
    second, characters = BillingUnit.SECOND, BillingUnit.THOUSAND_CHARACTERS
    return (
        _model("qwen-plus", Capability.SCRIPT, "0.0008", tokens, chat),
        _model("qwen-plus", Capability.ENTITY_EXTRACTION, "0.0008", tokens, chat),
        _model("qwen-image-2.0", Capability.IMAGE_GENERATION, "0.2", image, picture),
        _model("qwen-image-2.0", Capability.IMAGE_EDIT, "0.2", image, {**picture, "max_references": 3}),
        _model("wan3.0-video", Capability.VIDEO_GENERATION, "0.6", second, wan3),
        _model("wan2.7", Capability.VIDEO_GENERATION, "0.6", second, wan27, endpoint="wan2.7-t2v"),
        _model("cosyvoice-v3-flash", Capability.SPEECH, "0.1", characters, voice),
    )


def _model(
    name: str,
    capability: Capability,
    price: str,
    unit: BillingUnit,
    options: Mapping[str, Any],
    endpoint: str = "",
) -> Model:
    # None is resubmit_safe: the API takes no key that would make two requests one order.
    return Model(
        provider=NAME,
        name=name,
        display_name=name,
        capability=capability,
        unit_price=Decimal(price),
        billing_unit=unit,
        endpoint=endpoint or name,
        options=options,
    )
