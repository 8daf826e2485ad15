"""Backs the capability export: clips, subtitles, voice and music in, one MP4 out."""

from __future__ import annotations

from collections.abc import Callable

from contentsvc.plugin import Driver, Model, hookimpl
from contentsvc_ffmpeg.driver import export_model, ffmpeg_driver

__all__ = ["FfmpegPlugin", "plugin"]


class FfmpegPlugin:
    """The hooks behind the entry point ``ffmpeg``."""

    @hookimpl
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        register(ffmpeg_driver())

    @hookimpl
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        register(export_model())


plugin = FfmpegPlugin()
