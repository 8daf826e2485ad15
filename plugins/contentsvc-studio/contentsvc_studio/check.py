"""Whether studio works on this machine: it speaks a word, which needs what came with the wheels."""

from __future__ import annotations

from pathlib import Path

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_studio.speech.backend import speak
from contentsvc_studio.speech.voices import voice_for


def check(ctx: CheckContext) -> str:
    """What was found; ProviderError where the font that is set is missing or no voice speaks."""
    font = ctx.settings.get("font", "")
    if font and not Path(font).is_file():
        raise ProviderError("The font that is set for studio is no file.")
    speak("Ready", voice_for("", "en"), 1.0, ctx.work_dir / "check.wav")
    return "Studio works here and needs nobody else: it has just spoken a word."
