"""Studio: the provider that comes with the service and works offline, without a model."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_studio.driver import studio_driver, studio_models

__all__ = ["StudioPlugin", "plugin"]


class StudioPlugin:
    """The hooks behind the entry point ``studio``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(studio_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in studio_models():
            register(model)


plugin = StudioPlugin()
