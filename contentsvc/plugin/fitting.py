"""Fitting what was ordered into what a model makes: its shapes, resolutions and lengths are its options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

_SHAPE: Final = re.compile(r"([1-9]\d{0,4})[:x*×]([1-9]\d{0,4})")
_RESOLUTION: Final = re.compile(r"(\d{1,5})(k?)", re.IGNORECASE)
_LINES_OF_A_K: Final = 540
_MOST_SECONDS: Final = 3600
# What a second's hundredth more than a whole one is worth: nothing.
_SLACK: Final = 0.01


def nearest_ratio(asked: str, offered: Iterable[object]) -> str | None:
    """Of the shapes a model offers, the one closest to the one asked for.

    Shapes are written ``9:16``, or as sizes in pixels: ``1080x1920``, ``1080*1920``. What can't be
    read is passed over; None where nothing is left, or ``asked`` can't be read.
    """
    wanted = _log_aspect(asked)
    shapes = {shape: aspect for shape in offered if (aspect := _log_aspect(shape)) is not None}
    if wanted is None or not shapes:
        return None
    return str(min(shapes, key=lambda shape: abs(shapes[shape] - wanted)))


def fitting_resolution(asked: str, offered: Iterable[str]) -> str:
    """Of the resolutions a model offers, such as ``720p`` or ``4k``, the largest up to the one asked for.

    The smallest where all are larger; ``asked`` where none is offered.
    """
    by_lines = {_lines(name): name for name in offered}
    if not by_lines:
        return asked
    fitting = [lines for lines in by_lines if lines <= _lines(asked)]
    return by_lines[max(fitting)] if fitting else by_lines[min(by_lines)]


def whole_seconds(asked: float, least: float, most: float) -> int:
    """Whole seconds between the two, no fewer than asked for: a clip may be cut shorter, never longer."""
    return int(max(least, math.ceil(min(most, asked - _SLACK, _MOST_SECONDS))))


def _log_aspect(shape: object) -> float | None:
    """The logarithm of width to height: as far from square upright as lying."""
    found = _SHAPE.fullmatch(shape) if isinstance(shape, str) else None
    return math.log(int(found[1]) / int(found[2])) if found else None


def _lines(resolution: str) -> int:
    found = _RESOLUTION.match(resolution)
    if found is None:
        return 4 * _LINES_OF_A_K
    return int(found[1]) * (_LINES_OF_A_K if found[2] else 1)
