"""Picture ratios: the contract's seven, and the nearest a model knows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum


class Ratio(StrEnum):
    """Width to height."""

    SQUARE = "1:1"
    PORTRAIT_3_4 = "3:4"
    LANDSCAPE_4_3 = "4:3"
    PORTRAIT_2_3 = "2:3"
    LANDSCAPE_3_2 = "3:2"
    PORTRAIT_9_16 = "9:16"
    LANDSCAPE_16_9 = "16:9"


def aspect(ratio: str) -> float:
    """Width divided by height of a ratio written as ``3:4``."""
    width, _, height = ratio.partition(":")
    return float(width) / float(height)


def nearest(ratio: str, known: Iterable[str]) -> str:
    """Of the ratios a model knows, the one whose shape is closest; ``ratio`` if none is named."""
    choices = list(known)
    if not choices or ratio in choices:
        return ratio
    wanted = math.log(aspect(ratio))
    return min(choices, key=lambda choice: abs(math.log(aspect(choice)) - wanted))
