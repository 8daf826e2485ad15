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
from contentsvc_declared import Declaration, dig, figures, file_name, fill, job_id, link_in, read_job_id
from contentsvc_replicate.predictions import REJECTED, create, headers, picture_address, prediction

_METRICS: Final = ("predict_time", "total_time")
_LONGEST_SECONDS: Final = 24 * 60 * 60


class _Predictions:
    """What pictures and clips have in common."""

    def _ordered(self, request: ImageRequest | VideoRequest, ctx: Context) -> Accepted:
        declaration, endpoint = Declaration.of(ctx.model.options).for_request(request, ctx.model.endpoint)

        def send(media: MediaRef) -> str:
            return picture_address(ctx, media)

        filled = fill(declaration, request, send)
        return Accepted(job_id(create(ctx, endpoint, filled.document), filled.seconds))

    def _made(self, job: str, ctx: Context, stem: str, suffix: str) -> tuple[Path, Usage] | None:
        name, seconds = read_job_id(job)
        made = prediction(ctx, name)
        if made is None:
            return None
        declaration = Declaration.of(ctx.model.options)
        if declaration.rejected and dig(made.get("output"), declaration.rejected) is True:
            raise ContentRejected(REJECTED)
        link = link_in(made.get("output"), declaration.output)
        if link is None:
            raise ProviderError("Replicate's answer holds no result where the model's options look for it.")
        path = ctx.download(link, name=file_name(stem, link, suffix), headers=headers(ctx.secret))
        return path, _usage(ctx, made, seconds)


class ReplicateImages(_Predictions):
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


class ReplicateVideos(_Predictions):
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
    """Seconds are those of the clip that was ordered; where none were, those the model ran."""
    raw: dict[str, Any] = dict(figures(made.get("metrics"), _METRICS))
    counted = raw.get("predict_time") if seconds is None else seconds
    if seconds is not None:
        raw["ordered_seconds"] = seconds
    if ctx.model.billing_unit is not BillingUnit.SECOND or counted is None or counted > _LONGEST_SECONDS:
        return Usage(raw=raw)
    return Usage(Decimal(str(counted)), raw)
