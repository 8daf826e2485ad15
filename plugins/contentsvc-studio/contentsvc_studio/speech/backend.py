"""The speech backend."""

from __future__ import annotations

import json
import subprocess
import sys
import wave
from decimal import Decimal
from pathlib import Path

from contentsvc.plugin import (
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
    Usage,
)
from contentsvc_studio.speech import synthesis
from contentsvc_studio.speech.voices import WORDS_PER_MINUTE, Voice, language_of, names_to_try, voice_for

LONGEST = 5000
SECONDS = 60.0


class StudioSpeech:
    """Speaks a text. The same request gives the same bytes."""

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        """The spoken text as WAV, 22,050 Hz, one channel; ProviderError for an unknown voice,
        a speed outside 0.5 to 2 and a text without words."""
        text = "".join(letter for letter in request.text if letter.isprintable() or letter.isspace()).strip()
        if not 0.5 <= request.speed <= 2:
            raise ProviderError("Studio speaks at a speed of 0.5 to 2.")
        if len(text) > LONGEST:
            raise ProviderError(f"Studio speaks up to {LONGEST} characters at once.")
        voice = voice_for(request.voice, request.language or language_of(text))
        if ctx.cancelled:
            raise ProviderError("The voice is no longer wanted.")
        path = ctx.work_dir / "studio.wav"
        name = speak(text, voice, request.speed, path)
        ctx.progress(1.0)
        metadata = {"generator": "studio", "voice": name, "duration_seconds": _seconds(path)}
        usage = Usage(Decimal(len(request.text)) / 1000, {"characters": len(request.text)})
        return Done(SpeechResult(GeneratedFile(path, metadata), usage))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:  # noqa: ARG002 - the protocol's names
        """Studio finishes at once and never hands out jobs."""
        raise ProviderError("Studio has no work that could be asked for later.")


def speak(text: str, voice: Voice, speed: float, path: Path) -> str:
    """Write the speech; the name of the voice that took it."""
    try:
        import espeakng_loader
    except ImportError:
        raise ProviderError("Studio's voices need the package espeakng-loader.") from None
    order = {
        "library": str(espeakng_loader.get_library_path()),
        "data": str(espeakng_loader.get_data_path()),
        "text": text,
        "words_per_minute": round(WORDS_PER_MINUTE * speed),
        "pitch": voice.pitch,
        "range": voice.range,
        "path": str(path.absolute()),
    }
    for name in names_to_try(voice):
        code = _run({**order, "voice": name})
        if code == synthesis.SPOKEN:
            return name
        if code == synthesis.NOTHING:
            raise ProviderError("There is nothing to speak in this text.")
        if code != synthesis.NO_VOICE:
            raise ProviderError("The text couldn't be spoken.")
    raise ProviderError(f"Studio has no voice for {voice.accent[:32]!r}.")


def _run(order: dict[str, object]) -> int:
    command = [sys.executable, "-P", str(Path(synthesis.__file__))]
    try:
        done = subprocess.run(  # noqa: S603 - our own script
            command,
            input=json.dumps(order).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProviderError("Speaking the text took too long.") from None
    return done.returncode


def _seconds(path: Path) -> float:
    with wave.open(str(path), "rb") as file:
        return round(file.getnframes() / file.getframerate(), 3)
