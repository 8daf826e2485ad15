"""Doubao's voices: a text goes out, lines of JSON with pieces of sound come back."""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    BillingUnit,
    ContentRejected,
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    RateLimited,
    SpeechRequest,
    SpeechResult,
)
from contentsvc_authoring import member, order_of, parameters, text
from contentsvc_volcengine.failures import (
    BUSY,
    NOT_ALLOWED,
    REFUSED_INPUT,
    UNREADABLE,
    is_moderation,
    reply_failure,
    told,
)
from contentsvc_volcengine.keys import Keys, read_keys
from contentsvc_volcengine.usage import usage

PATH = "/tts/unidirectional"
FINISHED = 20_000_000
FAILED = "Volcengine could not speak this text"
_BUSY = ("quota exceeded", "concurrency", "too many")
_KEY_FAULTS = ("grant not found", "access denied", "authenticat")


class DoubaoVoices:
    """Speaks a text.

    The model's endpoint is Volcengine's resource, such as ``seed-tts-2.0``. Options: ``voice`` (for
    orders that name none), ``audio`` (members of ``audio_params``), ``parameters`` (of ``req_params``).
    """

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        """Order the sound and write it down as it comes."""
        keys = read_keys(ctx.secret)
        audio = {"format": "mp3", "sample_rate": 24_000, **(member(ctx.model.options, "audio") or {})}
        suffix = "wav" if audio.get("format") == "wav" else "mp3"
        path = ctx.work_dir / f"speech.{suffix}"
        report: Mapping[str, Any] = {}
        with (
            ctx.http.stream(
                "POST",
                f"{ctx.base_url.rstrip('/')}{PATH}",
                headers=_headers(keys, ctx),
                json=_body(request, audio, ctx),
            ) as reply,
            path.open("xb") as file,
        ):
            for line in _lines(reply, keys):
                if ctx.cancelled:
                    raise ProviderError("The voice is no longer wanted.")
                file.write(_sound(line))
                report = member(line, "usage") or report
        if not path.stat().st_size:
            raise ProviderError(f"{FAILED}: it is said to be finished, and there is none.")
        counts = {BillingUnit.THOUSAND_CHARACTERS: member(report, "text_words")}
        metadata = {"generator": order_of(ctx), "voice": _voice(request, ctx)}
        return Done(SpeechResult(GeneratedFile(path, metadata), usage(ctx, report, counts)))

    def poll(self, job_id: str, ctx: Context) -> Pending:  # noqa: ARG002  # the protocol's names
        """Texts are spoken at once."""
        raise ProviderError("Volcengine hands out no jobs for voices.")


def _headers(keys: Keys, ctx: Context) -> dict[str, str]:
    if keys.get("app_id"):
        app_id, token = keys.need("app_id", "access_token")
        who = {"X-Api-App-Id": app_id, "X-Api-Access-Key": token}
    else:
        (key,) = keys.need("api_key")
        who = {"X-Api-Key": key}
    return {
        **who,
        "X-Api-Resource-Id": order_of(ctx),
        "X-Api-Request-Id": str(uuid.uuid5(uuid.NAMESPACE_OID, ctx.idempotency_key)),
        "X-Control-Require-Usage-Tokens-Return": "text_words",
    }


def _body(request: SpeechRequest, audio: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    # Of the normal speed in percent, as far as Volcengine goes.
    rate = max(-50, min(100, round((request.speed - 1) * 100)))
    return {
        "user": {"uid": "contentsvc"},
        "req_params": {
            "text": request.text,
            "speaker": _voice(request, ctx),
            "audio_params": {**audio, "speech_rate": rate},
            **parameters(ctx),
        },
    }


def _voice(request: SpeechRequest, ctx: Context) -> str:
    voice = request.voice or text(ctx.model.options, "voice")
    if not voice:
        raise ProviderError("This model has no voice of its own; name one.")
    return voice


def _lines(reply: httpx.Response, keys: Keys) -> Iterator[Mapping[str, Any]]:
    """The lines up to the one that says it is finished. Raises ProviderError."""
    if reply.status_code != HTTPStatus.OK:
        reply.read()
        raise _refusal(reply, keys)
    for written in reply.iter_lines():
        if not written.strip():
            continue
        line = _line(written)
        code = line.get("code", 0)
        if code not in (0, FINISHED):
            raise _failure(code, keys.hide(text(line, "message")))
        yield line
        if code == FINISHED:
            return
    raise ProviderError(f"{FAILED}: it broke off.")


def _line(written: str) -> Mapping[str, Any]:
    try:
        line = json.loads(written)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, Mapping):
        raise ProviderError(UNREADABLE)
    return line


def _sound(line: Mapping[str, Any]) -> bytes:
    try:
        return base64.b64decode(text(line, "data"), validate=True)
    except (binascii.Error, ValueError):
        raise ProviderError(UNREADABLE) from None


def _refusal(reply: httpx.Response, keys: Keys) -> ProviderError:
    if reply.status_code == HTTPStatus.BAD_REQUEST:
        line = _line(reply.text)
        return _failure(line.get("code"), keys.hide(text(line, "message")))
    return reply_failure(reply, keys, places_order=True)


def _failure(code: object, message: str) -> ProviderError:
    said = message.lower()
    if is_moderation(message):
        return ContentRejected(REFUSED_INPUT)
    if any(word in said for word in _BUSY):
        return RateLimited(BUSY)
    if any(word in said for word in _KEY_FAULTS):
        return AuthenticationFailed(NOT_ALLOWED)
    return ProviderError(told(FAILED, str(code), message))
