"""What this distribution declares: one driver, and the models in ``models.json``."""

from __future__ import annotations

from importlib.resources import files

from contentsvc.plugin import Driver, Model, PluginSetting
from contentsvc_declared import CAPABILITIES, INLINE_SETTING, models_of
from contentsvc_replicate.backends import INLINE_MAX_BYTES, ReplicateJobs
from contentsvc_replicate.predictions import check

NAME = "replicate"
BASE_URL = "https://api.replicate.com/v1"


def replicate_driver() -> Driver:
    """The driver; it needs a token."""
    return Driver(
        name=NAME,
        display_name="Replicate",
        capabilities=dict.fromkeys(CAPABILITIES, ReplicateJobs),
        settings=(
            PluginSetting(
                INLINE_SETTING,
                str(INLINE_MAX_BYTES),
                "Largest picture sent inside of an order, where it has no public address; "
                "larger ones are uploaded first.",
            ),
        ),
        base_url=BASE_URL,
        check=check,
    )


def replicate_models() -> tuple[Model, ...]:
    """The models that come along; none is a default before there is a token."""
    return models_of((files("contentsvc_replicate") / "models.json").read_text(encoding="utf-8"), NAME)
