"""What a model has written, made fit to be a script: repaired where that is safe, else refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from contentsvc.plugin import DialogueLine, ProviderError, ScriptSegment
from contentsvc.projects.scripts.edits import MAX_SEGMENTS
from contentsvc.projects.scripts.schemas import MAX_SECONDS, MAX_TEXT, MIN_SECONDS
from contentsvc.projects.scripts.segments import DEFAULT_SECONDS

UNUSABLE: Final = "The model returned a script that can't be used."


def repaired(written: Sequence[ScriptSegment], *, exactly: int | None = None) -> list[ScriptSegment]:
    """Whole segments: both texts there, durations of 1 to 60 seconds.

    A missing narration is what the dialogue says, a missing picture is described by the
    narration; a segment without any words is dropped. Raises ProviderError where nothing is
    left, too much is there, or it isn't ``exactly`` as many as wanted.
    """
    segments = [segment for segment in map(_repaired, written) if segment is not None]
    wrong_count = exactly is not None and len(segments) != exactly
    if not segments or len(segments) > MAX_SEGMENTS or wrong_count:
        raise ProviderError(UNUSABLE)
    return segments


def _repaired(segment: ScriptSegment) -> ScriptSegment | None:
    lines = tuple(
        DialogueLine(line=text, speaker=clean(line.speaker) or None if line.speaker else None)
        for line in segment.dialogue
        if (text := clean(line.line))
    )
    narration = clean(segment.narration) or clean(" ".join(line.line for line in lines))
    if not narration:
        return None
    return ScriptSegment(
        narration=narration,
        visual_prompt=clean(segment.visual_prompt) or narration,
        duration_seconds=_seconds(segment.duration_seconds),
        dialogue=lines,
    )


def clean(text: str) -> str:
    """A text that can be stored and sent: no NUL, no lone surrogates, bounded, trimmed."""
    storable = text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return storable.strip()[:MAX_TEXT].rstrip()


def _seconds(value: float) -> float:
    if not math.isfinite(value):
        return DEFAULT_SECONDS
    return round(min(MAX_SECONDS, max(MIN_SECONDS, float(value))), 2)
