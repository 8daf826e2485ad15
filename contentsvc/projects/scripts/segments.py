"""Segments of a script as they are stored: JSON documents in the film's order."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from uuid_utils.compat import uuid7

from contentsvc import plugin

SegmentDocument: TypeAlias = dict[str, Any]
"""``{segment_id, narration, dialogue: [{speaker, line}], visual_prompt, duration_seconds,
entity_refs}``; ids as text, no index: that is the place in the list."""

DEFAULT_SECONDS = 5.0


def new_segment(
    *,
    narration: str = "",
    visual_prompt: str = "",
    duration_seconds: float = DEFAULT_SECONDS,
    dialogue: Sequence[dict[str, Any]] | None = None,
    segment_id: str | None = None,
    entity_refs: Iterable[str] = (),
) -> SegmentDocument:
    """A segment; with a new id, and its narration spoken by the narrator, unless told otherwise."""
    return {
        "segment_id": segment_id or str(uuid7()),
        "narration": narration,
        "dialogue": narrated(narration) if dialogue is None else list(dialogue),
        "visual_prompt": visual_prompt,
        "duration_seconds": duration_seconds,
        "entity_refs": list(entity_refs),
    }


def narrated(narration: str) -> list[dict[str, Any]]:
    """The dialogue of a text that the narrator speaks alone; empty for silence."""
    return [{"speaker": None, "line": narration}] if narration else []


def from_written(
    written: plugin.ScriptSegment, *, segment_id: str | None = None, entity_refs: Iterable[str] = ()
) -> SegmentDocument:
    """What a script backend wrote, as it is stored. Without dialogue the narrator speaks it."""
    dialogue = [{"speaker": line.speaker, "line": line.line} for line in written.dialogue]
    return new_segment(
        narration=written.narration,
        visual_prompt=written.visual_prompt,
        duration_seconds=float(written.duration_seconds),
        dialogue=dialogue or None,
        segment_id=segment_id,
        entity_refs=entity_refs,
    )


def as_written(segment: SegmentDocument) -> plugin.ScriptSegment:
    """A stored segment as backends read it."""
    return plugin.ScriptSegment(
        narration=segment["narration"],
        visual_prompt=segment["visual_prompt"],
        duration_seconds=segment["duration_seconds"],
        dialogue=tuple(
            plugin.DialogueLine(line=line["line"], speaker=line["speaker"]) for line in segment["dialogue"]
        ),
    )


def position(segments: Sequence[SegmentDocument], segment_id: uuid.UUID) -> int | None:
    """Index of a segment, None when no segment has this id."""
    wanted = str(segment_id)
    return next((index for index, item in enumerate(segments) if item["segment_id"] == wanted), None)
