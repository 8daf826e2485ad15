"""Wan's clips: tasks that run for minutes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Context,
    Done,
    OutcomeUnknown,
    Pending,
    ProviderError,
    VideoRequest,
    VideoResult,
    figure,
    fitting_resolution,
    nearest_ratio,
    whole_seconds,
)
from contentsvc_authoring import figures, member, option, order_of, parameters, text, texts
from contentsvc_dashscope.client import API, DashScope, patience
from contentsvc_dashscope.failures import GONE, UNREADABLE, taken_failure
from contentsvc_dashscope.made import Made
from contentsvc_dashscope.pictures import Pictures

PATH: Final = f"{API}/services/aigc/video-generation/video-synthesis"
TASKS: Final = f"{API}/tasks"
FILE: Final = "clip.mp4"
SILENT_SECONDS: Final = 60.0
RUNNING: Final = frozenset({"PENDING", "RUNNING", "SUSPENDED"})
FAILED: Final = "Model Studio could not make this clip"
_TASK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


class WanVideos:
    """One clip an order.

    Options: ``endpoints`` (the model's name where ``frames`` or ``references`` lead, if it differs),
    ``min_seconds``, ``max_seconds``, ``ratios``, ``resolutions``,
    ``max_references``, ``takes_seed``, ``pictures``, ``parameters`` (members of the request's),
    ``timeout_seconds``.
    """

    def start(self, request: VideoRequest, ctx: Context) -> Accepted:
        """Order the clip; Model Studio's name for the task."""
        seconds = patience(ctx, SILENT_SECONDS)
        reply = DashScope(ctx).order(PATH, _body(request, ctx), seconds, as_task=True)
        task = text(reply, "output", "task_id")
        if not _TASK.fullmatch(task):
            raise OutcomeUnknown(UNREADABLE)
        return Accepted(task)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """Ask for the task; fetch the clip once it is there."""
        if not _TASK.fullmatch(job_id):
            raise ProviderError("This is no task of Model Studio's.")
        reply = DashScope(ctx).get(f"{TASKS}/{job_id}")
        output = member(reply, "output")
        status = text(output, "task_status")
        if status in RUNNING:
            return Pending()
        if status == "FAILED":
            raise taken_failure(output, FAILED)
        if status == "CANCELED":
            raise ProviderError("The clip was cancelled at Model Studio.")
        if status == "UNKNOWN":
            raise ProviderError(GONE)
        if status != "SUCCEEDED":
            raise ProviderError(UNREADABLE, retryable=True)
        link = text(output, "video_url")
        if not link:
            raise ProviderError(f"{FAILED}: it is said to be finished, and there is none.")
        report = member(reply, "usage")
        made = Made(url=link, units=_units(report, ctx), usage=figures(report))
        return made.fetched(ctx, FILE, VideoResult)


def _body(request: VideoRequest, ctx: Context) -> dict[str, Any]:
    media, mode = _media(request, ctx)
    wanted: dict[str, Any] = {
        "resolution": fitting_resolution(request.resolution, texts(ctx.model.options, "resolutions")).upper(),
        "duration": _seconds(request.duration_seconds, ctx),
        "watermark": False,
    }
    if mode != "frames":
        # Where a frame leads, its shape is the clip's.
        wanted["ratio"] = nearest_ratio(request.ratio, texts(ctx.model.options, "ratios")) or request.ratio
    if ctx.model.options.get("takes_seed") is True:
        wanted["seed"] = request.seed % 2**31
    return {
        "model": text(ctx.model.options, "endpoints", mode) or order_of(ctx),
        "input": {"prompt": _prompt(request, mode, len(media)), **({"media": media} if media else {})},
        "parameters": {**wanted, **parameters(ctx)},
    }


def _media(request: VideoRequest, ctx: Context) -> tuple[list[dict[str, str]], str]:
    """The pictures, and what leads: a clip has frames or references, and frames win."""
    pictures = Pictures(ctx)
    if request.first_frame is not None:
        media = [{"type": "first_frame", "url": pictures.address(request.first_frame)}]
        if request.last_frame is not None:
            media.append({"type": "last_frame", "url": pictures.address(request.last_frame)})
        return media, "frames"
    if request.last_frame is not None:
        raise ProviderError("Wan takes a last frame only together with a first one.")
    references = request.references[: round(option(ctx, "max_references", 9))]
    media = [
        {"type": "reference_image", "url": pictures.address(reference.media)} for reference in references
    ]
    return media, "references" if media else "text"


def _prompt(request: VideoRequest, mode: str, count: int) -> str:
    """With references, what each of them shows: Wan knows them by their place."""
    if mode != "references":
        return request.prompt
    lines = [f"Image {at}: the {item.role}." for at, item in enumerate(request.references[:count], 1)]
    return "\n".join([request.prompt, *lines])


def _seconds(asked: float, ctx: Context) -> int:
    """Whole seconds within what the model films."""
    return whole_seconds(asked, option(ctx, "min_seconds", 2), option(ctx, "max_seconds", 15))


def _units(report: object, ctx: Context) -> Decimal | None:
    """Seconds: all that are billed, of which the clip itself may be a part."""
    if ctx.model.billing_unit is BillingUnit.TASK:
        return Decimal(1)
    if ctx.model.billing_unit not in (BillingUnit.SECOND, None) or not isinstance(report, Mapping):
        return None
    named = [figure(report.get(name)) for name in ("duration", "output_video_duration", "video_duration")]
    return next((seconds for seconds in named if seconds), None)
