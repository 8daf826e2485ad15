"""Scripts of advertising films: the capability script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from contentsvc.plugin.backends import Context
from contentsvc.plugin.values import ProductFacts, Usage


class ScriptMode(StrEnum):
    """What is asked of the author."""

    AUTO = "auto"
    THEME = "theme"
    REVISE = "revise"


@dataclass(frozen=True, slots=True)
class DialogueLine:
    """One line that is spoken; ``speaker`` is None for the narrator."""

    line: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptSegment:
    """One shot of the film: what is heard, what is seen, for how many seconds."""

    narration: str
    visual_prompt: str
    duration_seconds: float
    dialogue: tuple[DialogueLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """A script to write, or to rewrite.

    ``instruction`` is the customer's theme, wish or correction; empty in mode auto.
    ``segments`` is the script as it stands, for mode revise. With ``target_index`` only that
    segment is rewritten, and the result has exactly one segment. ``total_duration`` is in
    seconds, None where the customer leaves it open. ``aspect_ratio`` is width:height.
    """

    mode: ScriptMode
    product: ProductFacts
    instruction: str = ""
    aspect_ratio: str = "9:16"
    total_duration: float | None = None
    segments: tuple[ScriptSegment, ...] = ()
    target_index: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ScriptTool:
    """A step of the author's work, shown as a card; ``name`` is stable, ``label`` for people."""

    name: str
    label: str
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class ScriptText:
    """More of the author's reasoning, shown as it comes."""

    text: str


@dataclass(frozen=True, slots=True)
class ScriptDraft:
    """The segments as far as they are written; may come several times."""

    segments: tuple[ScriptSegment, ...]


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The finished script; the last event of a stream."""

    segments: tuple[ScriptSegment, ...]
    usage: Usage = field(default_factory=Usage)


ScriptEvent: TypeAlias = ScriptTool | ScriptText | ScriptDraft | ScriptResult


class ScriptBackend(Protocol):
    """The class behind ``script``. It runs in the web process, in a thread of its own."""

    def stream(self, request: ScriptRequest, ctx: Context) -> Iterator[ScriptEvent]:
        """Write the script, yielding events as they come; the last one is a ScriptResult.

        The iterator is closed when the customer goes away; look at ``ctx.cancelled`` in
        long silences. Errors as everywhere.
        """
