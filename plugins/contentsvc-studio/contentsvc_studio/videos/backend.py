"""The clip backend: asynchronous as a real provider's, with a job that outlives the worker."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    GeneratedFile,
    Pending,
    ProviderError,
    Usage,
    VideoRequest,
    VideoResult,
)
from contentsvc_studio.videos.jobs import Job, Jobs
from contentsvc_studio.videos.moves import first_picture, last_picture, move_for, size_of
from contentsvc_studio.videos.render import FPS

SHORTEST, LONGEST = 1.0, 60.0


class StudioVideos:
    """Moves a camera over a picture. Clips have 24 frames a second and no sound."""

    def start(self, request: VideoRequest, ctx: Context) -> Done[VideoResult] | Accepted:
        """Write the job and start its renderer. The same order again is the same job."""
        jobs = Jobs(ctx.settings.get("work_dir", ""))
        jobs.sweep()
        if not SHORTEST <= request.duration_seconds <= LONGEST:
            raise ProviderError(f"Studio makes clips of {SHORTEST:g} to {LONGEST:g} seconds.")
        size = size_of(request.ratio, request.resolution)
        first, last = first_picture(request, size), last_picture(request, size)
        if ctx.cancelled:
            raise ProviderError("The clip is no longer wanted.")
        document = {
            "width": size[0],
            "height": size[1],
            "frames": round(request.duration_seconds * FPS),
            "move": move_for(request.prompt, request.seed),
            "light": 1 if request.seed % 2 else -1,
            "prompt": request.prompt,
        }
        job = jobs.create(ctx.idempotency_key, document, first, last)
        job.ensure_running()
        return Accepted(job.id)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """How far the clip is; a renderer that has died is started again."""
        jobs = Jobs(ctx.settings.get("work_dir", ""))
        jobs.sweep()
        job = jobs.find(job_id)
        if not job.is_done():
            if job.error():
                raise ProviderError("The clip couldn't be rendered.")
            job.ensure_running()
            return Pending(min(0.99, job.progress()))
        return Done(_result(job, ctx))


def _result(job: Job, ctx: Context) -> VideoResult:
    document = job.document()
    path = ctx.work_dir / "studio.mp4"
    job.deliver(path)
    metadata = {"generator": "studio", "move": document["move"], "fps": FPS}
    return VideoResult(GeneratedFile(path, metadata), usage_of(document))


def usage_of(document: dict[str, Any]) -> Usage:
    """Thousands of tokens: pixels of all frames, divided by 1024 and by 1000."""
    tokens = int(document["width"]) * int(document["height"]) * int(document["frames"]) // 1024
    raw = {"total_tokens": tokens, "frames": document["frames"]}
    return Usage(Decimal(tokens) / 1000, raw)
