"""What this distribution declares: one driver, and the models in ``models.json``."""

from __future__ import annotations

from importlib.resources import files

from contentsvc.plugin import Driver, Model, PluginSetting
from contentsvc_declared import CAPABILITIES, INLINE_SETTING, models_of
from contentsvc_fal.backends import INLINE_MAX_BYTES, FalJobs
from contentsvc_fal.queue import check

NAME = "fal"
BASE_URL = "https://queue.fal.run"


def fal_driver() -> Driver:
    """The driver; it needs a key."""
    return Driver(
        name=NAME,
        display_name="fal.ai",
        capabilities=dict.fromkeys(CAPABILITIES, FalJobs),
        settings=(
            PluginSetting(
                "keep_seconds",
                "86400",
                "Seconds for which fal.ai keeps the files it has made; empty: as long as it likes.",
            ),
            PluginSetting(
                INLINE_SETTING,
                str(INLINE_MAX_BYTES),
                "Largest picture sent inside of an order, where it has no public address.",
            ),
        ),
        base_url=BASE_URL,
        check=check,
    )


def fal_models() -> tuple[Model, ...]:
    """The models that come along; none is a default before there is a key."""
    return models_of((files("contentsvc_fal") / "models.json").read_text(encoding="utf-8"), NAME)
