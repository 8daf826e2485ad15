"""The speech backend."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, TypeGuard

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
from contentsvc_elevenlabs.sdk import ONCE, opened

SILENT_SECONDS: Final = 120.0
MAX_CHARACTERS: Final = 5000
MAX_BYTES: Final = 50 * 1024 * 1024
OUTPUT_FORMAT: Final = "mp3_44100_128"
SPEEDS: Final = (0.7, 1.2)

_VOICE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ElevenLabsSpeech:
    """One text an order; the reply is the sound."""

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        """Speak the text."""
        limit = round(_number(ctx, "max_characters", MAX_CHARACTERS))
        if len(request.text) > limit:
            raise ProviderError(f"The provider speaks at most {limit} characters at a time.")
        voice, speed = _voice_id(request.voice, ctx), _speed(request.speed, ctx)
        with (
            opened(ctx, _number(ctx, "timeout_seconds", SILENT_SECONDS)) as client,
            client.text_to_speech.with_raw_response.convert(
                voice, **_order(request, speed, ctx), request_options=ONCE
            ) as reply,
        ):
            path = save_reply(
                ctx,
                reply.data,
                name="speech",
                media_type=reply.headers.get("content-type", ""),
                max_bytes=round(_number(ctx, "max_bytes", MAX_BYTES)),
            )
        made = GeneratedFile(path, {"voice_id": voice, "speed": speed})
        return Done(SpeechResult(made, _usage(request.text, ctx)))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:  # noqa: ARG002 - the protocol's names
        """The sound comes at once; there are no jobs."""
        raise ProviderError("This provider has no work that could be asked for later.")


def _order(request: SpeechRequest, speed: float, ctx: Context) -> dict[str, Any]:
    """What is asked for, as the SDK takes it. Plain values: what the administrator adds goes out as it is."""
    options = ctx.model.options
    settings = options.get("voice_settings")
    order: dict[str, Any] = {
        "text": request.text,
        "model_id": ctx.model.endpoint or ctx.model.name,
        "output_format": str(options.get("output_format") or OUTPUT_FORMAT),
        "voice_settings": {**(settings if isinstance(settings, Mapping) else {}), "speed": speed},
    }
    # Some models refuse the field.
    if request.language and options.get("takes_language") is True:
        order["language_code"] = request.language.partition("-")[0].lower()
    return order


def _voice_id(wanted: str, ctx: Context) -> str:
    """The id behind a voice's name.

    ``voices`` of the model is a mapping of names to ids, and nothing else may be asked for: an
    account may hold voices that are not for everybody. ``voice`` is the name without one asked.
    Raises ProviderError.
    """
    voices = ctx.model.options.get("voices")
    known = voices if isinstance(voices, Mapping) else {}
    name = wanted or str(ctx.model.options.get("voice") or next(iter(known), ""))
    found = known.get(name)
    if not isinstance(found, str) or not _VOICE.fullmatch(found):
        raise ProviderError("This model has no voice of that name.")
    return found


def _speed(wanted: float, ctx: Context) -> float:
    """The speed as near to what is asked for as the model goes."""
    slowest, fastest = SPEEDS
    allowed = ctx.model.options.get("speeds")
    if isinstance(allowed, list) and len(allowed) == len(SPEEDS) and all(map(_is_number, allowed)):
        slowest, fastest = sorted(map(float, allowed))
    return min(fastest, max(slowest, wanted))


def _usage(text: str, ctx: Context) -> Usage:
    """Characters or the call; the API reports no figure that is documented."""
    raw = {"characters": len(text)}
    unit = ctx.model.billing_unit
    if unit is BillingUnit.THOUSAND_CHARACTERS or unit is None:
        return Usage(Decimal(len(text)) / 1000, raw)
    return Usage(Decimal(1) if unit is BillingUnit.TASK else None, raw)


def _number(ctx: Context, name: str, default: float) -> float:
    """A number above zero that the administrator may have set."""
    value = ctx.model.options.get(name)
    return float(value) if _is_number(value) and 0 < value < math.inf else default


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
