"""Scenes: places that open a visual prompt like a heading, or that things happen in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from contentsvc.plugin import Entity, EntityType, ScriptSegment
from contentsvc_studio.entities import words

LONGEST_PROMPT = 400
_PLACE = "|".join(sorted(map(re.escape, words.PLACES), key=len, reverse=True))
_TIME = "|".join(words.TIMES)
_HEADING = re.compile(
    rf"^\s*(?:(?:INT|EXT)\.?(?:/(?:INT|EXT)\.?)?\s+)?([^.,:;\u2013\u2014\n-]{{2,48}}?)\s*"
    rf"(?:[,\u2013\u2014-]\s*[^.:;,\n]{{0,20}}?\b(?:{_TIME})\b[^.:;,\n]{{0,12}})?\s*[.,:;\u2013\u2014-]\s*([^.\n]*)",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"\b(?:in|at|on|inside|into|through|across|along|near|outside|by|enters|leaves)\s+"
    rf"(?:an?|the|his|her|their|our|my|your)\s+((?:[\w'-]+\s+){{0,3}}?(?:{_PLACE}))\b",
    re.IGNORECASE,
)
_ENDS_IN_PLACE = re.compile(rf"(?:^|\s)({_PLACE})$", re.IGNORECASE)
_INTO = re.compile(r"^(?:in|at|on|inside|outside|near)\s+(?:an?\s+|the\s+)?", re.IGNORECASE)
_PEOPLE = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, (*words.PEOPLE, *words.VERBS)))})s?\b|"
    rf"{'|'.join(words.CHINESE_PEOPLE)}",
    re.IGNORECASE,
)
_TIME_ONLY = re.compile(rf"\b(?:{_TIME})\b", re.IGNORECASE)


@dataclass(slots=True)
class _Found:
    detail: str
    segments: set[int] = field(default_factory=set)


def find_places(segments: Sequence[ScriptSegment]) -> list[Entity]:
    """The places of the script, in the order of their first appearance."""
    found: dict[str, _Found] = {}
    for at, segment in enumerate(segments):
        for name, detail in _places_of(segment.visual_prompt):
            known = _same_place(name, found)
            found.setdefault(known, _Found(detail)).segments.add(at)
    return [
        Entity(EntityType.SCENE, name, _prompt(name, place.detail), tuple(sorted(place.segments)))
        for name, place in found.items()
    ]


def _places_of(text: str) -> list[tuple[str, str]]:
    """Names and details; a heading names the shot's one place."""
    heading = _HEADING.match(text)
    if heading and _names_a_place(heading.group(1), heading.group(0)):
        return [(_capital(_INTO.sub("", heading.group(1))), heading.group(2).strip())]
    inside = [(_capital(match.group(1)), text[: match.end()].strip()) for match in _INSIDE.finditer(text)]
    chinese = [(sign, text) for sign in words.CHINESE_PLACES if sign in text]
    return [*inside[:2], *chinese[:1]]


def _names_a_place(name: str, heading: str) -> bool:
    if len(name.split()) > 5 or re.match(
        r"(?:an?|the)\s|close|medium|wide|shot|top|camera", name, re.IGNORECASE
    ):
        return False
    if heading.lstrip().upper().startswith(("INT", "EXT")) or _ENDS_IN_PLACE.search(name):
        return True
    rest = heading[len(name) :].split(":", maxsplit=1)[0]
    return ":" in heading and bool(_TIME_ONLY.search(rest))


def _same_place(name: str, found: dict[str, _Found]) -> str:
    """A known place of the same noun with the same or fewer, or more, words around it."""
    noun = _noun(name)
    for known in found:
        if _noun(known) == noun:
            mine, theirs = set(name.lower().split()), set(known.lower().split())
            if mine <= theirs or theirs <= mine:
                return known
    return name


def _noun(name: str) -> str:
    match = _ENDS_IN_PLACE.search(name)
    return (match.group(1) if match else name).lower()


def _capital(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + (text[1:].lower() if text.isupper() else text[1:])


def _prompt(name: str, detail: str) -> str:
    """A place to be filmed in later: what people do there isn't part of it."""
    shown = detail if detail and not _PEOPLE.search(detail) else ""
    return f"{name}: {shown}, no people"[:LONGEST_PROMPT] if shown else f"{name}, no people"
