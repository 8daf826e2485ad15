"""Pixels of a ratio: the short side is always 1080, and the ratio is met exactly."""

from __future__ import annotations

from contentsvc.plugin import ProviderError

SHORT_SIDE = 1080

SIZES = {
    "1:1": (1080, 1080),
    "3:4": (1080, 1440),
    "4:3": (1440, 1080),
    "2:3": (1080, 1620),
    "3:2": (1620, 1080),
    "9:16": (1080, 1920),
    "16:9": (1920, 1080),
}


def size_for(ratio: str) -> tuple[int, int]:
    """Width and height in pixels; ProviderError for a ratio outside the contract."""
    try:
        return SIZES[ratio]
    except KeyError:
        raise ProviderError(f"Studio makes no pictures of the ratio {ratio[:16]!r}.") from None
