"""The speech backend."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from contentsvc.plugin import (
    BillingUnit,
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
    Usage,
    save_reply,
)
from contentsvc_authoring import option, order_of, parameters
from contentsvc_openai.sdk import opened

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
        with (
            opened(ctx, option(ctx, "timeout_seconds", SILENT_SECONDS)) as client,
            client.audio.speech.with_streaming_response.create(
                model=order_of(ctx),
                voice=_voice(request.voice, ctx),
                input=request.text,
                response_format="mp3",
                speed=request.speed,
                extra_body=parameters(ctx),
            ) as reply,
        ):
            path = save_reply(
                ctx,
                reply.iter_bytes(),
                name="speech",
                media_type=reply.headers.get("Content-Type", ""),
                max_bytes=round(option(ctx, "max_bytes", MAX_BYTES)),
            )
        return Done(SpeechResult(GeneratedFile(path), _used(request.text, ctx)))

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


def _used(text: str, ctx: Context) -> Usage:
    """Characters or the call; the endpoint itself reports nothing."""
    raw, unit = {"characters": len(text)}, ctx.model.billing_unit
    if unit in (BillingUnit.THOUSAND_CHARACTERS, None):
        return Usage(Decimal(len(text)) / 1000, raw)
    return Usage(Decimal(1) if unit is BillingUnit.TASK else None, raw)
