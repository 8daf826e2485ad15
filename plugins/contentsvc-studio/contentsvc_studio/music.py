"""Short pieces of music made by code, so that a film has some without a licence.

Each is a loop: what rings on beyond its end is mixed into its beginning.
"""

from __future__ import annotations

import math
import sys
import wave
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

RATE = 22050
PEAK = 0.7

Samples: TypeAlias = "array[float]"
Chord: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bed:
    """A piece: four bars of four beats, a chord a bar (MIDI numbers, the bass first).

    ``swing`` delays every other half beat, in beats. ``pluck`` and ``pad`` are levels 0 to 1.
    """

    title: str
    beats_per_minute: float
    chords: tuple[Chord, Chord, Chord, Chord]
    pattern: tuple[int, ...]
    pluck: float
    pad: float
    drums: float
    swing: float = 0.0
    brightness: float = 1.0


BEDS: Mapping[str, Bed] = {
    "morning": Bed(
        "Morning light",
        84,
        ((48, 60, 64, 67, 71), (45, 57, 60, 64, 67), (41, 53, 57, 60, 64), (43, 55, 59, 62, 69)),
        (1, 3, 2, 4, 3, 2, 4, 3),
        0.50,
        0.42,
        0.0,
    ),
    "stroll": Bed(
        "An easy stroll",
        100,
        ((41, 57, 60, 64, 67), (38, 57, 60, 62, 65), (43, 58, 62, 65, 69), (36, 55, 58, 62, 64)),
        (1, 0, 3, 2, 4, 0, 3, 2),
        0.55,
        0.22,
        0.34,
        swing=0.16,
    ),
    "spark": Bed(
        "A bright spark",
        118,
        ((45, 57, 61, 64, 69), (40, 56, 59, 64, 68), (42, 57, 61, 66, 69), (38, 57, 62, 66, 69)),
        (4, 2, 3, 2, 4, 3, 2, 3),
        0.50,
        0.25,
        0.50,
        brightness=1.25,
    ),
    "evening": Bed(
        "Late evening",
        70,
        ((45, 55, 60, 64, 71), (41, 56, 60, 65, 67), (48, 55, 59, 64, 67), (43, 53, 59, 62, 65)),
        (1, 0, 2, 0, 3, 0, 4, 0),
        0.38,
        0.55,
        0.10,
        brightness=0.8,
    ),
}


def names() -> tuple[str, ...]:
    """The pieces there are."""
    return tuple(BEDS)


def seconds_of(name: str) -> float:
    """How long a piece is; KeyError for an unknown one."""
    return 16 * 60 / BEDS[name].beats_per_minute


def render(name: str, path: Path) -> None:
    """Write a piece as WAV: 22,050 Hz, 16 bits, stereo. The same name gives the same bytes;
    KeyError for an unknown one."""
    left, right = _mixed(BEDS[name])
    factor = PEAK * 32767 / max(1e-9, *map(abs, left), *map(abs, right))
    frames = array("h", bytes(4 * len(left)))
    frames[0::2] = array("h", (round(value * factor) for value in left))
    frames[1::2] = array("h", (round(value * factor) for value in right))
    if sys.byteorder == "big":
        frames.byteswap()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())


class _Tape:
    """A loop in two channels; what is laid over its end goes on at its beginning."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.left: Samples = array("d", bytes(8 * length))
        self.right: Samples = array("d", bytes(8 * length))

    def lay(self, at: float, sound: Samples, level: float, pan: float = 0.0) -> None:
        """``at`` in seconds, ``pan`` from -1 (left) to 1."""
        lefts, rights = level * (1 - 0.6 * max(0.0, pan)), level * (1 + 0.6 * min(0.0, pan))
        start = round(at * RATE) % self.length
        for offset, value in enumerate(sound):
            where = (start + offset) % self.length
            self.left[where] += lefts * value
            self.right[where] += rights * value


def _mixed(bed: Bed) -> tuple[Samples, Samples]:
    beat = 60 / bed.beats_per_minute
    tape = _Tape(round(16 * beat * RATE))
    plucks: dict[int, Samples] = {}
    for bar, chord in enumerate(bed.chords):
        start = 4 * bar * beat
        for voice, note in enumerate(chord[1:]):
            pad = _pad(_hertz(note), 4 * beat, bed.brightness)
            tape.lay(start, pad, 0.22 * bed.pad, (-0.6, 0.3, -0.2, 0.6)[voice % 4])
        for half in (0, 3, 4):
            tape.lay(
                start + half * beat / 2 * (4 / 3 if half == 3 else 1), _bass(_hertz(chord[0]), beat), 0.42
            )
        for step, voice in enumerate(bed.pattern):
            if voice:
                note = chord[min(voice, len(chord) - 1)] + 12
                sound = plucks.setdefault(note, _pluck(_hertz(note), bed.brightness))
                late = bed.swing * beat / 2 if step % 2 else 0.0
                tape.lay(
                    start + step * beat / 2 + late, sound, bed.pluck * (1.0, 0.72)[step % 2], 0.5 - step % 2
                )
        if bed.drums:
            _drums(tape, bed, start, beat)
    return _with_room(tape.left), _with_room(tape.right)


def _hertz(note: int) -> float:
    return 440.0 * 2 ** ((note - 69) / 12)


def _sound(seconds: float, shape: Callable[[float], float]) -> Samples:
    return array("d", (shape(at / RATE) for at in range(round(seconds * RATE))))


def _pad(hertz: float, seconds: float, brightness: float) -> Samples:
    """A slow chord tone of two slightly detuned voices; it overlaps the next bar."""
    length, rise, fall = seconds * 1.2, seconds * 0.22, seconds * 0.4
    first, second, octave = (2 * math.pi * hertz * detune for detune in (0.9985, 1.0015, 2.0))

    def shape(t: float) -> float:
        level = min(1.0, t / rise, (length - t) / fall)
        tone = math.sin(first * t) + math.sin(second * t) + 0.22 * brightness * math.sin(octave * t)
        return level * level * (3 - 2 * level) * tone * 0.5

    return _sound(length, shape)


def _bass(hertz: float, beat: float) -> Samples:
    turn = 2 * math.pi * hertz

    def shape(t: float) -> float:
        level = min(1.0, t / 0.012) * math.exp(-2.6 * t / beat)
        return level * (math.sin(turn * t) + 0.24 * math.sin(2 * turn * t) + 0.07 * math.sin(3 * turn * t))

    return _sound(beat * 1.6, shape)


def _pluck(hertz: float, brightness: float) -> Samples:
    """A plucked string (Karplus and Strong, 1983): noise that a short delay turns into a tone."""
    period = max(2, round(RATE / hertz))
    rng = Random(period)  # noqa: S311 - a sound, not a secret
    string = [rng.uniform(-1, 1) for _ in range(period)]
    for _ in range(max(1, round(4 - 2.2 * brightness))):
        string = [(string[at] + string[at - 1]) / 2 for at in range(period)]
    # A mean would stay in the string as a constant push on the loudspeaker.
    mean = sum(string) / period
    string = [value - mean for value in string]
    sound = array("d", bytes(8 * round(1.5 * RATE)))
    loss = 0.5 * 0.9965
    for at in range(len(sound)):
        here = at % period
        sound[at] = string[here]
        string[here] = loss * (string[here] + string[(here + 1) % period])
    fade = round(0.25 * RATE)
    for at in range(fade):
        sound[-1 - at] *= at / fade
    return sound


def _drums(tape: _Tape, bed: Bed, start: float, beat: float) -> None:
    kick = _sound(
        0.22, lambda t: math.exp(-15 * t) * math.sin(2 * math.pi * (48 * t + 9 * (1 - math.exp(-30 * t))))
    )
    rng = Random(7)  # noqa: S311 - a sound, not a secret
    hat = _sound(0.05, lambda t: math.exp(-90 * t) * rng.uniform(-1, 1))
    brush = _sound(0.16, lambda t: math.exp(-24 * t) * rng.uniform(-1, 1))
    for at in (0.0, 2.0, 3.5):
        tape.lay(start + at * beat, kick, 0.9 * bed.drums)
    for step in range(8):
        late = bed.swing * beat / 2 if step % 2 else 0.0
        tape.lay(start + step * beat / 2 + late, hat, 0.22 * bed.drums * (0.6, 1.0)[step % 2], 0.4)
    for at in (1.0, 3.0):
        tape.lay(start + at * beat, brush, 0.34 * bed.drums, -0.3)


def _with_room(dry: Samples) -> Samples:
    """A little echo, around the loop as well."""
    length = len(dry)
    wet = array("d", dry)
    for seconds, level in ((0.071, 0.16), (0.113, 0.12), (0.173, 0.09)):
        delay = round(seconds * RATE) % length
        shifted = dry[-delay:] + dry[:-delay]
        for at in range(length):
            wet[at] += level * shifted[at]
    return wet
