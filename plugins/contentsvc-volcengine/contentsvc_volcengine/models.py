"""The models that come with the plugin: data for the administrator to edit, prices are examples.

None is a default: the service keeps to what works without a key until somebody enters one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from contentsvc.plugin import BillingUnit, Capability, Model
from contentsvc_volcengine.drivers import ARK, VOICES

SIZES = {
    "1:1": "2048x2048",
    "3:4": "1728x2304",
    "4:3": "2304x1728",
    "2:3": "1664x2496",
    "3:2": "2496x1664",
    "9:16": "1600x2848",
    "16:9": "2848x1600",
}
# 720 by 1280 pixels, 24 times a second, divided by 1024.
TOKENS_PER_SECOND = 21_600
CONTROL_PLANES = {
    "ark.cn-beijing.volces.com": {"url": "https://ark.cn-beijing.volcengineapi.com/", "region": "cn-beijing"},
    "ark.ap-southeast.bytepluses.com": {
        "url": "https://ark.ap-southeast-1.byteplusapi.com/",
        "region": "ap-southeast-1",
    },
}


def models() -> tuple[Model, ...]:
    """All of them."""
    return (*_chat(), *_pictures(), *_clips(), _voice(), _review())


def _chat() -> Iterator[Model]:
    thinking = {"thinking": {"type": "enabled"}}
    yield Model(
        ARK,
        "doubao-seed-2-1-pro",
        "Doubao Seed 2.1 Pro",
        Capability.SCRIPT,
        Decimal("0.0032"),
        BillingUnit.THOUSAND_TOKENS,
        "doubao-seed-2-1-pro-260915",
        {"output_weight": 5, "parameters": thinking},
    )
    yield Model(
        ARK,
        "doubao-seed-2-1-lite",
        "Doubao Seed 2.1 Lite",
        Capability.ENTITY_EXTRACTION,
        Decimal("0.0006"),
        BillingUnit.THOUSAND_TOKENS,
        "doubao-seed-2-1-lite-260915",
        {"output_weight": 6, "parameters": {"thinking": {"type": "disabled"}}},
    )


def _pictures() -> Iterator[Model]:
    for capability in (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT):
        yield _picture(capability, "4.5", "251128", "0.25", {})
        yield _picture(capability, "5.0-lite", "260128", "0.22", {"output_format": "png"})


def _picture(
    capability: Capability, version: str, released: str, price: str, parameters: Mapping[str, Any]
) -> Model:
    name = f"doubao-seedream-{version.replace('.', '-')}"
    return Model(
        ARK,
        name,
        f"Seedream {version}",
        capability,
        Decimal(price),
        BillingUnit.IMAGE,
        f"{name}-{released}",
        {
            "ratios": list(SIZES),
            "sizes": SIZES,
            "max_references": 14,
            "takes_seed": False,
            "parameters": {"sequential_image_generation": "disabled", **parameters},
        },
    )


def _clips() -> Iterator[Model]:
    small = ["480p", "720p"]
    yield _clip("2-0", "2.0", "260128", "0.051", [*small, "1080p"])
    yield _clip("2-0-fast", "2.0 Fast", "260128", "0.037", small)
    yield _clip("2-0-mini", "2.0 Mini", "260615", "0.023", small)


def _clip(version: str, label: str, released: str, price: str, resolutions: list[str]) -> Model:
    name = f"doubao-seedance-{version}"
    return Model(
        ARK,
        name,
        f"Seedance {label}",
        Capability.VIDEO_GENERATION,
        Decimal(price),
        BillingUnit.THOUSAND_TOKENS,
        f"{name}-{released}",
        {
            "ratios": ["16:9", "4:3", "1:1", "3:4", "9:16"],
            "tokens_per_second": TOKENS_PER_SECOND,
            "resolutions": resolutions,
            "min_seconds": 4,
            "max_seconds": 15,
            "max_references": 9,
            "takes_seed": False,
            "frame_ratio": "",
            "parameters": {"generate_audio": False},
        },
    )


def _voice() -> Model:
    return Model(
        VOICES,
        "doubao-tts-2-0",
        "Doubao TTS 2.0",
        Capability.SPEECH,
        Decimal("0.3"),
        BillingUnit.THOUSAND_CHARACTERS,
        "seed-tts-2.0",
        {
            "voice": "zh_female_vv_uranus_bigtts",
            "audio": {"format": "mp3", "sample_rate": 24_000},
            "parameters": {},
        },
    )


def _review() -> Model:
    return Model(
        ARK,
        "volcengine-assets",
        "Volcengine asset library",
        Capability.ASSET_REVIEW,
        Decimal(0),
        BillingUnit.TASK,
        "",
        {"project": "default", "control_planes": CONTROL_PLANES},
    )
