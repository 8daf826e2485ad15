"""The image backend: pictures from words, and from words and pictures."""

from __future__ import annotations

import base64
import binascii
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Final

import httpx
from pydantic import BaseModel, ValidationError

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    GeneratedFile,
    ImageReference,
    ImageRequest,
    ImageResult,
    Pending,
    ProviderError,
    Usage,
    nearest_ratio,
)
from contentsvc_authoring import member, option, order_of, parameters, texts, tokens_used
from contentsvc_openai.errors import UNREADABLE
from contentsvc_openai.sdk import document, opened

SILENT_SECONDS: Final = 300.0
"""A picture is painted before the first byte of the reply comes."""

MAX_PROMPT: Final = 32_000
MAX_REFERENCES: Final = 16
SUFFIXES: Final = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


class OpenAIImages:
    """One picture an order; the reply brings it, or a link to it."""

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult] | Accepted:
        """Order the picture, and fetch it where the reply has a link."""
        with opened(ctx, option(ctx, "timeout_seconds", SILENT_SECONDS)) as client:
            images = client.images.with_raw_response
            if request.references:
                with _files(request.references, ctx) as files:
                    answer = images.edit(image=files, **_fields(request, ctx))
            else:
                answer = images.generate(**_fields(request, ctx))
        reply = document(answer.http_response.content)
        item, used = _picture(reply), _used(reply.get("usage"), ctx)
        if data := item.get("b64_json"):
            path = ctx.work_dir / "picture"
            path.write_bytes(_decoded(data))
            return Done(ImageResult(GeneratedFile(path), used))
        made = _Made(url=str(item["url"]), units=used.units, usage=dict(used.raw))
        try:
            return _fetched(made, ctx)
        except httpx.TransportError:
            # It is made and paid for: the link is tried again, and nothing ordered again.
            return Accepted(made.model_dump_json())

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        """Fetch a picture whose link didn't answer at first."""
        try:
            made = _Made.model_validate_json(job_id)
        except ValidationError:
            raise ProviderError("This is no picture that could be asked for.") from None
        return _fetched(made, ctx)


class _Made(BaseModel):
    """A picture that is paid for and not fetched yet."""

    url: str
    units: Decimal | None
    usage: dict[str, int]


def _fields(request: ImageRequest, ctx: Context) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "model": order_of(ctx),
        "prompt": _prompt(request, round(option(ctx, "max_prompt", MAX_PROMPT))),
        "n": 1,
    }
    if size := nearest_ratio(request.ratio, texts(ctx.model.options, "sizes")):
        fields["size"] = size
    return {**fields, "extra_body": parameters(ctx)}


def _prompt(request: ImageRequest, limit: int) -> str:
    # The API has no field for what shall not be seen.
    avoid = f"\n\nNot in the picture: {request.negative_prompt}" if request.negative_prompt else ""
    return request.prompt[: max(0, limit - len(avoid))] + avoid[:limit]


@contextmanager
def _files(references: Sequence[ImageReference], ctx: Context) -> Iterator[Any]:
    """The reference pictures for a form, the most important first, as many as the model takes."""
    usable = [reference.media for reference in references if reference.media.media_type in SUFFIXES]
    usable = usable[: round(option(ctx, "max_references", MAX_REFERENCES))]
    if not usable:
        raise ProviderError("The provider takes PNG, JPEG and WebP pictures only.")
    with ExitStack() as stack:
        files = []
        for number, media in enumerate(usable, start=1):
            name = f"{number}.{SUFFIXES[media.media_type]}"
            # A file tells its length; without one the form would go out in chunks.
            with media.open() as stream:
                copied = _copied(stream, ctx.work_dir / f"reference-{name}")
            files.append((name, stack.enter_context(copied.open("rb")), media.media_type))
        # One alone goes under the field's plain name, which some endpoints know only.
        yield files if len(files) > 1 else files[0]


def _copied(stream: BinaryIO, path: Path) -> Path:
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file)
    return path


def _picture(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first picture of a reply: an object with its bytes or its link."""
    pictures = reply.get("data")
    item = pictures[0] if isinstance(pictures, list) and pictures else None
    if isinstance(item, Mapping) and any(_is_text(item.get(name)) for name in ("b64_json", "url")):
        return {name: value for name, value in item.items() if _is_text(value)}
    raise ProviderError(UNREADABLE)


def _used(report: object, ctx: Context) -> Usage:
    taken, made = member(report, "input_tokens"), member(report, "output_tokens")
    return tokens_used(ctx, taken, made, report, total=member(report, "total_tokens"))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ProviderError(UNREADABLE) from None


def _fetched(made: _Made, ctx: Context) -> Done[ImageResult]:
    # The key goes with it only where the link leads to the endpoint's own host.
    path = ctx.download(made.url, name="picture", headers={"Authorization": f"Bearer {ctx.secret}"})
    return Done(ImageResult(GeneratedFile(path), Usage(made.units, made.usage)))
