"""Pictures and clips from the models on fal.ai, through its queue."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_fal.driver import fal_driver, fal_models

__all__ = ["FalPlugin", "plugin"]


class FalPlugin:
    """The hooks behind the entry point ``fal``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(fal_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in fal_models():
            register(model)


plugin = FalPlugin()
