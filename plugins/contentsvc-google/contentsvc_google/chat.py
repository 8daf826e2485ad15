"""One answer of a Gemini model, as JSON by a schema, read while it is written."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from contentsvc.plugin import ContentRejected, Context, ProviderError, Usage
from contentsvc_google.client import Google, json_object, method, patience
from contentsvc_google.failures import REJECTED, UNREADABLE, is_refusal, stream_failure
from contentsvc_google.generated import finish_of, parts_of, usage_of
from contentsvc_google.reading import parameters, text

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

    Options of the model: ``schema`` (false: the schema goes into the prompt only), ``parameters``
    (members of ``generationConfig``), ``output_weight``, ``timeout_seconds``, ``api_version``.
    """

    ctx: Context
    question: Question
    usage: Usage = field(default_factory=Usage)
    _finish: str = ""
    _length: int = 0

    def pieces(self) -> Generator[Piece, None, None]:
        """The answer piece by piece; the first one is empty and says that the order is taken.

        Raises ContentRejected where the model declines, ProviderError for an answer that breaks
        off or was cut at its limit, and what Google's refusals mean.
        """
        path = f"{method(self.ctx, 'streamGenerateContent')}?alt=sse"
        with Google.of(self.ctx).stream(path, self._body(), patience(self.ctx, SILENT_SECONDS)) as reply:
            yield Piece("")
            for event in _events(reply):
                if self.ctx.cancelled:
                    raise ProviderError(CANCELLED)
                yield from self._read(event)
        if is_refusal(self._finish):
            raise ContentRejected(REJECTED)
        if self._finish != "STOP":
            raise ProviderError(CUT_OFF if self._finish == "MAX_TOKENS" else BROKEN_OFF)

    def answer(self) -> str:
        """The whole answer."""
        return "".join(piece.text for piece in self.pieces() if not piece.is_thought)

    def _body(self) -> dict[str, Any]:
        asked = self.question
        instructions, config = asked.instructions, parameters(self.ctx)
        if self.ctx.model.options.get("schema") is False:
            schema = json.dumps(asked.schema, ensure_ascii=False)
            instructions += f"\n\nAnswer with one JSON object and nothing else. Its schema is: {schema}"
        else:
            config = {"responseMimeType": "application/json", "responseSchema": asked.schema, **config}
        matter = json.dumps(asked.matter, ensure_ascii=False)
        return {
            "systemInstruction": {"parts": [{"text": instructions}]},
            "contents": [{"role": "user", "parts": [{"text": matter}]}],
            "generationConfig": config,
        }

    def _read(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        if event.get("error") is not None:
            raise stream_failure(event)
        if event.get("usageMetadata") is not None:
            # Each event has the figures up to it.
            self.usage = usage_of(event, self.ctx)
        for part in parts_of(event):
            said = text(part, "text")
            self._length += len(said)
            if self._length > MAX_CHARACTERS:
                raise ProviderError(TOO_LARGE)
            if said:
                yield Piece(said, part.get("thought") is True)
        self._finish = finish_of(event) or self._finish


def _events(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The JSON of a stream's events."""
    for line in _lines(reply):
        name, _, data = line.partition(b":")
        if name == b"data":
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
