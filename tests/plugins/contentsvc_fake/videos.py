"""Clips: the provider takes the order, is asked for it, and in the end sends the file."""

from __future__ import annotations

import httpx

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    GeneratedFile,
    Pending,
    Usage,
    VideoRequest,
    VideoResult,
    figure,
)
from contentsvc_fake.replies import content, document, raise_for


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
        raise_for(reply)
        return (
            Accepted(document(reply, "job")["job"])
            if reply.status_code == httpx.codes.ACCEPTED
            else _done(reply, ctx)
        )

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Pending(document(reply, "progress")["progress"])
        return _done(reply, ctx)


def _done(reply: httpx.Response, ctx: Context) -> Done[VideoResult]:
    path = ctx.work_dir / "clip.mp4"
    path.write_bytes(content(reply))
    tokens = figure(reply.headers.get("X-Tokens"))
    usage = Usage() if tokens is None else Usage(tokens / 1000, {"completion_tokens": int(tokens)})
    return Done(VideoResult(GeneratedFile(path), usage))
