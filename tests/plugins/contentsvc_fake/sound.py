"""A voice that hums: the provider is asked for leave, the sound is made here."""

from __future__ import annotations

import io
import wave

import httpx

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    GeneratedFile,
    OutcomeUnknown,
    Pending,
    SpeechRequest,
    SpeechResult,
    Usage,
    figure,
)
from contentsvc_fake.replies import content, document, media_type, raise_for

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
        raise_for(reply, "The provider can't speak this.", again=False)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Accepted(document(reply, "job")["job"])
        return _done(ctx, 0.01 * len(request.text), reply)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[SpeechResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        if reply.status_code >= httpx.codes.BAD_REQUEST:
            raise OutcomeUnknown("The provider has lost this job.")
        return Pending() if reply.status_code == httpx.codes.ACCEPTED else _done(ctx, 1.0, reply)


def _done(ctx: Context, seconds: float, reply: httpx.Response) -> Done[SpeechResult]:
    units = None
    if media_type(reply) == "application/json":
        units = document(reply, "units")["units"]
    else:
        content(reply)
    path = ctx.work_dir / "speech.wav"
    path.write_bytes(_hum(seconds))
    return Done(SpeechResult(GeneratedFile(path), Usage(units=figure(units), raw={"pieces": 1})))


def _hum(seconds: float) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"\x00\x10\x00\xf0" * int(RATE * seconds / 2))
    return buffer.getvalue()
