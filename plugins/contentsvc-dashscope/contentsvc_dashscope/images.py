"""Qwen-Image: pictures from words, and from words and pictures."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Context,
    Done,
    ImageRequest,
    ImageResult,
    Pending,
)
from contentsvc_authoring import figures, items, member, option, order_of, parameters, text
from contentsvc_dashscope.client import API, DashScope, patience
from contentsvc_dashscope.failures import taken_failure
from contentsvc_dashscope.made import Made
from contentsvc_dashscope.pictures import Pictures

PATH: Final = f"{API}/services/aigc/multimodal-generation/generation"
FILE: Final = "picture"
SILENT_SECONDS: Final = 300.0
"""A picture is painted before the first byte of the reply comes."""

NONE_MADE: Final = "Model Studio made no picture"
MAX_NEGATIVE: Final = 500


class QwenImages:
    """One picture an order; the reply has a link to it.

    Options: ``sizes`` (ratio to ``W*H``), ``max_references``, ``takes_seed``, ``pictures``,
    ``parameters`` (members of the request's), ``timeout_seconds``.
    """

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult] | Accepted:
        """Order the picture and fetch it."""
        reply = DashScope(ctx).order(PATH, _body(request, ctx), patience(ctx, SILENT_SECONDS))
        link = _link(reply)
        if not link:
            raise taken_failure(reply, NONE_MADE)
        unit = ctx.model.billing_unit
        units = Decimal(1) if unit in (BillingUnit.IMAGE, BillingUnit.TASK, None) else None
        made = Made(url=link, units=units, usage=figures(member(reply, "usage")))
        return made.handed_over(ctx, FILE, ImageResult)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        """Fetch a picture whose link didn't answer at first."""
        return Made.read(job_id).fetched(ctx, FILE, ImageResult)


def _body(request: ImageRequest, ctx: Context) -> dict[str, Any]:
    options = ctx.model.options
    pictures = Pictures(ctx)
    references = request.references[: round(option(ctx, "max_references", 3))]
    content = [{"image": pictures.address(reference.media)} for reference in references]
    wanted: dict[str, Any] = {"n": 1, "watermark": False}
    if request.negative_prompt:
        wanted["negative_prompt"] = request.negative_prompt[:MAX_NEGATIVE]
    if size := text(options, "sizes", request.ratio):
        wanted["size"] = size
    if options.get("takes_seed") is True:
        wanted["seed"] = request.seed % 2**31
    return {
        "model": order_of(ctx),
        "input": {"messages": [{"role": "user", "content": [*content, {"text": request.prompt}]}]},
        "parameters": {**wanted, **parameters(ctx)},
    }


def _link(reply: object) -> str:
    """Where the first picture lies; empty where there is none."""
    for choice in items(reply, "output", "choices"):
        for part in items(choice, "message", "content"):
            if link := text(part, "image"):
                return link
    return ""
