"""Seedance: clips, ordered as tasks that run for minutes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Context,
    Done,
    GeneratedFile,
    OutcomeUnknown,
    Pending,
    ProviderError,
    ReferenceRole,
    Usage,
    VideoRequest,
    VideoResult,
    fitting_resolution,
    whole_seconds,
)
from contentsvc_authoring import member, option, order_of, parameters, text, texts
from contentsvc_volcengine.client import Ark
from contentsvc_volcengine.failures import UNREADABLE, error_of, is_moderation, rejection, told
from contentsvc_volcengine.pictures import Pictures
from contentsvc_volcengine.usage import usage

FILE = "clip.mp4"
LAST_ONLY = "Seedance takes a last frame only together with a first one."
FAILED = "Volcengine could not make this clip"
ENDINGS = {
    "cancelled": "The clip was cancelled at Volcengine.",
    "expired": "The clip waited too long at Volcengine and was given up there.",
}
MEANINGS = {
    ReferenceRole.PRODUCT: "the product; its shape, colour and markings stay as they are",
    ReferenceRole.PRESENTER: "the person who presents",
    ReferenceRole.CHARACTER: "a person of the film",
    ReferenceRole.SCENE: "the place",
    ReferenceRole.OTHER: "something to go by",
}
_JOB = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


class Seedance:
    """One clip an order.

    Options: ``min_seconds``, ``max_seconds``, ``resolutions``,
    ``max_references``, ``frame_ratio`` (sent instead of the ratio where a frame leads),
    ``takes_seed``, ``parameters`` (added to every request).
    """

    def start(self, request: VideoRequest, ctx: Context) -> Accepted:
        """Order the clip; Volcengine's name for the task."""
        order = _order(request, ctx)
        task = Ark(ctx).order(lambda sdk: sdk.content_generation.tasks.create(**order))
        job = text(task, "id")
        if not _JOB.fullmatch(job):
            raise OutcomeUnknown(UNREADABLE)
        return Accepted(job)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """Ask for the task; fetch the clip once it is there."""
        if not _JOB.fullmatch(job_id):
            raise ProviderError("This is no task of Volcengine's.")
        task = Ark(ctx).ask(lambda sdk: sdk.content_generation.tasks.get(task_id=job_id))
        status = text(task, "status")
        if status == "failed":
            raise _failure(task)
        if status in ENDINGS:
            raise ProviderError(ENDINGS[status])
        if not status:
            raise ProviderError(UNREADABLE, retryable=True)
        # Names nobody has documented have been seen for a task that runs.
        return _done(task, ctx) if status == "succeeded" else Pending()


def _order(request: VideoRequest, ctx: Context) -> dict[str, Any]:
    """The arguments of the SDK's call."""
    options = ctx.model.options
    content, has_frame = _content(request, ctx)
    frame_ratio = text(options, "frame_ratio") if has_frame else ""
    return {
        "model": order_of(ctx),
        "content": content,
        "resolution": fitting_resolution(request.resolution, texts(ctx.model.options, "resolutions")),
        "ratio": frame_ratio or request.ratio,
        "duration": _seconds(request.duration_seconds, ctx),
        "seed": request.seed % 2**31 if options.get("takes_seed") is True else None,
        "watermark": False,
        # Apart: whoever edits the options adds to the order, not to what the SDK is told.
        "extra_body": parameters(ctx),
    }


def _content(request: VideoRequest, ctx: Context) -> tuple[list[dict[str, Any]], bool]:
    """The parts of the order, and whether frames lead: Seedance takes frames or references, not both."""
    pictures = Pictures(approved=True)
    if request.first_frame is not None:
        parts = [_picture(pictures.address(request.first_frame), "first_frame")]
        if request.last_frame is not None:
            parts.append(_picture(pictures.address(request.last_frame), "last_frame"))
        return [{"type": "text", "text": request.prompt}, *parts], True
    if request.last_frame is not None:
        raise ProviderError(LAST_ONLY)
    most = ctx.model.options.get("max_references")
    references = request.references[: most if isinstance(most, int) and most >= 0 else None]
    # Seedance knows its pictures by their place, and by this word.
    lines = [f"图片{at}: {MEANINGS[reference.role]}." for at, reference in enumerate(references, 1)]
    parts = [_picture(pictures.address(reference.media), "reference_image") for reference in references]
    return [{"type": "text", "text": "\n".join([request.prompt, *lines])}, *parts], False


def _picture(address: str, role: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": address}, "role": role}


def _seconds(asked: float, ctx: Context) -> int:
    """Whole seconds within what the model films."""
    return whole_seconds(asked, option(ctx, "min_seconds", 1), option(ctx, "max_seconds", 60))


def _done(task: Mapping[str, Any], ctx: Context) -> Done[VideoResult]:
    link = text(task, "content", "video_url")
    if not link:
        raise ProviderError(f"{FAILED}: it is said to be finished, and there is none.")
    path = ctx.download(link, name=FILE)
    facts = {name: value[:64] for name in ("resolution", "ratio") if (value := text(task, name))}
    metadata = {"generator": order_of(ctx), **facts}
    return Done(VideoResult(GeneratedFile(path, metadata), _usage(task, ctx)))


def _usage(task: Mapping[str, Any], ctx: Context) -> Usage:
    report = member(task, "usage")
    counts = {
        BillingUnit.THOUSAND_TOKENS: member(report, "completion_tokens"),
        BillingUnit.SECOND: member(task, "duration"),
    }
    return usage(ctx, report, counts)


def _failure(task: Mapping[str, Any]) -> ProviderError:
    """Why a task has failed. Never retryable: the order was taken and came to nothing."""
    code, _ = error_of(task)
    return rejection(code) if is_moderation(code) else ProviderError(told(FAILED, code, ""))
