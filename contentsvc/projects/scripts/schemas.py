"""Scripts as clients send and see them."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from contentsvc.http.types import Id, In, Out, Timestamp

MIN_SECONDS, MAX_SECONDS = 1, 60
MAX_TEXT = 4000


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number is expected")
    return value


Narration = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
VisualPrompt = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Seconds = Annotated[float, AfterValidator(_finite), Field(ge=MIN_SECONDS, le=MAX_SECONDS)]


class DialogueLineOut(Out):
    """One line that is spoken."""

    speaker: str | None = Field(description="Null for the narrator.")
    line: str


class SegmentOut(Out):
    """One shot of the film; ``segment_id`` stays the same across versions."""

    segment_id: Id
    index: int = Field(description="Place in the script, from 0.")
    narration: str = Field(description="All that is said, as flat text.")
    dialogue: list[DialogueLineOut]
    visual_prompt: str
    duration_seconds: float
    entity_refs: list[str] = Field(description="Ids of the entities it shows.")


class ScriptVersionOut(Out):
    """A script. ``total_duration`` is what was asked for, null if nothing was."""

    id: Id
    version: int = Field(description="Number within the project, from 1.")
    mode: str
    prompt: str
    aspect_ratio: str
    total_duration: float | None
    base_version: Id | None = Field(description="The version it rewrites.")
    is_adopted: bool
    adopted_at: Timestamp | None = Field(description="When it was last adopted.")
    segments: list[SegmentOut]
    created_by: Id | None
    created_at: Timestamp


class ScriptVersionBrief(Out):
    """A line of a project's history of scripts."""

    id: Id
    version: int
    mode: str
    is_adopted: bool
    created_at: Timestamp


class AdoptScript(In):
    """The version the film shall follow."""

    script_version_id: str


class SegmentChange(In):
    """What a hand may write into a segment; null counts as left out."""

    narration: Narration | None = None
    visual_prompt: VisualPrompt | None = None
    duration_seconds: Seconds | None = None


class SegmentUpdate(SegmentChange):
    """Changes to a segment; fields left out stay. A narration replaces the dialogue."""

    segment_id: str


class SegmentAdd(SegmentChange):
    """A new segment; without ``after_segment_id`` it comes first."""

    after_segment_id: str | None = None


class SegmentDelete(In):
    """The segment to take out."""

    segment_id: str
