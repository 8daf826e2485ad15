"""Omni's clips: interactions that run in the background."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
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
    MediaRef,
    OutcomeUnknown,
    Pending,
    ProviderError,
    Usage,
    VideoRequest,
    VideoResult,
    fitting_resolution,
    nearest_ratio,
    whole_seconds,
)
from contentsvc_authoring import (
    figures,
    items,
    member,
    option,
    order_of,
    parameters,
    text,
    texts,
    tokens_used,
)
from contentsvc_google.failures import REJECTED, UNREADABLE, Fault, poll_failure
from contentsvc_google.pictures import Pictures, save
from contentsvc_google.sdk import Google

SILENT_SECONDS: Final = 120.0
FILE: Final = "clip.mp4"
RUNNING: Final = frozenset({"queued", "in_progress"})
ENDINGS: Final = {
    "failed": "Google could not make this clip.",
    "incomplete": "Google has not finished this clip.",
    "budget_exceeded": "The budget that is set at Google is used up.",
    "cancelled": "The clip was cancelled at Google.",
    "requires_action": "Google asks a question about this clip that nobody can answer here.",
    "requires_continuation": "Google asks a question about this clip that nobody can answer here.",
}
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.=~-]{0,511}")
_JOB: Final = re.compile(r"(\d{1,4})s:(.+)")


class OmniVideos:
    """One clip an order.

    Options: ``min_seconds``, ``max_seconds``, ``ratios``, ``resolutions``,
    ``max_references``, ``delivery`` (``uri`` or ``inline``), ``parameters`` (added to the request),
    ``output_weight``, ``timeout_seconds``, ``api_version``.
    """

    def start(self, request: VideoRequest, ctx: Context) -> Accepted:
        """Order the clip. The job's name says how long it is: Google's reports don't."""
        seconds = _seconds(request.duration_seconds, ctx)
        google = Google.of(ctx, seconds=SILENT_SECONDS)
        name = text(google.filmed(_order(request, seconds, ctx), parameters(ctx)), "id")
        if not _ID.fullmatch(name):
            raise OutcomeUnknown(UNREADABLE)
        return Accepted(f"{seconds}s:{name}")

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """Ask for the interaction; fetch the clip once it is there."""
        job = _JOB.fullmatch(job_id)
        if job is None or not _ID.fullmatch(job[2]):
            raise ProviderError("This is no job of Google's.")
        google = Google.of(ctx, poll_failure)
        reply = google.clip(job[2])
        status = text(reply, "status")
        if status in RUNNING:
            return Pending()
        if status in ENDINGS:
            raise _ended(status, reply)
        if reply is None or status != "completed":
            raise ProviderError(UNREADABLE, retryable=True)
        path = _fetched(reply, google, ctx)
        metadata = {"generator": order_of(ctx)}
        return Done(VideoResult(GeneratedFile(path, metadata), _usage(reply, int(job[1]), ctx)))


def _order(request: VideoRequest, seconds: int, ctx: Context) -> dict[str, Any]:
    pictures, words, task = _material(request, ctx)
    reader = Pictures()
    images = [
        {
            "type": "image",
            "data": base64.b64encode(reader.read(media)).decode("ascii"),
            "mime_type": media.media_type,
        }
        for media in pictures
    ]
    return {
        "model": order_of(ctx),
        "input": [*images, {"type": "text", "text": "\n\n".join([request.prompt, *words])}],
        "background": True,
        "response_format": {
            "type": "video",
            "aspect_ratio": nearest_ratio(request.ratio, texts(ctx.model.options, "ratios")) or request.ratio,
            "resolution": fitting_resolution(request.resolution, texts(ctx.model.options, "resolutions")),
            # A number alone is refused.
            "duration": f"{seconds}s",
            "delivery": text(ctx.model.options, "delivery") or "uri",
        },
        "generation_config": {"video_config": {"task": task}},
    }


def _material(request: VideoRequest, ctx: Context) -> tuple[list[MediaRef], list[str], str]:
    """The pictures, what to say of them, and the task. Frames lead: a clip has them or references."""
    if request.first_frame is not None:
        if request.last_frame is None:
            return [request.first_frame], [], "image_to_video"
        words = "The clip begins with the first picture and ends with the second."
        return [request.first_frame, request.last_frame], [words], "image_to_video"
    if request.last_frame is not None:
        raise ProviderError("Google's model takes a last frame only together with a first one.")
    most = round(option(ctx, "max_references", 3))
    references = request.references[:most]
    lines = [f"Picture {at} shows the {reference.role}." for at, reference in enumerate(references, 1)]
    task = "reference_to_video" if references else "text_to_video"
    return [reference.media for reference in references], lines, task


def _seconds(asked: float, ctx: Context) -> int:
    """Whole seconds within what the model films."""
    return whole_seconds(asked, option(ctx, "min_seconds", 3), option(ctx, "max_seconds", 10))


def _ended(status: str, reply: object) -> ProviderError:
    """Why there is no clip. Never retryable: the order was taken and came to nothing."""
    errors = [{"error": error} for error in [member(reply, "error"), *items(reply, "errors")]]
    if any(Fault.read(0, error).is_about_content for error in errors):
        return ContentRejected(REJECTED)
    return ProviderError(ENDINGS[status])


def _fetched(reply: Mapping[str, Any], google: Google, ctx: Context) -> Path:
    for step in items(reply, "steps"):
        for content in items(step, "content"):
            if text(content, "type") != "video":
                continue
            if link := text(content, "uri"):
                return ctx.download(link, name=FILE, headers=google.headers)
            if data := text(content, "data"):
                return save(data, ctx.work_dir / FILE)
    # The way Google refuses content: all is completed, and there is no clip, or words instead.
    raise ContentRejected("Google has made no clip of this content.")


def _usage(reply: Mapping[str, Any], seconds: int, ctx: Context) -> Usage:
    report = member(reply, "usage")
    if ctx.model.billing_unit is BillingUnit.SECOND:
        return Usage(Decimal(seconds), {**figures(report), "seconds": seconds})
    taken, made = member(report, "total_input_tokens"), member(report, "total_output_tokens")
    return tokens_used(ctx, taken, made, report)
