"""Seedream: pictures, from words alone and from references."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from contentsvc.plugin import (
    BillingUnit,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    Pending,
    ProviderError,
)
from contentsvc_authoring import items, member, order_of, parameters, text
from contentsvc_volcengine.client import Ark
from contentsvc_volcengine.failures import error_of, is_moderation, rejection, told
from contentsvc_volcengine.pictures import Pictures
from contentsvc_volcengine.usage import usage

FILE = "picture"
NONE_MADE = "Volcengine made no picture"


class Seedream:
    """One picture an order; Volcengine works while one waits.

    Options: ``sizes`` (ratio to ``WxH``), ``size`` for ratios that are not in it,
    ``max_references``, ``takes_seed``, ``parameters`` (added to every request).
    """

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult]:
        """Order a picture and fetch it."""
        order = _order(request, ctx)
        made = Ark(ctx).order(lambda sdk: sdk.images.generate(**order))
        path = _fetch(made, ctx)
        report = member(made, "usage")
        counts = {
            BillingUnit.IMAGE: member(report, "generated_images"),
            BillingUnit.THOUSAND_TOKENS: member(report, "total_tokens"),
        }
        metadata = {"generator": order_of(ctx)}
        return Done(ImageResult(GeneratedFile(path, metadata), usage(ctx, report, counts)))

    def poll(self, job_id: str, ctx: Context) -> Pending:  # noqa: ARG002  # the protocol's names
        """Pictures are made at once."""
        raise ProviderError("Volcengine hands out no jobs for pictures.")


def _order(request: ImageRequest, ctx: Context) -> dict[str, Any]:
    """The arguments of the SDK's call."""
    options = ctx.model.options
    sizes = member(options, "sizes")
    size = text(sizes, request.ratio)
    prompt = request.prompt
    if request.negative_prompt:
        prompt = f"{prompt}\nWithout: {request.negative_prompt}."
    if not size:
        prompt = f"{prompt}\nAspect ratio {request.ratio}."
    return {
        "model": order_of(ctx),
        "prompt": prompt,
        "size": size or text(options, "size") or "2K",
        "response_format": "url",
        "image": _references(request, options.get("max_references")),
        "seed": request.seed % 2**31 if options.get("takes_seed") is True else None,
        "watermark": False,
        # Apart: whoever edits the options adds to the order, not to what the SDK is told.
        "extra_body": parameters(ctx),
    }


def _references(request: ImageRequest, most: object) -> list[str] | None:
    references = request.references[: most if isinstance(most, int) and most > 0 else None]
    return Pictures(approved=False).addresses([reference.media for reference in references]) or None


def _fetch(made: Mapping[str, Any], ctx: Context) -> Path:
    """The one picture, in the work folder. Raises ProviderError where there is none."""
    found = items(made, "data")
    picture = found[0] if found else None
    if link := text(picture, "url"):
        return _downloaded(link, ctx)
    if written := text(picture, "b64_json"):
        return _decoded(written, ctx.work_dir / FILE)
    code, _ = error_of(picture if member(picture, "error") else made)
    if is_moderation(code):
        raise rejection(code)
    raise ProviderError(told(NONE_MADE, code, ""))


def _downloaded(link: str, ctx: Context) -> Path:
    try:
        return ctx.download(link, name=FILE)
    except httpx.TransportError:
        # The picture is paid for, and asking for the file once more costs nothing.
        return ctx.download(link, name=FILE)


def _decoded(written: str, path: Path) -> Path:
    try:
        path.write_bytes(base64.b64decode(written, validate=True))
    except (binascii.Error, ValueError):
        raise ProviderError(f"{NONE_MADE} that can be read.") from None
    return path
