"""The speech backend."""

from __future__ import annotations

from typing import Any, Final

from contentsvc.plugin import (
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
)
from contentsvc_openai.usage import usage_of_text
from contentsvc_openai.wire import option, parameters, post, read_error, save

SILENT_SECONDS: Final = 120.0
MAX_BYTES: Final = 50 * 1024 * 1024
MAX_CHARACTERS: Final = 4096
VOICE: Final = "alloy"


class OpenAISpeech:
    """One text an order; the reply is the sound."""

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        """Speak the text."""
        limit = round(option(ctx, "max_characters", MAX_CHARACTERS))
        if len(request.text) > limit:
            raise ProviderError(f"The provider speaks at most {limit} characters at a time.")
        body: dict[str, Any] = {
            "model": ctx.model.endpoint or ctx.model.name,
            "voice": _voice(request.voice, ctx),
            "input": request.text,
            "response_format": "mp3",
            "speed": request.speed,
            **parameters(ctx),
        }
        path = ctx.work_dir / "speech"
        with post(ctx, "audio/speech", SILENT_SECONDS, json=body) as reply:
            read_error(reply, ctx.secret)
            save(reply, path, round(option(ctx, "max_bytes", MAX_BYTES)), ctx)
        return Done(SpeechResult(GeneratedFile(path), usage_of_text(request.text, ctx)))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:  # noqa: ARG002 - the protocol's names
        """The sound comes at once; there are no jobs."""
        raise ProviderError("This provider has no work that could be asked for later.")


def _voice(wanted: str, ctx: Context) -> str:
    """The voice that is asked for, the option ``voice`` without one. Raises ProviderError for an unknown."""
    known = ctx.model.options.get("voices")
    if not wanted:
        return str(ctx.model.options.get("voice") or VOICE)
    if isinstance(known, list) and known and wanted not in known:
        raise ProviderError("This model has no voice of that name.")
    return wanted
