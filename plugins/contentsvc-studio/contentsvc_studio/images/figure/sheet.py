"""A drawing surface in units: smooth shapes and strokes, supersampled."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageChops, ImageDraw

from contentsvc_studio.images.color import RGB
from contentsvc_studio.images.masks import Point, curve

OVERSAMPLING = 2


class Sheet:
    """``width`` by ``height`` units on a transparent ground; ``scale`` pixels per unit."""

    def __init__(self, width: float, height: float, scale: float) -> None:
        self._scale = scale * OVERSAMPLING
        self._size = (round(width * self._scale), round(height * self._scale))
        self.image = Image.new("RGBA", self._size, (0, 0, 0, 0))

    def result(self) -> Image.Image:
        """The drawing at its final size (RGBA)."""
        premultiplied = self.image.convert("RGBa").reduce(OVERSAMPLING)
        return premultiplied.convert("RGBA")

    def blob(self, points: Sequence[Point], colour: RGB) -> None:
        """A closed smooth shape through the points."""
        ImageDraw.Draw(self.image).polygon(self._scaled(curve(points)), fill=(*colour, 255))

    def shape(self, points: Sequence[Point], colour: RGB) -> None:
        """A polygon with straight edges."""
        ImageDraw.Draw(self.image).polygon(self._scaled(points), fill=(*colour, 255))

    def oval(self, x: float, y: float, across: float, down: float, colour: RGB) -> None:
        """An ellipse by centre and radii."""
        box = [value * self._scale for value in (x - across, y - down, x + across, y + down)]
        ImageDraw.Draw(self.image).ellipse(box, fill=(*colour, 255))

    def ring(self, x: float, y: float, across: float, down: float, weight: float, colour: RGB) -> None:
        box = [value * self._scale for value in (x - across, y - down, x + across, y + down)]
        ImageDraw.Draw(self.image).ellipse(
            box, outline=(*colour, 255), width=max(1, round(weight * self._scale))
        )

    def stroke(self, points: Sequence[Point], weight: float, colour: RGB, end: float | None = None) -> None:
        """A smooth line with round ends; from ``weight`` to ``end`` units wide."""
        draw = ImageDraw.Draw(self.image)
        path = curve(points, closed=False, steps=24) if len(points) > 2 else _straight(points)
        last = len(path) - 1
        before = (0.0, 0.0)
        for at, point in enumerate(path):
            radius = (weight + ((end or weight) - weight) * at / last) / 2 * self._scale
            x, y = point[0] * self._scale, point[1] * self._scale
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(*colour, 255))
            if at:
                draw.line((*before, x, y), fill=(*colour, 255), width=max(1, round(2 * radius)))
            before = (x, y)

    def within(self, outline: Sequence[Point], points: Sequence[Point], colour: RGB, opacity: float) -> None:
        """The part of a smooth shape that lies inside another, as a shade."""
        mask = ImageChops.multiply(self._mask(outline), self._mask(points))
        self._tint(mask, colour, opacity)

    def soft_oval(self, x: float, y: float, across: float, down: float, colour: RGB, opacity: float) -> None:
        """A translucent ellipse."""
        mask = Image.new("L", self._size, 0)
        box = [value * self._scale for value in (x - across, y - down, x + across, y + down)]
        ImageDraw.Draw(mask).ellipse(box, fill=255)
        self._tint(mask, colour, opacity)

    def _tint(self, mask: Image.Image, colour: RGB, opacity: float) -> None:
        alpha = self.image.getchannel("A")
        mask = mask.point([round(value * opacity) for value in range(256)])
        self.image.paste(Image.new("RGB", self._size, colour), (0, 0), mask)
        self.image.putalpha(alpha)

    def _mask(self, points: Sequence[Point]) -> Image.Image:
        mask = Image.new("L", self._size, 0)
        ImageDraw.Draw(mask).polygon(self._scaled(curve(points)), fill=255)
        return mask

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self._scale, y * self._scale) for x, y in points]


def _straight(points: Sequence[Point]) -> list[Point]:
    (x1, y1), (x2, y2) = points[0], points[-1]
    return [(x1 + (x2 - x1) * at / 40, y1 + (y2 - y1) * at / 40) for at in range(41)]


def mirrored(points: Sequence[Point], axis: float = 50.0) -> list[Point]:
    """The right half's points followed by their mirror image, as a closed outline: give
    the points from top to bottom on the right of the axis."""
    left = [(2 * axis - x, y) for x, y in reversed(points)]
    return [*points, *left]
