"""What is seen in a shot, in words a picture or video model can use.

Every description has the same shape, so that people and places are found again: the
place and the time of day, the kind of shot with who and what is in it, light, camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from contentsvc_studio.scripts.beats import Purpose
from contentsvc_studio.scripts.cast import Person, Place
from contentsvc_studio.scripts.material import Material
from contentsvc_studio.scripts.wishes import Wishes

FORMATS = {"9:16": "vertical", "2:3": "vertical", "3:4": "upright", "1:1": "square"}
TIMES = ("early morning", "morning", "late afternoon", "evening")
LIGHT = {
    "funny": "bright, colourful light",
    "formal": "even, neutral light",
    "warm": "warm, low sunlight",
    "bold": "hard light with strong contrast",
    "calm": "soft, dim light",
    "neutral": "soft natural light",
}
CAMERA = {
    Purpose.HOOK: ("Slow push in", "Quick push in"),
    Purpose.WORRY: ("Slow pan to the right", "Slow pull out"),
    Purpose.REVEAL: ("Slow push in", "Slow tilt up"),
    Purpose.BENEFIT: ("Slow push in", "Slow pan to the left", "Gentle drift to the right"),
    Purpose.STORY: ("Slow pan to the right", "Gentle drift to the left"),
    Purpose.PROOF: ("Slow tilt down", "Slow push in"),
    Purpose.MOMENT: ("Slow pull out", "Slow tilt up"),
    Purpose.CALL: ("Slow pull out", "Slow push in"),
}
# Shots with people take {person}; {product} is the product's name.
WITH_PERSON = {
    Purpose.HOOK: (
        "Medium shot of {person} looking straight at us",
        "Medium shot of {person} stopping and looking up",
    ),
    Purpose.WORRY: (
        "Wide shot of {person} sighing and looking away",
        "Close shot of {person} rubbing tired eyes",
    ),
    Purpose.REVEAL: ("Medium shot of {person} setting down the {product}",),
    Purpose.BENEFIT: (
        "Medium shot of {person} holding the {product} in both hands",
        "Close shot of {person} turning the {product} in the light",
        "Medium shot of {person} showing the {product} to us",
    ),
    Purpose.STORY: (
        "Wide shot of {person} with the {product}",
        "Medium shot of {person} reaching for the {product}",
    ),
    Purpose.CALL: ("Medium shot of {person} smiling with the {product}",),
}
WITHOUT = {
    Purpose.HOOK: ("Extreme close-up of the {product}, out of focus, then sharp",),
    Purpose.REVEAL: ("Close-up of the {product}, alone in the light", "Low-angle shot of the {product}"),
    Purpose.BENEFIT: (
        "Close-up of the {product}, every detail sharp",
        "Top view of the {product}",
        "Low-angle shot of the {product}, light from one side",
    ),
    Purpose.STORY: ("Wide shot of the place with the {product} in the foreground",),
    Purpose.PROOF: ("Top view of the {product} on a plain surface", "Close-up of the {product}, side on"),
    Purpose.MOMENT: ("Close-up of the {product}, light moving over it", "Low-angle shot of the {product}"),
    Purpose.CALL: ("Close-up of the {product}, centred, calm space above it",),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """Describes the shots of one film; ``used`` are those that were seen, to be repeated last."""

    material: Material
    wishes: Wishes
    rng: Random
    people: tuple[Person, Person]
    places: tuple[Place, Place]
    aspect_ratio: str
    used: set[str]

    def describe(self, purpose: Purpose, at: int, count: int, speaker: str | None) -> str:
        """The visual prompt of shot ``at`` of ``count``; whoever speaks is in the picture."""
        place = self._place(purpose, at, count)
        person = self._person(purpose, speaker)
        table = WITH_PERSON if person is not None and purpose in WITH_PERSON else WITHOUT
        shots = table.get(purpose, WITHOUT[Purpose.MOMENT])
        shot = self.rng.choice([each for each in shots if each not in self.used] or shots)
        self.used.add(shot)
        who = person.introduced if person is not None else ""
        seen = shot.format(person=who, product=self.material.short).rstrip(",")
        light = LIGHT[self.wishes.tone or "neutral"]
        camera = self.rng.choice(CAMERA[purpose])
        shape = FORMATS.get(self.aspect_ratio, "wide")
        mood = f" Mood: {self.wishes.theme}." if self.wishes.theme else ""
        return (
            f"{place.name}, {self._time(at, count)}: {place.detail}. {seen}. {light.capitalize()}.{mood} "
            f"{camera}, {shape} {self.aspect_ratio} frame."
        )

    def _place(self, purpose: Purpose, at: int, count: int) -> Place:
        """The story moves once: from where the trouble is to where it's gone."""
        if purpose in (Purpose.HOOK, Purpose.WORRY):
            return self.places[1]
        return self.places[0] if at <= count * 0.75 or purpose is Purpose.CALL else self.places[1]

    def _person(self, purpose: Purpose, speaker: str | None) -> Person | None:
        if speaker is not None:
            return next((person for person in self.people if person.name == speaker), self.people[0])
        if purpose in (Purpose.HOOK, Purpose.WORRY):
            return self.people[0]
        return self.people[0] if purpose in WITH_PERSON and self.rng.random() < 0.45 else None

    def _time(self, at: int, count: int) -> str:
        words = self.wishes.text.lower()
        named = next(
            (time for time in ("night", "sunset", "morning", "evening", "noon") if time in words), None
        )
        if named:
            return named
        start = sum(map(ord, self.material.name)) % (len(TIMES) - 1)
        return TIMES[start + (at * 2 >= count)]
