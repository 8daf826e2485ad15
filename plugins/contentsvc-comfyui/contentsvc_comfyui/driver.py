"""What this distribution declares: one driver, and no models."""

from __future__ import annotations

from contentsvc.plugin import Driver, PluginSetting
from contentsvc_comfyui.backends import ComfyuiJobs
from contentsvc_comfyui.check import check
from contentsvc_declared import CAPABILITIES

NAME = "comfyui"
BASE_URL = "http://127.0.0.1:8188"


def comfyui_driver() -> Driver:
    """The driver, at ComfyUI's own default address.

    ComfyUI has no keys; one that is set is sent to the proxy in front of it.
    """
    return Driver(
        name=NAME,
        display_name="ComfyUI",
        capabilities=dict.fromkeys(CAPABILITIES, ComfyuiJobs),
        settings=(
            PluginSetting(
                "workflows",
                "",
                "Folder with workflow files (*.json), the same on all machines; empty: the examples.",
            ),
        ),
        base_url=BASE_URL,
        needs_secret=False,
        check=check,
    )
