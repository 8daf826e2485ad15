"""Pictures and clips from the workflows of one's own ComfyUI."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, hookimpl
from contentsvc_comfyui.driver import comfyui_driver

__all__ = ["ComfyuiPlugin", "plugin"]


class ComfyuiPlugin:
    """The hooks behind the entry point ``comfyui``. Models are the administrator's: one for each workflow."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(comfyui_driver())


plugin = ComfyuiPlugin()
