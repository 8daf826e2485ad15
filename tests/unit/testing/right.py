"""Providers' plugins as they should be, in small steps: a wrong one differs in one of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import httpx

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
    ScriptEvent,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    SpeechRequest,
    SpeechResult,
    Usage,
    figure,
    retry_after,
)
from contentsvc.testing import Declared, Dialect, Made, Offline, Reply, Request, Subject, sample_result

Check: TypeAlias = Callable[[CheckContext], str]
UNREADABLE = "The answer can't be read."


class Talk:
    """What all backends do alike."""

    def prepare(self, ctx: Context) -> None:
        """Called before an order."""

    def headers(self, ctx: Context | CheckContext) -> dict[str, str]:
        return {"Authorization": f"Bearer {ctx.secret}"}

    def check(self, reply: httpx.Response, ctx: Context | CheckContext) -> None:
        if reply.status_code == 429:
            raise RateLimited("Too many orders.", retry_after=retry_after(reply))
        if reply.status_code == 401:
            raise AuthenticationFailed("The key is not accepted.")
        if reply.status_code == 422:
            raise ContentRejected("Not this content.")
        if reply.is_error:
            raise ProviderError("It went wrong.")

    def check_order(self, reply: httpx.Response, ctx: Context) -> None:
        if reply.is_server_error:
            raise OutcomeUnknown("It broke while the order was taken.")
        self.check(reply, ctx)

    def check_poll(self, reply: httpx.Response, ctx: Context) -> None:
        if reply.is_server_error:
            raise ProviderError("Not now.", retryable=True)
        self.check(reply, ctx)

    def read(self, reply: httpx.Response) -> Any:
        try:
            return json.loads(reply.content)
        except ValueError:
            raise ProviderError(UNREADABLE) from None

    def order_document(self, reply: httpx.Response) -> Mapping[str, Any]:
        return self.mapping(self.read(reply))

    def poll_document(self, reply: httpx.Response) -> Mapping[str, Any]:
        return self.mapping(self.read(reply))

    def mapping(self, document: Any) -> Mapping[str, Any]:
        if not isinstance(document, dict):
            raise ProviderError(UNREADABLE)
        return document

    def units(self, reported: Any) -> Decimal | None:
        return figure(reported)


class Jobs(Talk):
    """Pictures: ordered as jobs, fetched by a link."""

    def start(self, request: ImageRequest, ctx: Context) -> Accepted:
        self.prepare(ctx)
        reply = self.send(request, ctx)
        self.check_order(reply, ctx)
        return Accepted(self.job(reply))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        reply = self.ask(job_id, ctx)
        self.check_poll(reply, ctx)
        document = self.poll_document(reply)
        status = self.status(document)
        if status == "running":
            return self.pending(document)
        if status != "done":
            raise self.failure(document)
        return self.done(document, ctx)

    def send(self, request: ImageRequest, ctx: Context) -> httpx.Response:
        return ctx.http.post(
            f"{ctx.base_url}/pictures", json={"text": request.prompt}, headers=self.headers(ctx)
        )

    def job(self, reply: httpx.Response) -> str:
        job = self.order_document(reply).get("id")
        if not isinstance(job, str):
            raise ProviderError(UNREADABLE)
        return job

    def ask(self, job_id: str, ctx: Context) -> httpx.Response:
        return ctx.http.get(f"{ctx.base_url}/pictures/{job_id}", headers=self.headers(ctx))

    def status(self, document: Mapping[str, Any]) -> str:
        status = document.get("status")
        if status not in ("running", "done", "failed", "refused"):
            raise ProviderError(UNREADABLE)
        return str(status)

    def pending(self, document: Mapping[str, Any]) -> Pending:
        return Pending(document["percent"] / 100)

    def failure(self, document: Mapping[str, Any]) -> ProviderError:
        if document["status"] == "refused":
            return ContentRejected("Not this content.")
        return ProviderError("The job has failed.")

    def done(self, document: Mapping[str, Any], ctx: Context) -> Done[ImageResult]:
        path = self.fetch(document["url"], ctx)
        return Done(ImageResult(GeneratedFile(path), Usage(self.units(document["count"]))))

    def fetch(self, url: str, ctx: Context) -> Path:
        return ctx.download(url, name="picture")


class Inline(Talk):
    """Pictures: in the reply to the order, in base64."""

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult]:
        reply = ctx.http.post(f"{ctx.base_url}/now", json={"text": request.prompt}, headers=self.headers(ctx))
        self.check_order(reply, ctx)
        pictures = self.order_document(reply).get("pictures")
        if not isinstance(pictures, list) or not pictures:
            raise ProviderError(UNREADABLE)
        path = ctx.work_dir / "picture"
        path.write_bytes(base64.b64decode(self.choose(pictures)))
        return Done(ImageResult(GeneratedFile(path)))

    def poll(self, job_id: str, ctx: Context) -> Pending:
        raise ProviderError("There are no jobs.")

    def choose(self, pictures: list[str]) -> str:
        return pictures[0]


class Bytes(Talk):
    """Voices: the reply to the order is the sound."""

    def start(self, request: SpeechRequest, ctx: Context) -> Done[SpeechResult]:
        path = ctx.work_dir / "voice"
        order = {"text": request.text}
        with ctx.http.stream("POST", f"{ctx.base_url}/say", json=order, headers=self.headers(ctx)) as reply:
            self.check_order(reply, ctx)
            if not reply.headers["Content-Type"].startswith("audio/"):
                raise ProviderError("This is no sound.")
            self.save(reply, path)
        return Done(SpeechResult(GeneratedFile(path)))

    def poll(self, job_id: str, ctx: Context) -> Pending:
        raise ProviderError("There are no jobs.")

    def save(self, reply: httpx.Response, path: Path) -> None:
        with path.open("wb") as file:
            for piece in reply.iter_bytes():
                file.write(piece)


class Scripts(Talk):
    """Scripts: lines of JSON, the last one the script."""

    def stream(self, request: ScriptRequest, ctx: Context) -> Iterator[ScriptEvent]:
        order = {"product": request.product.title}
        with ctx.http.stream("POST", f"{ctx.base_url}/write", json=order, headers=self.headers(ctx)) as reply:
            self.check_order(reply, ctx)
            yield from self.events(reply)

    def events(self, reply: httpx.Response) -> Iterator[ScriptEvent]:
        for line in reply.iter_lines():
            yield self.event(line)
        yield from self.end()

    def end(self) -> Iterator[ScriptEvent]:
        raise ProviderError("The script has no end.")
        yield

    def event(self, line: str) -> ScriptEvent:
        try:
            document = json.loads(line)
            if "text" in document:
                return ScriptText(document["text"])
            return ScriptResult(tuple(ScriptSegment(*item) for item in document["script"]))
        except (ValueError, KeyError, TypeError):
            raise ProviderError(UNREADABLE) from None


class AtHome:
    """Pictures without a provider."""

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult]:
        path = ctx.work_dir / "picture.png"
        path.write_bytes(sample_result(Capability.IMAGE_GENERATION).file)
        return Done(ImageResult(GeneratedFile(path)))

    def poll(self, job_id: str, ctx: Context) -> Pending:
        raise ProviderError("There are no jobs.")


class JobWords(Dialect):
    capability = Capability.IMAGE_GENERATION
    is_job = True
    has_link = True
    reports_usage = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"id": job})

    def pending(self, request: Request) -> Reply:
        return Reply.json({"status": "running", "percent": 50})

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"status": "done", "url": made.link, "count": made.usage})

    def failed(self, request: Request) -> Reply:
        return Reply.json({"status": "failed"})

    def refused(self, request: Request) -> Reply:
        return self.error(422, "Flagged.", request)


class LateWords(JobWords):
    refuses_later = True

    def refused(self, request: Request) -> Reply:
        return Reply.json({"status": "refused"})


class InlineWords(Dialect):
    capability = Capability.IMAGE_GENERATION

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"pictures": [base64.b64encode(made.file).decode()]})

    def twice(self, made: Made, request: Request) -> Reply:
        return Reply.json({"pictures": [base64.b64encode(made.file).decode()] * 2})

    def refused(self, request: Request) -> Reply:
        return self.error(422, "Flagged.", request)


class ByteWords(Dialect):
    capability = Capability.SPEECH

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, made.media_type)

    def refused(self, request: Request) -> Reply:
        return self.error(422, "Flagged.", request)


class ScriptWords(Dialect):
    capability = Capability.SCRIPT

    def done(self, made: Made, request: Request) -> Reply:
        script = [[item.narration, item.visual_prompt, item.duration_seconds] for item in made.segments]
        lines = [{"text": "A cup, "}, {"text": "a sill."}, {"script": script}]
        return Reply.stream([json.dumps(line).encode() + b"\n" for line in lines])

    def refused(self, request: Request) -> Reply:
        return self.error(422, "Flagged.", request)


class CheckedWords(ByteWords):
    def checked(self, request: Request) -> Reply:
        return Reply.json({"name": "Ada"})


def check(ctx: CheckContext) -> str:
    """A driver's check."""
    talk = Talk()
    reply = ctx.http.get(f"{ctx.base_url}/account", headers=talk.headers(ctx))
    talk.check(reply, ctx)
    return f"The account of {talk.mapping(talk.read(reply))['name']}."


HOME = Offline(Capability.IMAGE_GENERATION)
RIGHT: tuple[tuple[Dialect, type[Any]], ...] = (
    (JobWords(), Jobs),
    (LateWords(), Jobs),
    (InlineWords(), Inline),
    (ByteWords(), Bytes),
    (ScriptWords(), Scripts),
    (HOME, AtHome),
    (CheckedWords(), Bytes),
)


def subject(dialect: Dialect, backend: type[Any], checks: Check = check) -> Subject:
    """A plugin that has this backend alone."""
    driver = Driver("acme", "Acme", {dialect.capability: backend}, check=checks)
    model = Model("acme", "acme-1", "Acme", dialect.capability, Decimal(1), BillingUnit.IMAGE)
    return Subject(Declared({"acme": driver}, [model]), dialect)
