"""One answer of a Gemini model, as JSON by a schema, read while it is written."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from contentsvc.plugin import ContentRejected, Context, ProviderError, Usage
from contentsvc_authoring import (
    EntityReader,
    JsonMode,
    Piece,
    Question,
    ScriptAuthor,
    Watch,
    parameters,
    text,
)
from contentsvc_google.failures import REJECTED, is_refusal, stream_failure
from contentsvc_google.generated import finish_of, parts_of, usage_of
from contentsvc_google.sdk import Google, model_of

SILENT_SECONDS: Final = 180.0
BROKEN_OFF: Final = "The model's answer broke off."
CUT_OFF: Final = "The model's answer was cut off at its limit of tokens."


@dataclass
class GeminiChat:
    """One order of a text model; see :class:`contentsvc_authoring.Chat`.

    Options of the model: ``json`` (``schema``, ``object`` or ``prompt``), ``parameters`` (members
    of ``generationConfig``), ``output_weight``, ``timeout_seconds``, ``api_version``.
    """

    ctx: Context
    question: Question
    usage: Usage = field(default_factory=Usage)
    _finish: str = ""

    def pieces(self) -> Generator[Piece, None, None]:
        """See :meth:`contentsvc_authoring.Chat.pieces`."""
        watch = Watch(self.ctx)
        google = Google.of(self.ctx, seconds=SILENT_SECONDS)
        with closing(google.streamed(model_of(self.ctx), self._body())) as events:
            # The SDK tells of a reply with its first event only.
            first = next(events, {})
            yield Piece("")
            for event in chain((first,), events):
                for piece in self._read(event):
                    yield Piece(watch.see(piece.text), piece.is_thought)
        if is_refusal(self._finish):
            raise ContentRejected(REJECTED)
        if self._finish != "STOP":
            raise ProviderError(CUT_OFF if self._finish == "MAX_TOKENS" else BROKEN_OFF)

    def _body(self) -> dict[str, Any]:
        asked, mode = self.question, self.ctx.model.options.get("json")
        instructions = asked.instructions_with_schema
        config: dict[str, Any] = {}
        if mode != JsonMode.PROMPT:
            config["responseMimeType"] = "application/json"
            if mode != JsonMode.OBJECT:
                config["responseJsonSchema"] = asked.schema
                instructions = asked.instructions
        return {
            "systemInstruction": {"parts": [{"text": instructions}]},
            "contents": [{"role": "user", "parts": [{"text": asked.matter_text}]}],
            "generationConfig": {**config, **parameters(self.ctx)},
        }

    def _read(self, event: Mapping[str, Any]) -> Iterator[Piece]:
        if event.get("error") is not None:
            raise stream_failure(event)
        if event.get("usageMetadata") is not None:
            # Each event has the figures up to it.
            self.usage = usage_of(event, self.ctx)
        for part in parts_of(event):
            if said := text(part, "text"):
                yield Piece(said, part.get("thought") is True)
        self._finish = finish_of(event) or self._finish


class GeminiScripts(ScriptAuthor):
    """Writes scripts."""

    def ask(self, ctx: Context, question: Question) -> GeminiChat:
        """See :meth:`contentsvc_authoring.ScriptAuthor.ask`."""
        return GeminiChat(ctx, question)


class GeminiEntities(EntityReader):
    """Finds people and places."""

    def ask(self, ctx: Context, question: Question) -> GeminiChat:
        """See :meth:`contentsvc_authoring.EntityReader.ask`."""
        return GeminiChat(ctx, question)
