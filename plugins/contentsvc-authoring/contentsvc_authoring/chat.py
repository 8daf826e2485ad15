"""What passes between an author and the model that writes for it."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from contentsvc.plugin import Context, ProviderError, Usage

MAX_CHARACTERS: Final = 400_000
"""Of one answer with its thoughts; a script has some ten thousand."""

TOO_LARGE: Final = "The model's answer is too large."
CANCELLED: Final = "The work was cancelled."


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked; ``schema`` is the JSON Schema of its answer, ``name`` the schema's name."""

    name: str
    instructions: str
    matter: Mapping[str, Any]
    schema: Mapping[str, Any]

    @property
    def matter_text(self) -> str:
        """The matter as JSON."""
        return json.dumps(self.matter, ensure_ascii=False)

    @property
    def instructions_with_schema(self) -> str:
        """The instructions for a model that isn't held to the schema in another way."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        form = f"Answer with one JSON object and nothing else. Its JSON Schema is: {schema}"
        return f"{self.instructions}\n\n{form}"


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an answer, or of the thoughts before it."""

    text: str
    is_thought: bool = False


class Chat(Protocol):
    """One order of a language model."""

    @property
    def usage(self) -> Usage:
        """What was used; known once all pieces have come."""

    def pieces(self) -> Generator[Piece, None, None]:
        """The answer as it is written. The first piece is empty and says that the order is taken.

        Until then errors tell what became of the order, as those of a backend's ``start``. Raises
        ContentRejected where the model declines, ProviderError for an answer that breaks off.
        """


class Watch:
    """Looks after an answer as it comes: how long it is, whether anybody still wants it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._left = MAX_CHARACTERS

    def see(self, said: str) -> str:
        """More of the answer. Raises ProviderError where it is too much, or unwanted by now."""
        if self._ctx.cancelled:
            raise ProviderError(CANCELLED)
        self._left -= len(said)
        if self._left < 0:
            raise ProviderError(TOO_LARGE)
        return said
