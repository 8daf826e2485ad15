"""Doubao's chat: one question, an answer in JSON, at once or as it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

from contentsvc.plugin import BillingUnit, ContentRejected, Context, ProviderError, Usage
from contentsvc_volcengine.client import Ark
from contentsvc_volcengine.failures import (
    REFUSED_OUTPUT,
    UNREADABLE,
    RequestRefused,
    error_of,
    is_moderation,
    rejection,
    told,
)
from contentsvc_volcengine.options import count, items, member, number, order_of, parameters, text, usage

PATH = "/chat/completions"
CUT_OFF = "The model's answer is longer than it may be."
BROKE_OFF = "The model's answer broke off."
FAILED = "The model could not answer"
MOST_WRITTEN = 2_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the JSON schema of the answer."""

    name: str
    instruction: str
    matter: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """More of the thoughts before an answer, more of the answer, or its end: what was used."""

    thought: str = ""
    content: str = ""
    usage: Usage | None = None


class Doubao:
    """One call's way to a chat model.

    Options: ``json`` (``schema``, ``object`` or ``prompt``: how the model is held to JSON),
    ``output_weight`` (how many tokens one that is written counts as, because it costs more than one
    that is read), ``parameters`` (added to every request, such as ``thinking``).
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._ark = Ark(ctx)

    def answer(self, question: Question) -> tuple[str, Usage]:
        """The whole answer. Raises ProviderError, httpx's transport errors."""
        document = self._asked(question)
        choice = next(iter(items(document, "choices")), None)
        _check(text(choice, "finish_reason"))
        return text(choice, "message", "content"), self._usage(member(document, "usage"))

    def pieces(self, question: Question) -> Iterator[Piece]:
        """The answer as it comes; the last piece has the usage. Raises as :meth:`answer`."""
        with ExitStack() as stack:
            reply = self._opened(question, stack)
            report: object = None
            reason, written = "", 0
            for chunk in _chunks(reply):
                if self._ctx.cancelled:
                    raise ProviderError("The answer is no longer wanted.")
                report = member(chunk, "usage") or report
                choice = next(iter(items(chunk, "choices")), None)
                reason = text(choice, "finish_reason") or reason
                piece = Piece(text(choice, "delta", "reasoning_content"), text(choice, "delta", "content"))
                written += len(piece.thought) + len(piece.content)
                if written > MOST_WRITTEN:
                    raise ProviderError(CUT_OFF)
                if piece != Piece():
                    yield piece
        _check(reason)
        if not reason:
            raise ProviderError(BROKE_OFF)
        yield Piece(usage=self._usage(report))

    def _asked(self, question: Question) -> Mapping[str, Any]:
        way = self._way()
        try:
            return self._ark.order(PATH, self._body(question, way))
        except RequestRefused as refusal:
            if way == "prompt" or not refusal.is_about("response_format"):
                raise
        return self._ark.order(PATH, self._body(question, "prompt"))

    def _opened(self, question: Question, stack: ExitStack) -> httpx.Response:
        more = {"stream": True, "stream_options": {"include_usage": True}}
        way = self._way()
        try:
            return stack.enter_context(self._ark.stream(PATH, {**self._body(question, way), **more}))
        except RequestRefused as refusal:
            # Refused before anything was written: asking in another form is no second order.
            if way == "prompt" or not refusal.is_about("response_format"):
                raise
        return stack.enter_context(self._ark.stream(PATH, {**self._body(question, "prompt"), **more}))

    def _way(self) -> str:
        way = text(self._ctx.model.options, "json")
        return way if way in ("object", "prompt") else "schema"

    def _body(self, question: Question, way: str) -> dict[str, Any]:
        instruction = question.instruction
        body: dict[str, Any] = {"model": order_of(self._ctx), **parameters(self._ctx)}
        if way == "schema":
            form = {"name": question.name, "strict": True, "schema": dict(question.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        else:
            schema = json.dumps(question.schema, ensure_ascii=False)
            instruction = (
                f"{instruction}\nAnswer with one JSON object of this schema and nothing else: {schema}"
            )
        if way == "object":
            body["response_format"] = {"type": "json_object"}
        body["messages"] = [
            {"role": "system", "content": instruction},
            {"role": "user", "content": question.matter},
        ]
        return body

    def _usage(self, report: object) -> Usage:
        weight = number(self._ctx.model.options.get("output_weight"), 1)
        total, written = (count(member(report, name)) for name in ("total_tokens", "completion_tokens"))
        if total is not None and written is not None and written <= total and weight > 0:
            total = round(total + written * (Decimal(str(weight)) - 1))
        return usage(self._ctx, report, {BillingUnit.THOUSAND_TOKENS: total})


def _chunks(reply: httpx.Response) -> Iterator[Mapping[str, Any]]:
    """The documents of a stream of server-sent events. Raises ProviderError."""
    for line in reply.iter_lines():
        name, _, value = line.partition(":")
        if name != "data":
            continue
        value = value.strip()
        if value == "[DONE]":
            return
        try:
            chunk = json.loads(value)
        except (ValueError, RecursionError):
            chunk = None
        if not isinstance(chunk, Mapping):
            raise ProviderError(UNREADABLE)
        if member(chunk, "error"):
            code, _ = error_of(chunk)
            raise rejection(code) if is_moderation(code) else ProviderError(told(FAILED, code, ""))
        yield chunk


def _check(reason: str) -> None:
    if reason == "content_filter":
        raise ContentRejected(REFUSED_OUTPUT)
    if reason == "length":
        raise ProviderError(CUT_OFF)
