"""From what a backend writes to the segments that are shown and stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uuid_utils.compat import uuid7

from contentsvc.generation.images import facts_of
from contentsvc.generation.works import Stored
from contentsvc.plugin import (
    ProductFacts,
    ProviderError,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
)
from contentsvc.projects.scripts.segments import SegmentDocument, as_written, from_written
from contentsvc.projects.scripts.stream.repair import repaired


@dataclass(frozen=True)
class Written:
    """The facts of a finished script: all segments, or with a target the one that was rewritten."""

    segments: list[SegmentDocument]


def script_request(order: Mapping[str, Any], seed: int) -> ScriptRequest:
    """What the author is told, from a task's request."""
    return ScriptRequest(
        mode=ScriptMode(order["mode"]),
        product=facts_of(order["product"]) or ProductFacts(),
        instruction=order["prompt"],
        aspect_ratio=order["aspect_ratio"],
        total_duration=order["total_duration"],
        segments=tuple(as_written(segment) for segment in order["segments"]),
        target_index=order["target_index"],
        seed=seed,
    )


class Composition:
    """One script in the making, from a task's request.

    A rewritten segment keeps its id and its entities, by its place; new ones get an id at
    the first draft that has them, which they keep.
    """

    def __init__(self, order: Mapping[str, Any]) -> None:
        self._base: Sequence[SegmentDocument] = order["segments"]
        self._target: int | None = order["target_index"]
        self._ids: list[str] = [segment["segment_id"] for segment in self._base]

    def draft(self, written: Sequence[ScriptSegment]) -> list[SegmentDocument] | None:
        """The script as far as it is there, with indices; None where nothing of it can be shown."""
        try:
            segments = self._documents(written)
        except ProviderError:
            return None
        if self._target is not None:
            segments = [*self._base[: self._target], *segments, *self._base[self._target + 1 :]]
        return [{**segment, "index": index} for index, segment in enumerate(segments)]

    def finished(self, result: ScriptResult) -> Stored:
        """What is settled. Raises ProviderError for a script that can't be used."""
        return Stored(usage=result.usage, facts=Written(self._documents(result.segments)))

    def _documents(self, written: Sequence[ScriptSegment]) -> list[SegmentDocument]:
        if self._target is not None:
            [segment] = repaired(written, exactly=1)
            return [self._document(segment, self._target)]
        return [self._document(segment, place) for place, segment in enumerate(repaired(written))]

    def _document(self, written: ScriptSegment, place: int) -> SegmentDocument:
        while len(self._ids) <= place:
            self._ids.append(str(uuid7()))
        refs = self._base[place]["entity_refs"] if place < len(self._base) else ()
        return from_written(written, segment_id=self._ids[place], entity_refs=refs)
