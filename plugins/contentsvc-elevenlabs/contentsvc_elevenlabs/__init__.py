"""Voices of ElevenLabs."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_elevenlabs.driver import elevenlabs_driver, elevenlabs_models

__all__ = ["ElevenLabsPlugin", "plugin"]


class ElevenLabsPlugin:
    """The hooks behind the entry point ``elevenlabs``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(elevenlabs_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in elevenlabs_models():
            register(model)


plugin = ElevenLabsPlugin()
