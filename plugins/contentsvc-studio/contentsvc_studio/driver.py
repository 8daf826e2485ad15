"""What this distribution declares: one driver and its models."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from contentsvc.plugin import BillingUnit, Capability, Driver, Model, PluginSetting
from contentsvc_studio.check import check
from contentsvc_studio.entities.backend import StudioEntities
from contentsvc_studio.images.backend import StudioImages
from contentsvc_studio.images.sizes import SIZES
from contentsvc_studio.reviews.backend import StudioReviews
from contentsvc_studio.scripts.backend import StudioScripts
from contentsvc_studio.speech.backend import StudioSpeech
from contentsvc_studio.speech.voices import VOICES
from contentsvc_studio.videos.backend import StudioVideos

NAME = "studio"
BACKENDS: Mapping[Capability, type[Any]] = {
    Capability.IMAGE_GENERATION: StudioImages,
    Capability.IMAGE_EDIT: StudioImages,
    Capability.SCRIPT: StudioScripts,
    Capability.ENTITY_EXTRACTION: StudioEntities,
    Capability.VIDEO_GENERATION: StudioVideos,
    Capability.SPEECH: StudioSpeech,
    Capability.ASSET_REVIEW: StudioReviews,
}
# 720 by 1280 pixels, 24 times a second, divided by 1024.
TOKENS_PER_SECOND = 21600


def studio_driver() -> Driver:
    """The driver; it works offline and needs no key."""
    return Driver(
        name=NAME,
        display_name="Studio",
        capabilities=BACKENDS,
        settings=(
            PluginSetting(
                "font",
                "",
                "Path of a font file (TTF, OTF, TTC) for scripts that the bundled fonts lack, "
                "such as Chinese or Arabic; empty: such texts are left out of the pictures.",
            ),
            PluginSetting(
                "work_dir",
                "",
                "Folder in which clips are rendered, shared by all workers that poll for them; "
                "empty: one below the system's folder for temporary files.",
            ),
        ),
        needs_secret=False,
        check=check,
    )


def studio_models() -> tuple[Model, ...]:
    """The models: one a capability, each the default of its own."""
    ratios = {"ratios": list(SIZES)}
    return (
        _model("studio-image", "0.02", BillingUnit.IMAGE, Capability.IMAGE_GENERATION, **ratios),
        _model("studio-image", "0.02", BillingUnit.IMAGE, Capability.IMAGE_EDIT, **ratios),
        _model("studio-script", "0.02", BillingUnit.TASK, Capability.SCRIPT),
        _model("studio-entities", "0.01", BillingUnit.TASK, Capability.ENTITY_EXTRACTION),
        _model(
            "studio-video",
            "0.0005",
            BillingUnit.THOUSAND_TOKENS,
            Capability.VIDEO_GENERATION,
            tokens_per_second=TOKENS_PER_SECOND,
            **ratios,
        ),
        _model(
            "studio-speech",
            "0.01",
            BillingUnit.THOUSAND_CHARACTERS,
            Capability.SPEECH,
            voices=list(VOICES),
        ),
        _model("studio-review", "0", BillingUnit.TASK, Capability.ASSET_REVIEW),
    )


def _model(name: str, price: str, unit: BillingUnit, capability: Capability, **options: Any) -> Model:
    """A default model; the same order gives the same work, so repeating one does no harm."""
    return Model(
        provider=NAME,
        name=name,
        display_name="Studio",
        capability=capability,
        unit_price=Decimal(price),
        billing_unit=unit,
        options={"resubmit_safe": True, **options},
        is_default=True,
    )
