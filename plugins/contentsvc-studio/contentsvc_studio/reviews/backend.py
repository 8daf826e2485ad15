"""The review backend. It decides when the order is placed and answers a moment later, as a
provider with a queue does; the verdict travels in the job id, so that any process can tell."""

from __future__ import annotations

import time
from enum import StrEnum
from uuid import NAMESPACE_OID, uuid5

from PIL import Image, ImageStat

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    ImageReference,
    Pending,
    ProviderError,
    ReferenceRole,
    ReviewRequest,
    ReviewResult,
)
from contentsvc_studio.images.references import load

SECONDS = 1.5
LEAST_SIDE = 256
# Standard deviation of the liveliest channel, in levels; a plain wall has about 1.
LEAST_CONTRAST = 6.0


class Verdict(StrEnum):
    """What the rule says of a picture."""

    APPROVED = "approved"
    SMALL = "small"
    UNIFORM = "uniform"
    UNREADABLE = "unreadable"


REASONS = {
    Verdict.SMALL: f"The picture is smaller than {LEAST_SIDE} pixels on its short side.",
    Verdict.UNIFORM: "The picture is nearly one colour; no face can be seen.",
    Verdict.UNREADABLE: "The picture can't be read.",
}


class StudioReviews:
    """Approves pictures that are large and lively enough to show somebody."""

    def start(self, request: ReviewRequest, ctx: Context) -> Done[ReviewResult] | Accepted:
        """Take the picture into the team's review group; the group's id is kept in the state."""
        if "review_group" not in ctx.state:
            ctx.state["review_group"] = f"group-{uuid5(NAMESPACE_OID, ctx.idempotency_key)}"
        return Accepted(f"review:{time.time():.3f}:{judge(request)}")

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ReviewResult]:
        """The verdict, once the queue has got to it."""
        try:
            kind, placed, word = job_id.split(":")
            verdict, age = Verdict(word), time.time() - float(placed)
        except ValueError:
            kind, age, verdict = "", 0.0, Verdict.UNREADABLE
        if kind != "review":
            raise ProviderError("Studio knows no review of that name.")
        if age < SECONDS:
            return Pending(max(0.0, age / SECONDS))
        ctx.progress(1.0)
        return Done(ReviewResult(verdict is Verdict.APPROVED, REASONS.get(verdict, "")))


def judge(request: ReviewRequest) -> Verdict:
    """The rule: readable, at least 256 pixels on the short side, not nearly uniform."""
    try:
        picture = load(ImageReference(ReferenceRole.OTHER, request.media))
    except ProviderError:
        return Verdict.UNREADABLE
    width, height = request.media.width, request.media.height
    if min(width or picture.width, height or picture.height) < LEAST_SIDE:
        return Verdict.SMALL
    small = picture.convert("RGB").resize((64, 64), Image.Resampling.BOX)
    return Verdict.UNIFORM if max(ImageStat.Stat(small).stddev) < LEAST_CONTRAST else Verdict.APPROVED
