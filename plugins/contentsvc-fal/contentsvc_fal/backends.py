"""Pictures and clips: what was ordered into a model's own fields, what it made into a file."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    ContentRejected,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    MediaRef,
    Pending,
    ProviderError,
    Usage,
    VideoRequest,
    VideoResult,
)
from contentsvc_declared import (
    Declaration,
    dig,
    figures,
    file_name,
    fill,
    job_id,
    link_in,
    link_or_data,
    read_job_id,
)
from contentsvc_fal.queue import REJECTED, result, submit

_INLINE_BYTES: Final = 10 * 1024 * 1024
_METRICS: Final = ("inference", "inference_time")


class _FalJobs:
    """What pictures and clips have in common."""

    def _ordered(self, request: ImageRequest | VideoRequest, ctx: Context) -> Accepted:
        declaration, endpoint = Declaration.of(ctx.model.options).for_request(request, ctx.model.endpoint)
        limit = ctx.settings.get("inline_max_bytes", "")
        most = int(limit) if limit.isdecimal() else _INLINE_BYTES

        def send(media: MediaRef) -> str:
            return link_or_data(media, most)

        filled = fill(declaration, request, send)
        return Accepted(job_id(submit(ctx, endpoint, filled.document), filled.seconds))

    def _made(self, job: str, ctx: Context, stem: str, suffix: str) -> tuple[Path, Usage] | None:
        name, seconds = read_job_id(job)
        made = result(ctx, name)
        if made is None:
            return None
        declaration = Declaration.of(ctx.model.options)
        if declaration.rejected and dig(made, declaration.rejected) is True:
            raise ContentRejected(REJECTED)
        link = link_in(made, declaration.output)
        if link is None:
            raise ProviderError("fal.ai's answer holds no result where the model's options look for it.")
        return ctx.download(link, name=file_name(stem, link, suffix)), _usage(ctx, made, seconds)


class FalImages(_FalJobs):
    """``image_generation`` and ``image_edit``."""

    def start(self, request: ImageRequest, ctx: Context) -> Accepted:
        """Place the order."""
        return self._ordered(request, ctx)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        """Ask for the picture."""
        made = self._made(job_id, ctx, "picture", ".png")
        if made is None:
            return Pending()
        path, usage = made
        return Done(ImageResult(GeneratedFile(path), usage))


class FalVideos(_FalJobs):
    """``video_generation``."""

    def start(self, request: VideoRequest, ctx: Context) -> Accepted:
        """Place the order."""
        return self._ordered(request, ctx)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """Ask for the clip."""
        made = self._made(job_id, ctx, "clip", ".mp4")
        if made is None:
            return Pending()
        path, usage = made
        return Done(VideoResult(GeneratedFile(path), usage))


def _usage(ctx: Context, made: dict[str, Any], seconds: float | None) -> Usage:
    """fal.ai reports nothing that is billed: what was ordered counts."""
    raw: dict[str, Any] = dict(figures(made.get("timings"), _METRICS))
    if seconds is None:
        return Usage(raw=raw)
    by_second = ctx.model.billing_unit is BillingUnit.SECOND
    return Usage(Decimal(str(seconds)) if by_second else None, {**raw, "ordered_seconds": seconds})
