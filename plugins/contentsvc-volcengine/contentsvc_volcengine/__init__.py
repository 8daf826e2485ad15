"""Volcengine: Doubao writes, Seedream draws, Seedance films, Doubao's voices speak, faces are reviewed."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_volcengine.drivers import drivers
from contentsvc_volcengine.models import models

__all__ = ["VolcenginePlugin", "plugin"]


class VolcenginePlugin:
    """The hooks behind the entry point ``volcengine``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        for driver in drivers():
            register(driver)

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in models():
            register(model)


plugin = VolcenginePlugin()
