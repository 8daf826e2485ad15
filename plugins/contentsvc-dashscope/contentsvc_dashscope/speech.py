"""CosyVoice: a text goes out, a link to the sound comes back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Context,
    Done,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
    figure,
)
from contentsvc_authoring import figures, member, option, order_of, parameters, text, texts
from contentsvc_dashscope.client import API, DashScope, patience
from contentsvc_dashscope.failures import taken_failure
from contentsvc_dashscope.made import Made

PATH: Final = f"{API}/services/audio/tts/SpeechSynthesizer"
SILENT_SECONDS: Final = 120.0
NOT_SPOKEN: Final = "Model Studio could not speak this text"
MAX_CHARACTERS: Final = 10_000


class CosyVoices:
    """One text an order.

    Options: ``voice`` (for orders that name none), ``voices`` (those that may be named), ``languages``
    (those the model takes as a hint), ``max_characters``, ``parameters`` (members of ``input``, such
    as ``format`` and ``sample_rate``), ``timeout_seconds``.
    """

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult] | Accepted:
        """Speak the text and fetch the sound."""
        limit = round(option(ctx, "max_characters", MAX_CHARACTERS))
        if len(request.text) > limit:
            raise ProviderError(f"Model Studio speaks at most {limit} characters at a time.")
        reply = DashScope(ctx).order(PATH, _body(request, ctx), patience(ctx, SILENT_SECONDS))
        link = text(reply, "output", "audio", "url")
        if not link:
            raise taken_failure(reply, NOT_SPOKEN)
        report = member(reply, "usage")
        made = Made(url=link, units=_units(report, ctx), usage=figures(report))
        return made.handed_over(ctx, _name(ctx), SpeechResult)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:
        """Fetch a sound whose link didn't answer at first."""
        return Made.read(job_id).fetched(ctx, _name(ctx), SpeechResult)


def _body(request: SpeechRequest, ctx: Context) -> dict[str, Any]:
    spoken: dict[str, Any] = {
        "text": request.text,
        "voice": _voice(request.voice, ctx),
        "format": "mp3",
        "sample_rate": 24_000,
        "rate": max(0.5, min(2.0, request.speed)),
    }
    language = request.language.partition("-")[0].lower()
    if language in texts(ctx.model.options, "languages"):
        spoken["language_hints"] = [language]
    return {"model": order_of(ctx), "input": {**spoken, **parameters(ctx)}}


def _name(ctx: Context) -> str:
    return "speech.wav" if parameters(ctx).get("format") == "wav" else "speech.mp3"


def _voice(wanted: str, ctx: Context) -> str:
    """The voice that is asked for, the option ``voice`` without one. Raises ProviderError for an unknown."""
    voice = wanted or text(ctx.model.options, "voice")
    if not voice:
        raise ProviderError("This model has no voice of its own; name one.")
    known = texts(ctx.model.options, "voices")
    if wanted and known and wanted not in known:
        raise ProviderError("This model has no voice of that name.")
    return voice


def _units(report: object, ctx: Context) -> Decimal | None:
    unit = ctx.model.billing_unit
    if unit is BillingUnit.TASK:
        return Decimal(1)
    characters = figure(member(report, "characters"))
    if unit not in (BillingUnit.THOUSAND_CHARACTERS, None) or characters is None:
        return None
    return characters / 1000 or None
