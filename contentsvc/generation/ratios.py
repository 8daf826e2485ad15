"""The contract's seven picture ratios."""

from __future__ import annotations

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
