"""A voice that hums: the provider is asked for leave, the sound is made here."""

from __future__ import annotations

import io
import wave
from decimal import Decimal

import httpx

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    GeneratedFile,
    OutcomeUnknown,
    Pending,
    ProviderError,
    SpeechRequest,
    SpeechResult,
    Usage,
)

RATE = 8000


class FakeSpeech:
    """``POST /speech`` for each text, 0.01 s a character; a JSON reply may report ``units``.

    202 names a job, as for pictures; its finished sound lasts a second.
    """

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult] | Accepted:
        reply = ctx.http.post(
            f"{ctx.base_url}/speech",
            json={"text": request.text, "voice": request.voice, "speed": request.speed},
            headers={"Idempotency-Key": ctx.idempotency_key},
        )
        if reply.status_code >= httpx.codes.BAD_REQUEST:
            raise ProviderError("The provider can't speak this.")
        if reply.status_code == httpx.codes.ACCEPTED:
            return Accepted(reply.json()["job"])
        return _done(ctx, 0.01 * len(request.text), reply)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        if reply.status_code >= httpx.codes.BAD_REQUEST:
            raise OutcomeUnknown("The provider has lost this job.")
        return Pending() if reply.status_code == httpx.codes.ACCEPTED else _done(ctx, 1.0, reply)


def _done(ctx: Context, seconds: float, reply: httpx.Response) -> Done[SpeechResult]:
    path = ctx.work_dir / "speech.wav"
    path.write_bytes(_hum(seconds))
    report = reply.json() if reply.headers.get("Content-Type") == "application/json" else {}
    units = Decimal(report["units"]) if "units" in report else None
    return Done(SpeechResult(GeneratedFile(path), Usage(units=units, raw={"pieces": 1})))


def _hum(seconds: float) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"\x00\x10\x00\xf0" * int(RATE * seconds / 2))
    return buffer.getvalue()
