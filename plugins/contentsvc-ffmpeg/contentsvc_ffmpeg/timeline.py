"""Where every clip lies in the film, in whole frames. Pure arithmetic.

Positions are rounded, not lengths: however many clips a film has, it is never more than
half a frame away from the sum of its cuts minus their overlaps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from contentsvc.plugin import ExportClip, TransitionType

RATES = (24, 25, 30)
SAMPLE_RATE = 48_000
HELD_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken of a clip; ``index`` is the clip's in the request, times in seconds."""

    index: int
    start: float
    seconds: float
    transition: TransitionType = TransitionType.NONE
    transition_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A cut in the film. ``first`` and ``frames`` say where; ``overlap`` is the number of
    frames shared with the next one, 0 for a hard cut."""

    cut: Cut
    first: int
    frames: int
    overlap: int

    @property
    def end(self) -> int:
        """The frame after the last."""
        return self.first + self.frames


@dataclass(frozen=True, slots=True)
class Film:
    """The cuts in their order at ``rate`` frames per second."""

    rate: int
    placed: tuple[Placed, ...]

    @property
    def frames(self) -> int:
        """Length of the film in frames."""
        return self.placed[-1].end

    @property
    def seconds(self) -> float:
        """Length of the film in seconds."""
        return self.frames / self.rate

    @property
    def samples(self) -> int:
        """Length of the film's sound, per channel."""
        return self.frames * self.samples_per_frame

    @property
    def samples_per_frame(self) -> int:
        """A whole number at each of the rates."""
        return SAMPLE_RATE // self.rate


def film_rate(footage: Sequence[tuple[float, float]]) -> int:
    """The rate most of the footage has, of :data:`RATES`; ``footage`` is (rate, seconds) of each clip.

    A constant rate must repeat or drop pictures wherever a clip has another one. Models
    deliver 24, phones 30: the majority stays smooth. 50 and 60 are halved, 12 and 15 doubled.
    """
    seconds = dict.fromkeys(RATES, 0.0)
    for rate, length in footage:
        seconds[_nearest(rate)] += length
    return max(RATES, key=lambda rate: seconds[rate])


def _nearest(rate: float) -> int:
    if rate <= 0:
        return RATES[-1]
    octaves = math.floor(math.log2(rate / 23.0))
    return min(RATES, key=lambda known: abs(known - rate / 2**octaves))


def cut_of(index: int, clip: ExportClip, length: float, lasts: float = 0.0) -> Cut | None:
    """What the request takes of a clip whose picture lasts ``length`` seconds; None where nothing is left.

    Sound often ``lasts`` longer than the picture, and whoever ordered the film has counted
    with it: the last picture is then held, and all that follows keeps its time.
    """
    start = max(0.0, clip.trim_start)
    most = max(length, lasts) + HELD_SECONDS
    end = length if clip.trim_end is None or clip.trim_end > most else clip.trim_end
    if end <= start:
        return None
    # A single picture may last less than one of the film's.
    seconds = max(end - start, 1 / RATES[0])
    return Cut(index, start, seconds, clip.transition, clip.transition_seconds)


def lay_out(cuts: Sequence[Cut], rate: int) -> Film:
    """The film of at least one cut. Transitions are shortened where the clips are too short."""
    overlaps = _overlaps(cuts, 1 / rate)
    begins, ends, at = [], [], 0.0
    for cut, overlap in zip(cuts, overlaps, strict=True):
        begins.append(_frame(at, rate))
        ends.append(_frame(at + cut.seconds, rate))
        at += cut.seconds - overlap
    following = [*begins[1:], ends[-1]]
    return Film(
        rate,
        tuple(
            Placed(cut, first, end - first, end - after)
            for cut, first, end, after in zip(cuts, begins, ends, following, strict=True)
        ),
    )


def _overlaps(cuts: Sequence[Cut], frame: float) -> list[float]:
    """Seconds each cut shares with the next: no clip gives more than it has to its two transitions."""
    wished = [_wish(cut, min(cut.seconds, after.seconds), frame) for cut, after in pairwise(cuts)]
    shares = [1.0] * len(cuts)
    for at in range(1, len(cuts) - 1):
        asked, given = wished[at - 1] + wished[at], cuts[at].seconds
        if asked > given:
            shares[at] = given / asked
    granted = [wish * min(shares[at], shares[at + 1]) for at, wish in enumerate(wished)]
    return [*(seconds if seconds >= frame else 0.0 for seconds in granted), 0.0]


def _wish(cut: Cut, most: float, frame: float) -> float:
    if cut.transition is TransitionType.NONE:
        return 0.0
    seconds = min(cut.transition_seconds, most)
    return seconds if seconds >= frame else 0.0


def _frame(seconds: float, rate: int) -> int:
    return math.floor(seconds * rate + 0.5)
