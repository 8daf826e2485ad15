"""Characters: who speaks, who is introduced by name, who is only described."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from contentsvc.plugin import Entity, EntityType, ScriptSegment
from contentsvc_studio.entities import words

LONGEST_PROMPT = 400
_PERSON = "|".join(sorted(map(re.escape, words.PEOPLE), key=len, reverse=True))
_NAME = r"\b[A-Z\u00c0-\u00de][\w\u00e0-\u00ff'-]{1,30}(?: [A-Z\u00c0-\u00de][\w\u00e0-\u00ff'-]{1,30})?"
_INTRODUCED = re.compile(
    rf"({_NAME})(?:, | \()((?:an?|the|her|his) [^.;:()]{{0,120}}?\b(?:{_PERSON})\b[^.;:,()]*)"
)
_ACTING = re.compile(rf"({_NAME}) (?:\w+ly )?(?:{'|'.join(words.VERBS)})\b")
_DESCRIBED = re.compile(
    rf"\b(?:an?|the|two|three)\s+((?:[\w-]+\s+){{0,3}}?(?:{_PERSON})s?)\b([^.;:]*)", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?。])\s*")


@dataclass(slots=True)
class _Found:
    look: str = ""
    segments: set[int] = field(default_factory=set)


def find_people(segments: Sequence[ScriptSegment], product_words: frozenset[str]) -> list[Entity]:
    """Everybody in the script, in the order of their first appearance."""
    named = _named(segments, product_words)
    for at, segment in enumerate(segments):
        for name, found in named.items():
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _text(segment)):
                found.segments.add(at)
    described = _described(segments, " ".join(found.look for found in named.values()))
    both = {**named, **described}
    order = sorted(both, key=lambda name: (min(both[name].segments, default=0), list(both).index(name)))
    return [
        Entity(
            EntityType.CHARACTER,
            name,
            _prompt(name, both[name].look, segments, both[name].segments),
            tuple(sorted(both[name].segments)),
        )
        for name in order
    ]


def is_narrator(speaker: str | None) -> bool:
    """Whether a speaker is a voice and not a person of the film."""
    return speaker is None or not speaker.strip() or speaker.strip().lower() in words.NARRATORS


def _text(segment: ScriptSegment) -> str:
    return f"{segment.visual_prompt}\n{segment.narration}"


def _named(segments: Sequence[ScriptSegment], product_words: frozenset[str]) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for at, segment in enumerate(segments):
        for line in segment.dialogue:
            if not is_narrator(line.speaker):
                found.setdefault(str(line.speaker).strip(), _Found()).segments.add(at)
        for match in _INTRODUCED.finditer(segment.visual_prompt):
            name = _a_name(match.group(1), product_words)
            if name:
                person = found.setdefault(name, _Found())
                person.look = person.look or match.group(2).strip()
                person.segments.add(at)
        for match in _ACTING.finditer(segment.visual_prompt):
            name = _a_name(match.group(1), product_words)
            if name:
                found.setdefault(name, _Found()).segments.add(at)
    return found


def _a_name(text: str, product_words: frozenset[str]) -> str:
    """The text where it can be a person's name; its last word where only that can."""
    parts = [part for part in text.split() if part not in words.NOT_NAMES]
    if not parts or any(part.lower() in product_words for part in parts):
        return ""
    common = {word.lower() for word in (*words.PEOPLE, *words.PLACES, *words.TIMES)}
    return "" if any(part.lower() in common for part in parts) else " ".join(parts)


def _described(segments: Sequence[ScriptSegment], known_looks: str) -> dict[str, _Found]:
    """People without a name, unless they are one of the named ones seen again."""
    found: dict[str, _Found] = {}
    for at, segment in enumerate(segments):
        bare = _INTRODUCED.sub(" ", segment.visual_prompt)
        for match in _DESCRIBED.finditer(bare):
            noun = match.group(1).split()[-1].lower().rstrip("s")
            if noun and noun in known_looks.lower():
                continue
            name = _merged(match.group(1).strip().capitalize(), found)
            person = found.setdefault(name, _Found())
            person.look = person.look or f"{match.group(1).strip()}{match.group(2)}".strip()
            person.segments.add(at)
        for sign in words.CHINESE_PEOPLE:
            if sign in segment.visual_prompt:
                found.setdefault(sign, _Found()).segments.add(at)
    return found


def _merged(name: str, found: dict[str, _Found]) -> str:
    """A shorter or longer description of the same kind of person is the same person."""
    for known in found:
        if known.lower().rpartition(" ")[2] == name.lower().rpartition(" ")[2]:
            mine, theirs = set(name.lower().split()), set(known.lower().split())
            if mine <= theirs or theirs <= mine:
                return known
    return name


def _prompt(name: str, look: str, segments: Sequence[ScriptSegment], where: set[int]) -> str:
    if look:
        text = look if look.lower().startswith(name.lower()) else f"{name}, {look}"
        return text[:LONGEST_PROMPT]
    for at in sorted(where):
        for part in _SENTENCE.split(segments[at].visual_prompt):
            if name in part:
                return f"{name}: {part.strip()}"[:LONGEST_PROMPT]
    return f"{name}, a person of this film"
