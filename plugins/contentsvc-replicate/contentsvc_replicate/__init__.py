"""Pictures and clips from the models on Replicate, through its predictions."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_replicate.driver import replicate_driver, replicate_models

__all__ = ["ReplicatePlugin", "plugin"]


class ReplicatePlugin:
    """The hooks behind the entry point ``replicate``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(replicate_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in replicate_models():
            register(model)


plugin = ReplicatePlugin()
