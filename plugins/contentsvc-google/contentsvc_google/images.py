"""Gemini's pictures: from words, and from words and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import (
    ContentRejected,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    Pending,
    ProviderError,
)
from contentsvc_google.client import Google, method, patience
from contentsvc_google.failures import REJECTED, is_refusal
from contentsvc_google.generated import finish_of, parts_of, usage_of
from contentsvc_google.pictures import Pictures, save
from contentsvc_google.reading import option, parameters, text, texts

SILENT_SECONDS: Final = 300.0
"""A picture is painted before the first byte of the reply comes."""

MAX_REFERENCES: Final = 14


class GeminiImages:
    """One picture an order; the reply brings it.

    Options: ``ratios``, ``image_size``, ``max_references``, ``parameters`` (members of
    ``generationConfig``), ``timeout_seconds``, ``api_version``.
    """

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult]:
        """Order the picture and write it down."""
        reply = Google.of(ctx).order(
            method(ctx, "generateContent"), _body(request, ctx), patience(ctx, SILENT_SECONDS)
        )
        for part in parts_of(reply):
            # A thinking model may show sketches on its way.
            if (data := text(part, "inlineData", "data")) and part.get("thought") is not True:
                path = save(data, ctx.work_dir / "picture")
                metadata = {"generator": ctx.model.endpoint or ctx.model.name}
                return Done(ImageResult(GeneratedFile(path, metadata), usage_of(reply, ctx)))
        if is_refusal(finish_of(reply)):
            raise ContentRejected(REJECTED)
        raise ProviderError("Google's model answered without a picture.")

    def poll(self, job_id: str, ctx: Context) -> Pending:  # noqa: ARG002  # the protocol's names
        """Pictures are made at once."""
        raise ProviderError("Google hands out no jobs for pictures.")


def _body(request: ImageRequest, ctx: Context) -> dict[str, Any]:
    prompt = request.prompt
    if request.negative_prompt:
        # The API has no field for what shall not be seen.
        prompt = f"{prompt}\n\nNot in the picture: {request.negative_prompt}"
    return {
        "contents": [{"role": "user", "parts": [*_references(request, ctx), {"text": prompt}]}],
        "generationConfig": {
            "responseModalities": ["IMAGE"],
            "imageConfig": _shape(request.ratio, ctx),
            **parameters(ctx),
        },
    }


def _references(request: ImageRequest, ctx: Context) -> list[Mapping[str, Any]]:
    pictures = Pictures()
    most = round(option(ctx, "max_references", MAX_REFERENCES))
    return [
        {"inlineData": {"mimeType": reference.media.media_type, "data": pictures.written(reference.media)}}
        for reference in request.references[:most]
    ]


def _shape(ratio: str, ctx: Context) -> dict[str, str]:
    known = texts(ctx.model.options, "ratios")
    shape = {"aspectRatio": ratio} if not known or ratio in known else {}
    if size := text(ctx.model.options, "image_size"):
        shape["imageSize"] = size
    return shape
