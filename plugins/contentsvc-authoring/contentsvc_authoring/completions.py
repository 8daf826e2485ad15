"""Models behind OpenAI's chat completions, or an interface made after them: bodies and chunks.

Fields as in https://platform.openai.com/docs/api-reference/chat; ``reasoning_content`` and
``reasoning`` are what DeepSeek, Doubao, Qwen and OpenRouter add to them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Protocol

from contentsvc.plugin import ContentRejected, Context, ProviderError, Usage
from contentsvc_authoring.chat import Piece, Question, Watch
from contentsvc_authoring.reading import items, member, order_of, parameters, text
from contentsvc_authoring.usage import tokens_used

REJECTED: Final = "The provider refuses this content."
BROKEN_OFF: Final = "The model's answer broke off."
CUT_OFF: Final = "The model's answer was cut off at its limit of tokens."
_FORMS: Final = "forms"


class JsonMode(StrEnum):
    """How an endpoint is made to answer in JSON, the strictest first."""

    SCHEMA = "schema"
    OBJECT = "object"
    PROMPT = "prompt"


class FormRefused(Exception):
    """An endpoint refuses a request by its form, and has taken no order.

    ``about`` is what it names: the field, its message. ``error`` is raised where asking in a
    simpler form won't help.
    """

    def __init__(self, error: ProviderError, *about: str) -> None:
        super().__init__(error.public_message)
        self.error = error
        self._about = about

    def names(self, *words: str) -> bool:
        """Whether it is about one of these fields."""
        return any(word in about for word in words for about in self._about)


class Endpoint(Protocol):
    """A provider's way to its chat completions."""

    def open(self, body: Mapping[str, Any]) -> AbstractContextManager[Iterator[Mapping[str, Any]]]:
        """Place an order and hand out the chunks of its answer, as plain documents.

        An endpoint that doesn't stream hands out its one document. Raises FormRefused for a
        status 400 or 422, and for other failures what a backend's ``start`` raises; so does
        the iterator for an error among the chunks.
        """


@dataclass(frozen=True, slots=True)
class _Form:
    """What of the interface an endpoint knows. Those made after it refuse fields they don't."""

    mode: JsonMode
    asks_usage: bool = True

    def without(self, refused: FormRefused) -> _Form | None:
        """The next simpler form where a refusal is about this one; None where it isn't."""
        if self.asks_usage and refused.names("stream_options", "include_usage"):
            return replace(self, asks_usage=False)
        if self.mode is JsonMode.PROMPT or not refused.names("response_format", "json_schema", "json_object"):
            return None
        return replace(self, mode=JsonMode.OBJECT if self.mode is JsonMode.SCHEMA else JsonMode.PROMPT)


@dataclass
class Completions:
    """One order of a chat model; see :class:`contentsvc_authoring.chat.Chat`.

    Options of the model: ``json`` (how it is held to JSON, else ``mode``), ``include_usage``
    (false: it isn't asked for usage), ``parameters`` (added to each request), ``output_weight``.
    What an endpoint refuses is left out of the order, and remembered in the context's state.
    """

    ctx: Context
    question: Question
    endpoint: Endpoint
    mode: JsonMode = JsonMode.SCHEMA
    usage: Usage = field(default_factory=Usage)
    _finish: str = ""

    def pieces(self) -> Generator[Piece, None, None]:
        """See :meth:`contentsvc_authoring.chat.Chat.pieces`."""
        watch = Watch(self.ctx)
        with self._opened() as chunks:
            yield Piece("")
            for chunk in chunks:
                for piece in self._read(chunk):
                    yield Piece(watch.see(piece.text), piece.is_thought)
        if self._finish == "content_filter":
            raise ContentRejected(REJECTED)
        if self._finish in ("", "length"):
            raise ProviderError(CUT_OFF if self._finish else BROKEN_OFF)

    @contextmanager
    def _opened(self) -> Iterator[Iterator[Mapping[str, Any]]]:
        """The chunks; a form that the endpoint refuses is exchanged for a simpler one."""
        form = self._form()
        with ExitStack() as stack:
            while True:
                try:
                    chunks = stack.enter_context(self.endpoint.open(self._body(form)))
                    break
                except FormRefused as refused:
                    # What is refused by its form was not taken, so asking again orders nothing twice.
                    simpler = form.without(refused)
                    if simpler is None:
                        raise refused.error from None
                    form = simpler
            self._remember(form)
            yield chunks

    def _body(self, form: _Form) -> dict[str, Any]:
        asked, is_held = self.question, form.mode is JsonMode.SCHEMA
        instructions = asked.instructions if is_held else asked.instructions_with_schema
        body: dict[str, Any] = {
            "model": order_of(self.ctx),
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": asked.matter_text},
            ],
            **parameters(self.ctx),
            "stream": True,
        }
        if form.asks_usage:
            body["stream_options"] = {"include_usage": True}
        if form.mode is JsonMode.OBJECT:
            body["response_format"] = {"type": "json_object"}
        elif is_held:
            described = {"name": asked.name, "strict": True, "schema": asked.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        return body

    def _read(self, chunk: Mapping[str, Any]) -> Iterator[Piece]:
        if member(chunk, "usage"):
            report = chunk["usage"]
            taken, made = member(report, "prompt_tokens"), member(report, "completion_tokens")
            total = member(report, "total_tokens")
            self.usage = tokens_used(self.ctx, taken, made, report, total=total)
        choice = next(iter(items(chunk, "choices")), None)
        said = member(choice, "delta") or member(choice, "message")
        if member(said, "refusal"):
            raise ContentRejected(REJECTED)
        for name, is_thought in (("reasoning_content", True), ("reasoning", True), ("content", False)):
            if written := text(said, name):
                yield Piece(written, is_thought)
        self._finish = text(choice, "finish_reason") or self._finish

    def _form(self) -> _Form:
        """By the model's options, else as far as the endpoint got last time."""
        known, options = member(self.ctx.state.get(_FORMS), self._place()), self.ctx.model.options
        mode = options.get("json", member(known, "json"))
        asks_usage = options.get("include_usage", member(known, "include_usage"))
        return _Form(JsonMode(mode) if mode in set(JsonMode) else self.mode, asks_usage is not False)

    def _remember(self, form: _Form) -> None:
        if form == self._form():
            return
        known = self.ctx.state.get(_FORMS)
        kept = dict(known) if isinstance(known, Mapping) else {}
        kept[self._place()] = {"json": form.mode.value, "include_usage": form.asks_usage}
        self.ctx.state[_FORMS] = kept

    def _place(self) -> str:
        # Another address or model may know more.
        return f"{self.ctx.base_url} {order_of(self.ctx)}"[:300]
