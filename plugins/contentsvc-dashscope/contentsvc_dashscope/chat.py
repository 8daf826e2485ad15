"""One answer of a Qwen model, as JSON, read while it is written."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import httpx

from contentsvc.plugin import BillingUnit, ContentRejected, Context, ProviderError, Usage
from contentsvc_dashscope.client import CHAT, DashScope, json_object, patience
from contentsvc_dashscope.failures import REJECTED, UNREADABLE, taken_failure
from contentsvc_dashscope.reading import figure, figures, items, member, option, order_of, parameters, text

PATH: Final = f"{CHAT}/chat/completions"
SILENT_SECONDS: Final = 180.0
MAX_CHARACTERS: Final = 400_000
MAX_LINE: Final = 4 * 1024 * 1024
TOO_LARGE: Final = "The model's answer is too large."
BROKEN_OFF: Final = "The model's answer broke off."
CUT_OFF: Final = "The model's answer was cut off at its limit of tokens."
CANCELLED: Final = "The work was cancelled."


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is asked: its instructions, the matter as JSON, the schema of the answer."""

    name: str
    instructions: str
    matter: Mapping[str, Any]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an answer, or of the thoughts before it."""

    text: str
    is_thought: bool = False


@dataclass
class Chat:
    """One order of a text model. ``usage`` is known once all pieces have come.

    Options of the model: ``json`` (``schema``, ``object`` or ``prompt``: how it is held to JSON),
    ``parameters`` (added to the request), ``output_weight``, ``timeout_seconds``.
    """

    ctx: Context
    question: Question
    usage: Usage = field(default_factory=Usage)
    _finish: str = ""
    _length: int = 0

    def pieces(self) -> Generator[Piece, None, None]:
        """The answer piece by piece; the first one is empty and says that the order is taken.

        Raises ContentRejected where the content is refused, ProviderError for an answer that
        breaks off or was cut at its limit, and what Model Studio's refusals mean.
        """
        with DashScope(self.ctx).stream(PATH, self._body(), patience(self.ctx, SILENT_SECONDS)) as reply:
            yield Piece("")
            for event in _events(reply):
                if self.ctx.cancelled:
                    raise ProviderError(CANCELLED)
                yield from self._read(event)
        if self._finish == "content_filter":
            raise ContentRejected(REJECTED)
        if self._finish != "stop":
            raise ProviderError(CUT_OFF if self._finish == "length" else BROKEN_OFF)

    def answer(self) -> str:
        """The whole answer."""
        return "".join(piece.text for piece in self.pieces() if not piece.is_thought)

    def _body(self) -> dict[str, Any]:
        asked, mode = self.question, self.ctx.model.options.get("json", "object")
        instructions = asked.instructions
        held: dict[str, Any] = {}
        if mode == "schema":
            described = {"name": asked.name, "strict": True, "schema": asked.schema}
            held = {"response_format": {"type": "json_schema", "json_schema": described}}
        else:
            schema = json.dumps(asked.schema, ensure_ascii=False)
            instructions += f"\n\nAnswer with one JSON object and nothing else. Its JSON Schema is: {schema}"
            if mode == "object":
                held = {"response_format": {"type": "json_object"}}
        return {
            "model": order_of(self.ctx),
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": json.dumps(asked.matter, ensure_ascii=False)},
            ],
            **held,
            **parameters(self.ctx),
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def _read(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        if event.get("error") is not None:
            raise taken_failure(event, "Model Studio broke off its answer")
        if event.get("usage") is not None:
            self.usage = _usage(event["usage"], self.ctx)
        choices = items(event, "choices")
        choice = choices[0] if choices else None
        for name, is_thought in (("reasoning_content", True), ("content", False)):
            said = text(choice, "delta", name)
            self._length += len(said)
            if self._length > MAX_CHARACTERS:
                raise ProviderError(TOO_LARGE)
            if said:
                yield Piece(said, is_thought)
        self._finish = text(choice, "finish_reason") or self._finish


def _usage(report: object, ctx: Context) -> Usage:
    """Tokens by the thousand; one of output counts ``output_weight`` times."""
    raw = figures(report)
    unit = ctx.model.billing_unit
    if unit is BillingUnit.TASK:
        return Usage(Decimal(1), raw)
    taken, made = figure(member(report, "prompt_tokens")), figure(member(report, "completion_tokens"))
    if unit not in (BillingUnit.THOUSAND_TOKENS, None) or taken is None or made is None:
        return Usage(None, raw)
    weight = Decimal(str(option(ctx, "output_weight", 1)))
    return Usage((taken + made * weight) / 1000 or None, raw)


def _events(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The JSON of a stream's events, up to the last."""
    for line in _lines(reply):
        name, _, data = line.partition(b":")
        if name != b"data":
            continue
        if data.strip() == b"[DONE]":
            return
        event = json_object(data)
        if event is None:
            raise ProviderError(UNREADABLE)
        yield event


def _lines(reply: httpx.Response) -> Iterator[bytes]:
    """Lines as the format has them. httpx would also split at characters that JSON text may hold."""
    rest = b""
    for piece in reply.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > MAX_LINE:
            raise ProviderError(TOO_LARGE)
    yield rest
