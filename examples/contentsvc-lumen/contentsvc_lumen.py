"""Lumen: pictures that are ordered as jobs, and voices that are spoken while one waits."""

from collections.abc import Callable
from decimal import Decimal
from typing import Literal, TypeVar

import httpx
from pydantic import BaseModel, Field, ValidationError

from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    BillingUnit,
    Capability,
    CheckContext,
    ContentRejected,
    Context,
    Done,
    Driver,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    Model,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    SpeechRequest,
    SpeechResult,
    Usage,
    figure,
    hookimpl,
    retry_after,
    save_reply,
)


class Order(BaseModel):
    """The reply to an order."""

    id: str = Field(min_length=1)


class Job(BaseModel):
    """The reply to a question after a job."""

    status: Literal["running", "done", "failed"]
    progress: float | None = Field(None, ge=0, le=1)
    url: str = ""
    pictures: object = None


DocumentT = TypeVar("DocumentT", bound=BaseModel)


def headers(ctx: Context | CheckContext) -> dict[str, str]:
    return {"Authorization": f"Bearer {ctx.secret}"}


def check_status(reply: httpx.Response) -> None:
    """Raise what the status means, wherever it comes."""
    if reply.status_code == 429:
        raise RateLimited("Lumen is busy.", retry_after=retry_after(reply))
    if reply.status_code in (401, 403):
        raise AuthenticationFailed("Lumen does not accept the API key.")
    if reply.status_code == 422:
        raise ContentRejected("Lumen does not make this kind of content.")
    if reply.is_error:
        raise ProviderError("Lumen could not do this.")


def check_order(reply: httpx.Response) -> None:
    """The same for an order, which may have been taken by a server that broke down afterwards."""
    if reply.is_server_error:
        raise OutcomeUnknown("Lumen broke down while it took the order.")
    check_status(reply)


def read(kind: type[DocumentT], reply: httpx.Response) -> DocumentT:
    """The reply, if it is what Lumen's documentation says."""
    try:
        return kind.model_validate_json(reply.content)
    except ValidationError:
        raise ProviderError("Lumen's answer can't be read.") from None


class Pictures:
    """``POST /pictures`` takes a job, ``GET /pictures/<id>`` tells how it stands."""

    def start(self, request: ImageRequest, ctx: Context) -> Accepted:
        order = {"model": ctx.model.endpoint, "prompt": request.prompt, "ratio": request.ratio}
        reply = ctx.http.post(f"{ctx.base_url}/pictures", json=order, headers=headers(ctx))
        check_order(reply)
        return Accepted(read(Order, reply).id)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        reply = ctx.http.get(f"{ctx.base_url}/pictures/{job_id}", headers=headers(ctx))
        if reply.is_server_error:
            raise ProviderError("Lumen can't be asked at the moment.", retryable=True)
        check_status(reply)
        job = read(Job, reply)
        if job.status == "running":
            return Pending(job.progress)
        if job.status == "failed":
            raise ProviderError("Lumen could not make this picture.")
        picture = GeneratedFile(ctx.download(job.url, name="picture"))
        return Done(ImageResult(picture, Usage(figure(job.pictures))))


class Voices:
    """``POST /speech`` answers with the sound; a header counts the characters."""

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        order = {"model": ctx.model.endpoint, "text": request.text, "speed": request.speed}
        with ctx.http.stream("POST", f"{ctx.base_url}/speech", json=order, headers=headers(ctx)) as reply:
            check_order(reply)
            media_type = reply.headers.get("Content-Type", "")
            path = save_reply(ctx, reply.iter_bytes(), name="voice", media_type=media_type)
        characters = figure(reply.headers.get("X-Characters"))
        usage = Usage(None if characters is None else characters / 1000)
        return Done(SpeechResult(GeneratedFile(path), usage))

    def poll(self, job_id: str, ctx: Context) -> Pending:
        raise ProviderError("Lumen speaks at once.")


def check(ctx: CheckContext) -> str:
    """Is the key good? Asking costs nothing."""
    check_status(ctx.http.get(f"{ctx.base_url}/account", headers=headers(ctx)))
    return "Lumen knows this key."


@hookimpl
def contentsvc_register_providers(register: Callable[[Driver], None]) -> None:
    backends = {Capability.IMAGE_GENERATION: Pictures, Capability.SPEECH: Voices}
    register(Driver("lumen", "Lumen", backends, base_url="https://api.lumen.example/v1", check=check))


@hookimpl
def contentsvc_register_models(register: Callable[[Model], None]) -> None:
    price, unit = Decimal("0.04"), BillingUnit.IMAGE
    register(Model("lumen", "lumen-2", "Lumen 2", Capability.IMAGE_GENERATION, price, unit, "lumen-2"))
    price, unit = Decimal("0.015"), BillingUnit.THOUSAND_CHARACTERS
    register(Model("lumen", "lumen-voice", "Lumen Voice", Capability.SPEECH, price, unit, "voice-1"))
