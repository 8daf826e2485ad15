"""What this distribution declares: one driver and its models."""

from __future__ import annotations

from decimal import Decimal

from contentsvc.plugin import BillingUnit, Capability, Driver, Model, PluginSetting
from contentsvc_studio.images.backend import StudioImages
from contentsvc_studio.images.sizes import SIZES

NAME = "studio"
IMAGE_MODEL = "studio-image"
IMAGE_CAPABILITIES = (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT)


def studio_driver() -> Driver:
    """The driver; it works offline and needs no key."""
    return Driver(
        name=NAME,
        display_name="Studio",
        capabilities=dict.fromkeys(IMAGE_CAPABILITIES, StudioImages),
        settings=(
            PluginSetting(
                "font",
                "",
                "Path of a font file (TTF, OTF, TTC) for scripts that the bundled fonts lack, "
                "such as Chinese or Arabic; empty: such texts are left out of the pictures.",
            ),
        ),
        needs_secret=False,
    )


def studio_models() -> tuple[Model, ...]:
    """The models: Studio's pictures, with references and without."""
    return tuple(
        Model(
            provider=NAME,
            name=IMAGE_MODEL,
            display_name="Studio",
            capability=capability,
            unit_price=Decimal("0.02"),
            billing_unit=BillingUnit.IMAGE,
            options={"resubmit_safe": True, "ratios": list(SIZES)},
            is_default=True,
        )
        for capability in IMAGE_CAPABILITIES
    )
