"""From beats to segments: what is said, what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from contentsvc.plugin import DialogueLine, ScriptSegment
from contentsvc_studio.scripts import lines
from contentsvc_studio.scripts.beats import Beat, Purpose
from contentsvc_studio.scripts.cast import Person, Place
from contentsvc_studio.scripts.material import Material, sentence, spoken_words
from contentsvc_studio.scripts.pictures import Frame
from contentsvc_studio.scripts.wishes import Wishes

# Two lines of dialogue and the narrator's answer need some room.
ROOM_FOR_TALK = 9
TABLES: Mapping[Purpose, lines.Lines] = {
    Purpose.REVEAL: lines.REVEAL,
    Purpose.PROOF: lines.PROOF,
    Purpose.MOMENT: lines.MOMENT,
    Purpose.CALL: lines.CALL,
}


@dataclass(slots=True)
class Writer:
    """Writes one film. Lines are not used twice; ``avoid`` holds texts to stay away from."""

    material: Material
    wishes: Wishes
    rng: Random
    people: tuple[Person, Person]
    places: tuple[Place, Place]
    aspect_ratio: str
    kind: str
    hook_by_person: bool = False
    avoid: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def say(self, beat: Beat, budget: int, number: int) -> tuple[DialogueLine, ...]:
        """What is heard in a shot, at most about ``budget`` words; ``number`` counts the
        benefits from 0."""
        match beat.purpose:
            case Purpose.CALL if self.wishes.line:
                return (DialogueLine(self.wishes.line),)
            case Purpose.HOOK:
                return self._hook(budget)
            case Purpose.WORRY:
                return self._worry(budget)
            case Purpose.BENEFIT:
                return self._benefit(beat, budget, number)
            case Purpose.STORY:
                return (DialogueLine(fitted(beat.text, budget)),)
        return self._narrated(TABLES[beat.purpose], budget)

    def segment(
        self, beat: Beat, said: Sequence[DialogueLine], seconds: float, at: int, count: int
    ) -> ScriptSegment:
        """The finished segment ``at`` of ``count``."""
        frame = Frame(
            self.material, self.wishes, self.rng, self.people, self.places, self.aspect_ratio, self.seen
        )
        speaker = next((line.speaker for line in said if line.speaker), None)
        return spoken(said, frame.describe(beat.purpose, at, count, speaker), seconds)

    def _hook(self, budget: int) -> tuple[DialogueLine, ...]:
        """The theme where there is one and it fits, else a line that stops the thumb."""
        tone = self.wishes.tone or "neutral"
        themed = [line for name in (tone, "neutral") for line in lines.HOOK[name] if "{theme}" in line]
        for text in self._usable(themed, budget):
            self.avoid.add(text)
            return (DialogueLine(text),)
        said = self._narrated(lines.HOOK, budget)
        return (DialogueLine(said[0].line, self.people[0].name),) if self.hook_by_person else said

    def _narrated(self, table: lines.Lines, budget: int) -> tuple[DialogueLine, ...]:
        """A line of the tone, else of the neutral ones."""
        tone = self.wishes.tone or "neutral"
        own = self._usable(table.get(tone, ()), budget)
        found = own or self._usable(table["neutral"], budget)
        if not found:
            shortest = min((*table.get(tone, ()), *table["neutral"]), key=spoken_words)
            found = [fitted(self._filled(shortest), budget)] if self._fields_known(shortest) else []
        if not found:
            found = [fitted(sentence(self.material.name), budget)]
        chosen = self.rng.choice(found)
        self.avoid.add(chosen)
        return (DialogueLine(chosen),)

    def _usable(self, table: Sequence[str], budget: int) -> list[str]:
        texts = [self._filled(line) for line in table if self._fields_known(line)]
        fitting = [text for text in texts if spoken_words(text) <= budget and text not in self.avoid]
        # Single words are for films that leave no room for more.
        return [text for text in fitting if 2 * spoken_words(text) >= min(budget, 8)] or fitting

    def _worry(self, budget: int) -> tuple[DialogueLine, ...]:
        found = self._usable(lines.WORRY[self.kind], budget) or self._usable(lines.WORRY["anything"], budget)
        complaint = self._pick(self._usable(lines.COMPLAINTS, budget) or lines.COMPLAINTS[:1])
        if not found:
            return (DialogueLine(complaint, self.people[0].name),)
        text = self.rng.choice(found)
        self.avoid.add(text)
        if spoken_words(text) + spoken_words(complaint) <= budget:
            return (DialogueLine(text), DialogueLine(complaint, self.people[0].name))
        if spoken_words(complaint) <= budget and self.rng.random() < 0.5:
            return (DialogueLine(complaint, self.people[0].name),)
        return (DialogueLine(text),)

    def _benefit(self, beat: Beat, budget: int, number: int) -> tuple[DialogueLine, ...]:
        if beat.point is None:
            raise ValueError("a benefit needs its selling point")
        title, detail = beat.point.title, beat.point.detail
        whole = f"{title} {detail}".strip()
        if spoken_words(whole) > budget:
            part = clauses(detail, budget - spoken_words(title))
            whole = f"{title} {part}" if part else fitted(title, budget)
        room = budget - spoken_words(whole)
        if number % 2 == 0 and budget >= ROOM_FOR_TALK:
            person = self.people[(number // 2) % 2].name
            question, reply = self._pick(lines.QUESTIONS), self._pick(lines.REPLIES)
            if spoken_words(question) <= room:
                return (DialogueLine(question, person), DialogueLine(whole))
            if spoken_words(reply) <= room:
                return (DialogueLine(whole), DialogueLine(reply, person))
        tone = self.wishes.tone or "neutral"
        leads = self._usable(lines.LEAD[tone], room) if room > 0 else []
        if not leads:
            return (DialogueLine(whole),)
        lead = leads[0] if number == 0 else self.rng.choice(leads)
        self.avoid.add(lead)
        return (DialogueLine(f"{lead} {whole}"),)

    def _pick(self, table: Sequence[str]) -> str:
        fresh = [line for line in table if line not in self.avoid] or list(table)
        chosen = self.rng.choice(fresh)
        self.avoid.add(chosen)
        return chosen

    def _fields(self) -> Mapping[str, str]:
        material = self.material
        facts = [f"{name} {value}" for name, value in material.specs]
        self_audience = self.wishes.audience or material.audience
        return {
            "name": material.name,
            "audience": self_audience,
            "theme": sentence(self.wishes.theme).rstrip("."),
            "facts": ", ".join(facts[: 2 if len(facts) < 4 else 3]),
        }

    def _fields_known(self, line: str) -> bool:
        return all(value or f"{{{name}}}" not in line for name, value in self._fields().items())

    def _filled(self, line: str) -> str:
        return sentence(line.format(**self._fields())).replace("?.", "?").replace("!.", "!")


def spoken(said: Sequence[DialogueLine], visual: str, seconds: float) -> ScriptSegment:
    """A segment whose narration is its dialogue as one text."""
    return ScriptSegment(" ".join(line.line for line in said), visual, seconds, tuple(said))


def fitted(text: str, budget: int) -> str:
    """Whole sentences as far as the budget reaches, else whole clauses, else the first words."""
    if part := clauses(text, budget):
        return part
    words = text.split()
    return sentence(" ".join(words[: max(2, budget)]).rstrip(",;:.")) if len(words) > 1 else text[:40]


def clauses(text: str, budget: int) -> str:
    """As many whole sentences as the budget allows, else whole clauses; empty for none."""
    if spoken_words(text) <= budget:
        return text
    for mark in (". ", ", "):
        kept = ""
        for part in text.split(mark):
            longer = f"{kept}{mark}{part}" if kept else part
            if spoken_words(longer) > budget:
                break
            kept = longer
        if spoken_words(kept) >= 2:
            return sentence(kept.rstrip(",;: "))
    return ""
