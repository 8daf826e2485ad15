"""Reading what a model has written: repaired where that is safe, refused where it isn't JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from contentsvc.plugin import DialogueLine, Entity, EntityType, ProviderError, ScriptSegment
from contentsvc_volcengine.options import items, number, text

UNUSABLE = "The model's answer can't be used."
DEFAULT_SECONDS = 5.0
MOST_ENTITIES = 100

_KINDS = frozenset(kind.value for kind in EntityType)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_DECODER = json.JSONDecoder()


def document_of(answer: str) -> Mapping[str, Any]:
    """The JSON object in an answer, whatever stands around it. Raises ProviderError."""
    begin, end = answer.find("{"), answer.rfind("}")
    body = answer[begin : end + 1] if 0 <= begin < end else ""
    for attempt in (body, _TRAILING_COMMA.sub(r"\1", body)):
        try:
            found = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, Mapping):
            return found
    raise ProviderError(UNUSABLE)


def segments_of(answer: str) -> tuple[ScriptSegment, ...]:
    """The script in an answer. Raises ProviderError."""
    found = [segment for item in items(document_of(answer), "segments") if (segment := segment_of(item))]
    if not found:
        raise ProviderError(UNUSABLE)
    return tuple(found)


def segment_of(item: object) -> ScriptSegment | None:
    """A segment as far as it was written; None where it has no words."""
    lines = tuple(
        DialogueLine(text(line, "line"), text(line, "speaker") or None)
        for line in items(item, "dialogue")
        if text(line, "line")
    )
    narration = text(item, "narration") or " ".join(line.line for line in lines)
    if not narration.strip():
        return None
    seconds = number(item.get("duration_seconds") if isinstance(item, Mapping) else None, DEFAULT_SECONDS)
    return ScriptSegment(narration, text(item, "visual_prompt") or narration, seconds, lines)


def entities_of(answer: str, segment_count: int) -> tuple[Entity, ...]:
    """The people and places in an answer, each once; indexes that don't exist are left out.

    Raises ProviderError.
    """
    found: dict[tuple[EntityType, str], Entity] = {}
    document = document_of(answer)
    if "entities" not in document:
        raise ProviderError(UNUSABLE)
    for item in items(document, "entities")[:MOST_ENTITIES]:
        kind, name = text(item, "type"), text(item, "name").strip()
        if kind not in _KINDS or not name:
            continue
        numbers = {n for n in items(item, "segments") if isinstance(n, int) and not isinstance(n, bool)}
        key = EntityType(kind), name.casefold()
        if key in found:
            numbers |= set(found[key].segments)
        seen = tuple(sorted(n for n in numbers if 0 <= n < segment_count))
        looks = found[key].visual_prompt if key in found else text(item, "visual_prompt") or name
        found[key] = Entity(key[0], found[key].name if key in found else name, looks, seen)
    return tuple(found.values())


class Draft:
    """Finds whole segments in a script that is still being written."""

    def __init__(self) -> None:
        self._text = ""
        self._at: int | None = None
        self.segments: list[ScriptSegment] = []

    def add(self, piece: str) -> bool:
        """Read on; whether there are more segments now."""
        self._text += piece
        before = len(self.segments)
        if "}" in piece:
            self.segments.extend(self._complete())
        return len(self.segments) > before

    def _complete(self) -> Iterator[ScriptSegment]:
        if self._at is None:
            start = re.search(r'"segments"\s*:\s*\[', self._text)
            if start is None:
                return
            self._at = start.end()
        while (begin := self._text.find("{", self._at)) >= 0:
            try:
                item, self._at = _DECODER.raw_decode(self._text, begin)
            except (ValueError, RecursionError):
                return
            if (segment := segment_of(item)) is not None:
                yield segment
