"""The dramaturgy: how many shots a film has, what each is for, how long each lasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from contentsvc_studio.scripts.material import WORDS_PER_SECOND, Material, Point

FEWEST, MOST = 3, 8
SHORTEST, LONGEST = 1.0, 60.0
NATURAL = 5.0
PAUSE = 0.3


class Purpose(StrEnum):
    """What a shot is for."""

    HOOK = "hook"
    WORRY = "worry"
    REVEAL = "reveal"
    BENEFIT = "benefit"
    STORY = "story"
    PROOF = "proof"
    MOMENT = "moment"
    CALL = "call"


# How much of the film's words each kind of shot may take, relative to the others.
SHARES = {
    Purpose.HOOK: 0.9,
    Purpose.WORRY: 1.0,
    Purpose.REVEAL: 0.7,
    Purpose.BENEFIT: 1.25,
    Purpose.STORY: 1.25,
    Purpose.PROOF: 1.2,
    Purpose.MOMENT: 0.8,
    Purpose.CALL: 0.95,
}


@dataclass(frozen=True, slots=True)
class Beat:
    """A shot to write. ``point`` is the benefit's, ``text`` the story's sentence."""

    purpose: Purpose
    point: Point | None = None
    text: str = ""


def count_of(material: Material, total: float | None, asked: int | None) -> int:
    """How many shots suit the film: about five seconds each, one a selling point."""
    points = len(material.points)
    wanted = points + 3 + bool(material.specs)
    if asked is not None:
        return max(1, asked if total is None else min(asked, int(total / 1.5)))
    if total is None:
        return min(MOST, max(FEWEST + 1, wanted))
    low, high = max(FEWEST, round(total / 5.5)), max(FEWEST, int(total / 4))
    count = min(max(wanted, low), high)
    if count < points + 2:
        count = max(count, min(points + 2, int(total / 3)))
    # Films longer than eight shots of twelve seconds get more shots, not endless ones.
    return max(FEWEST, min(count, max(MOST, math.ceil(total / 12))))


def plan(material: Material, count: int) -> list[Beat]:
    """The beats of a film of ``count`` shots, in their order."""
    if count == 1:
        return [Beat(Purpose.CALL)]
    room = count - 2
    benefits = [Beat(Purpose.BENEFIT, point=point) for point in material.points[:room]]
    room -= len(benefits)
    worry, room = _take([Beat(Purpose.WORRY)], room)
    proof, room = _take([Beat(Purpose.PROOF)] if material.specs else [], room)
    stories, room = _take([Beat(Purpose.STORY, text=text) for text in material.sentences], room, 1)
    reveal, room = _take([Beat(Purpose.REVEAL)], room)
    more, room = _take([Beat(Purpose.STORY, text=text) for text in material.sentences[1:]], room)
    moments = [Beat(Purpose.MOMENT) for _ in range(room)]
    return [
        Beat(Purpose.HOOK),
        *worry,
        *reveal,
        *stories,
        *_woven(benefits, [*more, *moments]),
        *proof,
        Beat(Purpose.CALL),
    ]


def _take(beats: list[Beat], room: int, most: int = 99) -> tuple[list[Beat], int]:
    taken = beats[: min(room, most)]
    return taken, room - len(taken)


def _woven(benefits: list[Beat], others: list[Beat]) -> list[Beat]:
    """The others spread between the benefits."""
    result: list[Beat] = []
    left = list(others)
    for at, benefit in enumerate(benefits):
        result.append(benefit)
        due = round(len(others) * (at + 1) / len(benefits)) - (len(others) - len(left))
        result.extend(left[:due])
        left = left[due:]
    return [*result, *left]


def word_budgets(beats: list[Beat], total: float | None) -> list[int]:
    """The most words each shot may say; without a total about five seconds' worth."""
    seconds = total if total is not None else NATURAL * len(beats)
    words = max(0.0, (seconds - PAUSE * len(beats)) * WORDS_PER_SECOND)
    weight = sum(SHARES[beat.purpose] for beat in beats)
    return [max(2, int(words * SHARES[beat.purpose] / weight)) for beat in beats]


def durations(words: list[int], total: float | None) -> list[float]:
    """Seconds of each shot, each 1 to 60: long enough for its words, in half seconds where
    the film is long enough, adding up to ``total`` where there is one."""
    least = SHORTEST if total is None else max(SHORTEST, min(3.0, 0.6 * total / len(words)))
    needed = [max(least, count / WORDS_PER_SECOND + PAUSE) for count in words]
    if total is None:
        return [min(8.0, max(3.0, math.ceil(2 * (seconds + 0.4)) / 2)) for seconds in needed]
    total = min(LONGEST * len(words), max(SHORTEST * len(words), total))
    # Everybody gets the same rest; what the words need comes first.
    rest = (total - sum(needed)) / len(needed)
    wished = [seconds + rest for seconds in needed] if rest >= 0 else _squeezed(needed, total)
    step = 0.5 if total / len(words) >= 2.5 else 0.1
    return _on_grid([min(LONGEST, each) for each in wished], total, step)


def _squeezed(needed: list[float], total: float) -> list[float]:
    spare = sum(needed) - SHORTEST * len(needed)
    factor = (total - SHORTEST * len(needed)) / spare if spare else 0.0
    return [SHORTEST + (seconds - SHORTEST) * factor for seconds in needed]


def _on_grid(seconds: list[float], total: float, step: float) -> list[float]:
    """Multiples of ``step`` whose sum is the total's nearest; the largest remainders win."""
    units = round(total / step)
    low, high = math.ceil(SHORTEST / step), round(LONGEST / step)
    whole = [min(high, max(low, math.floor(each / step + 1e-9))) for each in seconds]
    order = sorted(range(len(seconds)), key=lambda at: (whole[at] * step - seconds[at], at))
    while sum(whole) != units:
        grow = 1 if sum(whole) < units else -1
        movable = [at for at in (order if grow > 0 else reversed(order)) if low <= whole[at] + grow <= high]
        if not movable:
            break
        for at in movable[: abs(units - sum(whole))]:
            whole[at] += grow
    return [round(each * step, 1) for each in whole]
