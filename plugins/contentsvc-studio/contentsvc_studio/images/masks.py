"""Anti-aliased shapes as 8-bit masks: drawn larger, then reduced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from PIL import Image, ImageDraw

Point: TypeAlias = tuple[float, float]

FRAMES = ("rectangle", "rounded", "arch", "circle")


def _factor(width: int, height: int) -> int:
    return 4 if max(width, height) <= 500 else 2


def frame(kind: str, width: int, height: int, radius: float = 0) -> Image.Image:
    """A mask of the whole area: one of :data:`FRAMES`; ``radius`` in pixels."""
    if kind == "rectangle":
        return Image.new("L", (width, height), 255)
    times = _factor(width, height)
    big = Image.new("L", (width * times, height * times), 0)
    draw = ImageDraw.Draw(big)
    right, bottom = big.width - 1, big.height - 1
    if kind == "circle":
        side = min(right, bottom)
        x, y = (right - side) / 2, (bottom - side) / 2
        draw.ellipse((x, y, x + side, y + side), fill=255)
    elif kind == "arch":
        span = min(right, bottom)
        x = (right - span) / 2 if span < right else 0
        draw.ellipse((x, 0, right - x, min(bottom, right - 2 * x)), fill=255)
        draw.rectangle((x, (right - 2 * x) / 2, right - x, bottom), fill=255)
    else:
        draw.rounded_rectangle((0, 0, right, bottom), radius * times, fill=255)
    return big.reduce(times)


def polygon(points: Sequence[Point], width: int, height: int) -> Image.Image:
    """A filled polygon on an area of that size."""
    times = _factor(width, height)
    big = Image.new("L", (width * times, height * times), 0)
    ImageDraw.Draw(big).polygon([(x * times, y * times) for x, y in points], fill=255)
    return big.reduce(times)


def curve(points: Sequence[Point], closed: bool = True, steps: int = 14) -> list[Point]:
    """A smooth line through the points (centripetal Catmull-Rom), as a polygon."""
    count = len(points)
    if count < 3:
        return list(points)
    result: list[Point] = []
    for at in range(count if closed else count - 1):
        if closed:
            four = [points[(at + shift - 1) % count] for shift in range(4)]
        else:
            four = [points[min(count - 1, max(0, at + shift - 1))] for shift in range(4)]
        result.extend(_segment(four[0], four[1], four[2], four[3], steps))
    if not closed:
        result.append(points[-1])
    return result


def _segment(p0: Point, p1: Point, p2: Point, p3: Point, steps: int) -> list[Point]:
    def gap(one: Point, two: Point) -> float:
        return max(1e-4, math.sqrt(math.hypot(two[0] - one[0], two[1] - one[1])))

    d1, d2, d3 = gap(p0, p1), gap(p1, p2), gap(p2, p3)
    tangents = []
    for axis in (0, 1):
        into = (p1[axis] - p0[axis]) / d1 - (p2[axis] - p0[axis]) / (d1 + d2)
        out = (p2[axis] - p1[axis]) / d2 - (p3[axis] - p1[axis]) / (d2 + d3)
        start = d2 * into + (p2[axis] - p1[axis])
        end = d2 * out + d2 * (p3[axis] - p2[axis]) / d3
        tangents.append((start, end))
    return [_hermite(p1, p2, tangents, step / steps) for step in range(steps)]


def _hermite(p1: Point, p2: Point, tangents: list[tuple[float, float]], t: float) -> Point:
    h1, h2 = 2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t
    h3, h4 = -2 * t**3 + 3 * t**2, t**3 - t**2
    return (
        h1 * p1[0] + h2 * tangents[0][0] + h3 * p2[0] + h4 * tangents[0][1],
        h1 * p1[1] + h2 * tangents[1][0] + h3 * p2[1] + h4 * tangents[1][1],
    )
