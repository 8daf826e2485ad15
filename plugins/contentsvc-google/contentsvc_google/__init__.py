"""Google's models, through the Gemini API."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_google.driver import google_driver, google_models

__all__ = ["GooglePlugin", "plugin"]


class GooglePlugin:
    """The hooks behind the entry point ``google``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(google_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in google_models():
            register(model)


plugin = GooglePlugin()
