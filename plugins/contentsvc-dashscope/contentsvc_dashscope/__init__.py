"""Models of Alibaba Cloud Model Studio, through the DashScope API."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_dashscope.driver import dashscope_driver, dashscope_models

__all__ = ["DashScopePlugin", "plugin"]


class DashScopePlugin:
    """The hooks behind the entry point ``dashscope``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(dashscope_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        for model in dashscope_models():
            register(model)


plugin = DashScopePlugin()
