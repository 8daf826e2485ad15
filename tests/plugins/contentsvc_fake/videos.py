"""Clips: the provider takes the order, is asked for it, and in the end sends the file."""

from __future__ import annotations

from decimal import Decimal

import httpx

from contentsvc.plugin import (
    Accepted,
    ContentRejected,
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    RateLimited,
    Usage,
    VideoRequest,
    VideoResult,
)


class FakeVideos:
    """``POST /videos`` orders; 202 names a job to be asked for at ``/jobs/<id>``, 200 is the clip.

    The clip's header ``X-Tokens`` is what the work is paid for.
    """

    def start(self, request: VideoRequest, ctx: Context) -> Done[VideoResult] | Accepted:
        reply = ctx.http.post(
            f"{ctx.base_url}/videos",
            json={
                "prompt": request.prompt,
                "duration": request.duration_seconds,
                "ratio": request.ratio,
                "first_frame": request.first_frame is not None,
                "references": [reference.role.value for reference in request.references],
            },
            headers={"Idempotency-Key": ctx.idempotency_key},
        )
        _raise_for(reply)
        return (
            Accepted(reply.json()["job"]) if reply.status_code == httpx.codes.ACCEPTED else _done(reply, ctx)
        )

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        _raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Pending(reply.json()["progress"])
        return _done(reply, ctx)


def _done(reply: httpx.Response, ctx: Context) -> Done[VideoResult]:
    path = ctx.work_dir / "clip.mp4"
    path.write_bytes(reply.content)
    tokens = reply.headers.get("X-Tokens")
    usage = Usage(Decimal(tokens) / 1000, {"completion_tokens": int(tokens)}) if tokens else Usage()
    return Done(VideoResult(GeneratedFile(path), usage))


def _raise_for(reply: httpx.Response) -> None:
    status = reply.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        raise RateLimited("The provider is busy.", retry_after=float(reply.headers.get("Retry-After", 0)))
    if status == httpx.codes.UNPROCESSABLE_ENTITY:
        raise ContentRejected("The provider refuses this content.")
    if status >= httpx.codes.BAD_REQUEST:
        raise ProviderError("The provider has failed.", retryable=status >= httpx.codes.INTERNAL_SERVER_ERROR)
