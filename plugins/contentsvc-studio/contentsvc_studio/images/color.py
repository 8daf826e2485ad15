"""Colours as 8-bit RGB triples, reasoned about in OKLCH (Björn Ottosson, 2020).

OKLCH keeps lightness and chroma comparable between hues, which is what lets one set
of numbers give a usable palette for every hue.
"""

from __future__ import annotations

import math
from typing import TypeAlias

RGB: TypeAlias = tuple[int, int, int]

WHITE: RGB = (255, 255, 255)
BLACK: RGB = (0, 0, 0)


def _to_linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _from_linear(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def to_oklch(rgb: RGB) -> tuple[float, float, float]:
    """Lightness 0 to 1, chroma 0 to about 0.37, hue in degrees."""
    red, green, blue = (_to_linear(part / 255) for part in rgb)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _linear_from_oklch(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def oklch(lightness: float, chroma: float, hue: float) -> RGB:
    """The nearest RGB colour of that lightness and hue; chroma gives way where it must."""
    lightness = min(1.0, max(0.0, lightness))
    for step in range(16):
        linear = _linear_from_oklch(lightness, chroma * (1 - step / 15), hue)
        if all(-0.0005 <= part <= 1.0005 for part in linear):
            break
    red, green, blue = (round(255 * min(1.0, max(0.0, _from_linear(max(0.0, part))))) for part in linear)
    return red, green, blue


def mix(first: RGB, second: RGB, share: float) -> RGB:
    """``share`` 0 gives the first colour, 1 the second."""
    red, green, blue = (round(one + (two - one) * share) for one, two in zip(first, second, strict=True))
    return red, green, blue


def shade(rgb: RGB, by: float) -> RGB:
    """Lighter (``by`` above 0) or darker by that much OKLCH lightness."""
    lightness, chroma, hue = to_oklch(rgb)
    return oklch(lightness + by, chroma, hue)


def luminance(rgb: RGB) -> float:
    """Relative luminance of WCAG 2, 0 to 1."""
    red, green, blue = (_to_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: RGB, second: RGB) -> float:
    """Contrast ratio of WCAG 2, 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(colour: RGB, on: RGB, ratio: float = 4.5) -> RGB:
    """``colour``, made lighter or darker until it reaches ``ratio`` on the ground ``on``."""
    lightness, chroma, hue = to_oklch(colour)
    step = 0.03 if luminance(on) < 0.18 else -0.03
    for _ in range(34):
        if contrast(colour, on) >= ratio:
            return colour
        lightness += step
        colour = oklch(lightness, chroma, hue)
    return WHITE if step > 0 else BLACK
