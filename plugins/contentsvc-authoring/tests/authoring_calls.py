"""An order's context and a model, both without any provider."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from contentsvc.plugin import BillingUnit, Capability, Context, ModelInfo, Usage
from contentsvc_authoring import EntityReader, Piece, Question, ScriptAuthor


@dataclass
class Desk:
    """What of a context an author uses."""

    model: ModelInfo
    base_url: str = "http://models.test"
    state: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False


def desk(unit: BillingUnit | None = None, **options: Any) -> Any:
    """A context for a model with these options."""
    return Desk(ModelInfo("acme", "acme-1", Capability.SCRIPT, options, unit))


@dataclass
class Told:
    """A chat that says what it was told to say."""

    said: list[Piece]
    questions: list[Question] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    def pieces(self) -> Generator[Piece, None, None]:
        yield Piece("")
        yield from self.said


def told(answer: object, *, thought: str = "", size: int = 7) -> Told:
    """A model that answers this, ``size`` characters at a time."""
    written = answer if isinstance(answer, str) else json.dumps(answer)
    thoughts = [Piece(thought, is_thought=True)] if thought else []
    return Told([*thoughts, *(Piece(written[at : at + size]) for at in range(0, len(written), size))])


class Author(ScriptAuthor):
    """An author with a model that is told what to say."""

    def __init__(self, model: Told) -> None:
        self.model = model

    def ask(self, ctx: Context, question: Question) -> Told:  # the base class's names
        self.model.questions.append(question)
        return self.model


class Reader(EntityReader):
    """A reader with a model that is told what to say."""

    def __init__(self, model: Told) -> None:
        self.model = model

    def ask(self, ctx: Context, question: Question) -> Told:  # the base class's names
        self.model.questions.append(question)
        return self.model


@dataclass
class Line:
    """An endpoint whose answers are set: chunks, or an error to raise."""

    answers: list[list[dict[str, Any]] | Exception]
    bodies: list[Mapping[str, Any]] = field(default_factory=list)

    @contextmanager
    def open(self, body: Mapping[str, Any]) -> Iterator[Iterator[Mapping[str, Any]]]:
        self.bodies.append(body)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield iter(answer)


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One chunk of an answer."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
