"""Gemini's pictures: from words, and from words and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from contentsvc.plugin import (
    ContentRejected,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    OutcomeUnknown,
    Pending,
    ProviderError,
)
from contentsvc_authoring import option, order_of, parameters, text, texts
from contentsvc_google.failures import REJECTED, UNREADABLE, is_refusal
from contentsvc_google.generated import finish_of, parts_of, usage_of
from contentsvc_google.pictures import Pictures, save
from contentsvc_google.sdk import Google, model_of

if TYPE_CHECKING:
    from google.genai.types import PartDict

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
        google = Google.of(ctx, seconds=SILENT_SECONDS)
        config = {"response_modalities": ["IMAGE"], "image_config": _shape(request.ratio, ctx)}
        reply = google.generated(model_of(ctx), _parts(request, ctx), config, parameters(ctx))
        if reply is None:
            raise OutcomeUnknown(UNREADABLE)
        for part in parts_of(reply):
            # A thinking model may show sketches on its way.
            if (data := text(part, "inlineData", "data")) and part.get("thought") is not True:
                path = save(data, ctx.work_dir / "picture")
                metadata = {"generator": order_of(ctx)}
                return Done(ImageResult(GeneratedFile(path, metadata), usage_of(reply, ctx)))
        if is_refusal(finish_of(reply)):
            raise ContentRejected(REJECTED)
        raise ProviderError("Google's model answered without a picture.")

    def poll(self, job_id: str, ctx: Context) -> Pending:  # noqa: ARG002  # the protocol's names
        """Pictures are made at once."""
        raise ProviderError("Google hands out no jobs for pictures.")


def _parts(request: ImageRequest, ctx: Context) -> list[PartDict]:
    prompt = request.prompt
    if request.negative_prompt:
        # The API has no field for what shall not be seen.
        prompt = f"{prompt}\n\nNot in the picture: {request.negative_prompt}"
    pictures = Pictures()
    most = round(option(ctx, "max_references", MAX_REFERENCES))
    references = [reference.media for reference in request.references[:most]]
    shown: list[PartDict] = [
        {"inline_data": {"mime_type": media.media_type, "data": pictures.read(media)}} for media in references
    ]
    return [*shown, {"text": prompt}]


def _shape(ratio: str, ctx: Context) -> dict[str, str]:
    known = texts(ctx.model.options, "ratios")
    shape = {"aspect_ratio": ratio} if not known or ratio in known else {}
    if size := text(ctx.model.options, "image_size"):
        shape["image_size"] = size
    return shape
