"""Models behind any endpoint that speaks OpenAI's HTTP API."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_openai.driver import openai_driver, openai_models

__all__ = ["OpenAIPlugin", "plugin"]


class OpenAIPlugin:
    """The hooks behind the entry point ``openai``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(openai_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in openai_models():
            register(model)


plugin = OpenAIPlugin()
