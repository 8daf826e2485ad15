"""One answer of a chat model, as JSON by a schema, read while it is written."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final

import httpx

from contentsvc.plugin import ContentRejected, Context, ProviderError, Usage, retry_after
from contentsvc_openai.errors import BROKEN_OFF, REJECTED, UNREADABLE, Refusal, error_of, refusal_of
from contentsvc_openai.usage import usage_of
from contentsvc_openai.wire import (
    CANCELLED,
    ERROR_MAX_BYTES,
    TOO_LARGE,
    document,
    parameters,
    post,
    read,
    whole,
)

SILENT_SECONDS: Final = 180.0
MAX_CHARACTERS: Final = 400_000
_FORMS: Final = "forms"


class JsonMode(StrEnum):
    """How an endpoint is made to answer in JSON, the strictest first."""

    SCHEMA = "schema"
    OBJECT = "object"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Form:
    """What of the API an endpoint knows. Compatible ones refuse fields they don't."""

    mode: JsonMode = JsonMode.SCHEMA
    asks_usage: bool = True

    def without(self, refusal: Refusal) -> Form | None:
        """The next simpler form where a refusal is about this one; None where it isn't."""
        if refusal.status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
            return None
        if self.asks_usage and refusal.mentions("stream_options", "include_usage"):
            return replace(self, asks_usage=False)
        if self.mode is JsonMode.PROMPT or not refusal.mentions(
            "response_format", "json_schema", "json_object"
        ):
            return None
        return replace(self, mode=JsonMode.OBJECT if self.mode is JsonMode.SCHEMA else JsonMode.PROMPT)


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is asked: its instructions, the matter as JSON, the schema of the answer."""

    name: str
    instructions: str
    matter: Mapping[str, Any]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an answer: of its reasoning, or of its text."""

    text: str
    is_reasoning: bool = False


@dataclass
class Chat:
    """One order of a chat model. ``usage`` is known once all pieces have come."""

    ctx: Context
    question: Question
    usage: Usage = field(default_factory=Usage)
    _finish: str = ""
    _length: int = 0

    def pieces(self) -> Generator[Piece, None, None]:
        """The answer piece by piece; the first, which is empty, says that the model has begun.

        Raises ContentRejected where the model declines, ProviderError for an answer that
        breaks off or was cut at its limit, and what the endpoint's refusals mean.
        """
        with self._opened() as reply:
            yield Piece("")
            for chunk in _chunks(reply):
                if self.ctx.cancelled:
                    raise ProviderError(CANCELLED)
                yield from self._read(chunk)
        if self._finish == "content_filter":
            raise ContentRejected(REJECTED)
        if self._finish == "length":
            raise ProviderError("The model's answer was cut off at its limit of tokens.")
        if not self._finish:
            raise ProviderError(BROKEN_OFF)

    @contextmanager
    def _opened(self) -> Iterator[httpx.Response]:
        """A reply that is a success; a form that the endpoint refuses is exchanged for a simpler one."""
        form = _form_of(self.ctx)
        while True:
            with ExitStack() as stack:
                reply = stack.enter_context(
                    post(self.ctx, "chat/completions", SILENT_SECONDS, json=self._body(form))
                )
                if reply.is_success:
                    _remember(self.ctx, form)
                    yield reply
                    return
                refusal = refusal_of(whole(reply))
            # What is refused by its form was not taken, so asking again orders nothing twice.
            simpler = form.without(refusal)
            if simpler is None:
                raise error_of(refusal, self.ctx.secret, retry_after(reply))
            form = simpler

    def _body(self, form: Form) -> dict[str, Any]:
        asked = self.question
        instructions = asked.instructions
        if form.mode is not JsonMode.SCHEMA:
            schema = json.dumps(asked.schema, ensure_ascii=False)
            instructions += f"\n\nAnswer with one JSON object and nothing else. Its JSON Schema is: {schema}"
        body: dict[str, Any] = {
            "model": self.ctx.model.endpoint or self.ctx.model.name,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": json.dumps(asked.matter, ensure_ascii=False)},
            ],
            **parameters(self.ctx),
            "stream": True,
        }
        if form.asks_usage:
            body["stream_options"] = {"include_usage": True}
        if form.mode is JsonMode.OBJECT:
            body["response_format"] = {"type": "json_object"}
        elif form.mode is JsonMode.SCHEMA:
            described = {"name": asked.name, "strict": True, "schema": asked.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        return body

    def _read(self, chunk: Mapping[str, Any]) -> Iterator[Piece]:
        if chunk.get("error") is not None:
            # The head said 200: what was begun has failed, and counts as a defect of the server.
            raise error_of(Refusal.read(_status_in(chunk), chunk), self.ctx.secret)
        if isinstance(chunk.get("usage"), Mapping):
            self.usage = usage_of(chunk["usage"], self.ctx)
        choice = _first(chunk.get("choices"))
        said = _mapping(choice.get("delta")) or _mapping(choice.get("message"))
        if said.get("refusal"):
            raise ContentRejected(REJECTED)
        for name, is_reasoning in (("reasoning_content", True), ("reasoning", True), ("content", False)):
            text = said.get(name)
            if isinstance(text, str) and text:
                self._length += len(text)
                if self._length > MAX_CHARACTERS:
                    raise ProviderError(TOO_LARGE)
                yield Piece(text, is_reasoning)
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self._finish = finish


def _form_of(ctx: Context) -> Form:
    """By the model's options ``json`` and ``include_usage``, else as far as the endpoint got last time."""
    known = _mapping(_mapping(ctx.state.get(_FORMS)).get(_place(ctx)))
    options = ctx.model.options
    mode = options.get("json", known.get("json"))
    usage = options.get("include_usage", known.get("include_usage"))
    return Form(JsonMode(mode) if mode in set(JsonMode) else JsonMode.SCHEMA, usage is not False)


def _remember(ctx: Context, form: Form) -> None:
    if form == _form_of(ctx):
        return
    known = dict(_mapping(ctx.state.get(_FORMS)))
    known[_place(ctx)] = {"json": form.mode.value, "include_usage": form.asks_usage}
    ctx.state[_FORMS] = known


def _place(ctx: Context) -> str:
    # Another address or model may know more.
    return f"{ctx.base_url} {ctx.model.endpoint or ctx.model.name}"[:300]


def _chunks(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The JSON of a stream's events, or the one document of an endpoint that doesn't stream."""
    kind = reply.headers.get("Content-Type", "")
    if "html" in kind:
        raise ProviderError(UNREADABLE)
    if "json" in kind:
        yield document(read(reply, 4 * MAX_CHARACTERS))
        return
    for line in _lines(reply):
        if not line.startswith(b"data:"):
            continue
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            return
        yield document(data)


def _lines(reply: httpx.Response) -> Iterator[bytes]:
    """Lines as the format has them. httpx would also split at characters that JSON text may hold."""
    rest = b""
    for piece in reply.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > ERROR_MAX_BYTES:
            raise ProviderError(TOO_LARGE)
    yield rest


def _status_in(chunk: Mapping[str, Any]) -> int:
    code = _mapping(chunk.get("error")).get("code")
    return code if type(code) is int and 400 <= code < 600 else HTTPStatus.BAD_REQUEST


def _first(items: object) -> Mapping[str, Any]:
    return _mapping(items[0]) if isinstance(items, list) and items else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
