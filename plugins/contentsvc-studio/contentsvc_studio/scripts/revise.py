"""Rewriting a script, also one that somebody else wrote: its people, its pictures and its
rhythm stay unless the instruction says otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from contentsvc.plugin import DialogueLine, ScriptSegment
from contentsvc_studio.scripts.beats import Beat, Purpose, durations, word_budgets
from contentsvc_studio.scripts.cast import Person
from contentsvc_studio.scripts.material import WORDS_PER_SECOND, Material, spoken_words
from contentsvc_studio.scripts.writer import Writer, clauses, spoken

_DIRECTION = re.compile(r"\s*Direction: [^\n]*$")


def beats_of(segments: Sequence[ScriptSegment], material: Material) -> list[Beat]:
    """What each segment of a script is for: told by the facts it speaks of, else by its place."""
    last = len(segments) - 1
    return [_beat_of(segment, at, last, material) for at, segment in enumerate(segments)]


def _beat_of(segment: ScriptSegment, at: int, last: int, material: Material) -> Beat:
    text = segment.narration.casefold()
    for point in material.points:
        if point.title.rstrip(".").casefold() in text:
            return Beat(Purpose.BENEFIT, point=point)
    story = next((each for each in material.sentences if each.rstrip(".").casefold() in text), None)
    if at in (0, last):
        return Beat(Purpose.HOOK if at == 0 and last else Purpose.CALL)
    if story is not None:
        return Beat(Purpose.STORY, text=story)
    if any(value.casefold() in text and name.casefold() in text for name, value in material.specs):
        return Beat(Purpose.PROOF)
    if at == 1:
        return Beat(Purpose.WORRY)
    unused = [point for point in material.points if point.title.rstrip(".").casefold() not in text]
    return Beat(Purpose.BENEFIT, point=unused[at % len(unused)]) if unused else Beat(Purpose.MOMENT)


def known_people(segments: Sequence[ScriptSegment], drawn: tuple[Person, Person]) -> tuple[Person, Person]:
    """The script's own speakers, as far as it has any; their looks are in its pictures."""
    speakers = list(
        dict.fromkeys(line.speaker for segment in segments for line in segment.dialogue if line.speaker)
    )
    people = [Person(name, drawn[at].look) for at, name in enumerate(speakers[:2])]
    first, second = [*people, *drawn[len(people) :]][:2]
    return first, second


def rewrite_one(writer: Writer, segments: Sequence[ScriptSegment], at: int) -> ScriptSegment:
    """Segment ``at`` anew, at the length it has."""
    old = segments[at]
    beat = beats_of(segments, writer.material)[at]
    writer.avoid.update((old.narration, *(line.line for line in old.dialogue)))
    seconds = min(60.0, max(1.0, round(old.duration_seconds * writer.wishes.length * 2) / 2))
    budget = max(2, int(seconds * WORDS_PER_SECOND))
    said = _rewritten(writer, old, beat, budget, at)
    return spoken(said, _directed(writer, old.visual_prompt), seconds)


def rewrite_all(
    writer: Writer, segments: Sequence[ScriptSegment], total: float | None
) -> list[ScriptSegment]:
    """The whole script anew, as many segments as it has."""
    beats = beats_of(segments, writer.material)
    writer.avoid.update(segment.narration for segment in segments)
    total = length_of(segments, writer, total)
    budgets = word_budgets(beats, total)
    said = [
        _rewritten(writer, old, beat, budget, at, quoted=at == len(segments) - 1)
        for at, (old, beat, budget) in enumerate(zip(segments, beats, budgets, strict=True))
    ]
    seconds = durations([sum(spoken_words(line.line) for line in lines) for lines in said], total)
    return [
        spoken(lines, _directed(writer, old.visual_prompt), length)
        for lines, old, length in zip(said, segments, seconds, strict=True)
    ]


def length_of(segments: Sequence[ScriptSegment], writer: Writer, asked: float | None) -> float:
    """Seconds of the new film: what is asked for, else those of the old one, shorter or longer on request."""
    now = sum(segment.duration_seconds for segment in segments)
    return asked if asked is not None else max(1.0 * len(segments), round(now * writer.wishes.length))


def _rewritten(
    writer: Writer, old: ScriptSegment, beat: Beat, budget: int, at: int, quoted: bool = True
) -> tuple[DialogueLine, ...]:
    """``quoted`` marks the segment that a line asked for word for word belongs to."""
    wishes = writer.wishes
    if wishes.line and quoted:
        return (DialogueLine(wishes.line),)
    if wishes.length < 1 and not wishes.tone and not wishes.audience:
        most = max(2, int(spoken_words(old.narration) * wishes.length))
        return _trimmed(old, min(budget, most)) or writer.say(beat, min(budget, most), at)
    if wishes.text and not wishes.is_understood and wishes.theme == "":
        # A wish for the picture: what is said stays.
        return old.dialogue or (DialogueLine(old.narration),)
    said = writer.say(beat, budget, at)
    if said == old.dialogue:
        # Every line for this beat is used up; the order of words is what is left to change.
        return writer.say(Beat(Purpose.MOMENT), budget, at)
    return said


def _trimmed(old: ScriptSegment, budget: int) -> tuple[DialogueLine, ...]:
    """The first whole clauses as far as the budget reaches; empty where not even one fits."""
    kept: list[DialogueLine] = []
    for line in old.dialogue or (DialogueLine(old.narration),):
        part = clauses(line.line, budget - sum(spoken_words(each.line) for each in kept))
        if not part:
            break
        kept.append(replace(line, line=part))
    return tuple(kept)


def _directed(writer: Writer, visual: str) -> str:
    """The picture as it was; an instruction that isn't about the words is its last word."""
    base = _DIRECTION.sub("", visual)
    wish = writer.wishes.text.rstrip(".")
    return f"{base} Direction: {wish}." if wish and not writer.wishes.is_understood else base
