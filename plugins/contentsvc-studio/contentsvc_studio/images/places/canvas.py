"""A drawing surface in units: a hundredth of the short side, the origin top left."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from contentsvc_studio.images import light
from contentsvc_studio.images.color import RGB, mix, shade

OVERSAMPLING = 2


class Canvas:
    """Flat shapes, drawn at twice the size. ``w`` and ``h`` are in units."""

    def __init__(self, size: tuple[int, int], rng: Random) -> None:
        self.size = size
        self.rng = rng
        self._unit = min(size) / 100 * OVERSAMPLING
        self.w, self.h = size[0] * OVERSAMPLING / self._unit, size[1] * OVERSAMPLING / self._unit
        self.image = Image.new("RGB", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
        self._pen = ImageDraw.Draw(self.image)

    def result(self) -> Image.Image:
        return self.image.reduce(OVERSAMPLING)

    def _px(self, *values: float) -> list[int]:
        return [round(value * self._unit) for value in values]

    def fade(self, x: float, y: float, w: float, h: float, top: RGB, bottom: RGB) -> None:
        """A rectangle with a vertical gradient."""
        left, up, right, low = self._px(x, y, x + w, y + h)
        if right > left and low > up:
            self.image.paste(light.gradient((right - left, low - up), top, bottom), (left, up))

    def box(self, x: float, y: float, w: float, h: float, colour: RGB, radius: float = 0.0) -> None:
        left, up, right, low = self._px(x, y, x + w, y + h)
        if right > left and low > up:
            self._pen.rounded_rectangle((left, up, right - 1, low - 1), radius * self._unit, fill=colour)

    def poly(self, points: Sequence[tuple[float, float]], colour: RGB) -> None:
        self._pen.polygon([(x * self._unit, y * self._unit) for x, y in points], fill=colour)

    def oval(self, x: float, y: float, across: float, down: float, colour: RGB) -> None:
        """An ellipse by centre and radii."""
        self._pen.ellipse(self._px(x - across, y - down, x + across, y + down), fill=colour)

    def line(self, points: Sequence[tuple[float, float]], weight: float, colour: RGB) -> None:
        flat = [(x * self._unit, y * self._unit) for x, y in points]
        self._pen.line(flat, fill=colour, width=max(1, round(weight * self._unit)), joint="curve")

    def glow(
        self, x: float, y: float, radius: float, colour: RGB, opacity: float, squeeze: float = 1.0
    ) -> None:
        unit = self._unit
        light.glow(self.image, (x * unit, y * unit), radius * unit, colour, opacity, squeeze)

    def shade_below(self, x: float, y: float, w: float, depth: float, strength: float = 0.28) -> None:
        """A soft shadow on the floor under something ``w`` wide whose foot is at ``y``."""
        left, up, right, low = self._px(x, y - depth, x + w, y + depth)
        pad = round(depth * self._unit)
        small = Image.new("L", ((right - left + 2 * pad) // 4, (low - up + 2 * pad) // 4), 0)
        ImageDraw.Draw(small).ellipse(
            (pad // 4, pad // 4, small.width - pad // 4, small.height - pad // 4), fill=255
        )
        soft = small.filter(ImageFilter.GaussianBlur(pad / 7)).resize(
            (small.width * 4, small.height * 4), Image.Resampling.BICUBIC
        )
        light.tint(self.image, soft, (24, 16, 12), strength, (left - pad, up - pad))

    def round_shaded(self, x: float, y: float, radius: float, colour: RGB) -> None:
        """A round thing, lit from the upper left."""
        self.oval(x, y, radius, radius, shade(colour, -0.05))
        self.oval(x - radius * 0.12, y - radius * 0.12, radius * 0.84, radius * 0.84, colour)
        self.oval(
            x - radius * 0.3,
            y - radius * 0.34,
            radius * 0.34,
            radius * 0.3,
            mix(colour, (255, 255, 255), 0.25),
        )
