"""What a layout works on: the picture in the making, its palette, its words, its shots."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from PIL import Image, ImageFilter

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import RGB, WHITE, mix
from contentsvc_studio.images.facts import Facts
from contentsvc_studio.images.figure.traits import Traits
from contentsvc_studio.images.fonts import Fonts
from contentsvc_studio.images.palette import Palette
from contentsvc_studio.images.sets import studio_set
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.text import Item, column
from contentsvc_studio.images.words import Theme


class Box(NamedTuple):
    """A rectangle in pixels."""

    x: int
    y: int
    w: int
    h: int

    def inset(self, across: float, down: float | None = None) -> Box:
        """Smaller on every side by that many pixels."""
        left, top = round(across), round(across if down is None else down)
        return Box(self.x + left, self.y + top, max(1, self.w - 2 * left), max(1, self.h - 2 * top))

    def part(self, x: float, y: float, w: float, h: float) -> Box:
        """A part of it, in fractions."""
        return Box(
            self.x + round(self.w * x), self.y + round(self.h * y), round(self.w * w), round(self.h * h)
        )

    def square(self) -> Box:
        """The largest square in its middle."""
        side = min(self.w, self.h)
        return Box(self.x + (self.w - side) // 2, self.y + (self.h - side) // 2, side, side)


@dataclass(slots=True)
class Stage:
    """One picture being made. ``unit`` is a hundredth of the short side.

    ``text`` is the description to illustrate, ``turn`` the picture's number in its batch,
    ``place`` the scene that a shot plays in.
    """

    picture: Image.Image
    palette: Palette
    fonts: Fonts
    facts: Facts
    theme: Theme
    rng: random.Random
    seed: int
    shots: tuple[Shot, ...] = ()
    person: Shot | None = None
    traits: Traits | None = None
    place: Shot | None = None
    text: str = ""
    turn: int = 0
    mirrored: bool = False
    notes: dict[str, object] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.picture.width

    @property
    def height(self) -> int:
        return self.picture.height

    @property
    def unit(self) -> float:
        return min(self.picture.size) / 100

    @property
    def whole(self) -> Box:
        return Box(0, 0, self.width, self.height)

    @property
    def wide(self) -> bool:
        """Clearly wider than high."""
        return self.width > 1.1 * self.height

    @property
    def tall(self) -> bool:
        """Clearly higher than wide."""
        return self.height > 1.1 * self.width

    @property
    def shot(self) -> Shot:
        """The first and most important reference."""
        return self.shots[0]

    def fill(self, colour: RGB) -> None:
        self.picture.paste(colour, (0, 0, self.width, self.height))

    def wall(self, top: RGB | None = None, bottom: RGB | None = None) -> None:
        """A softly lit ground over the whole picture."""
        palette = self.palette
        high = top or palette.glow
        low = bottom or mix(palette.ground, palette.dusk, 0.35)
        self.picture.paste(light.gradient(self.picture.size, high, low))

    def split(
        self, share: float, whole: Box | None = None, gap: float = 0, stacked: bool | None = None
    ) -> tuple[Box, Box]:
        """Two boxes, the first with ``share`` of the room: side by side in wide pictures,
        above each other otherwise; swapped where the picture is mirrored. ``gap`` in units."""
        box = whole or self.whole
        between = round(gap * self.unit)
        if not (self.width < 1.1 * self.height if stacked is None else stacked):
            first = round((box.w - between) * share)
            rest = box.w - between - first
            if self.mirrored:
                return Box(box.x + rest + between, box.y, first, box.h), Box(box.x, box.y, rest, box.h)
            return Box(box.x, box.y, first, box.h), Box(box.x + first + between, box.y, rest, box.h)
        first = round((box.h - between) * share)
        rest = box.h - between - first
        if self.mirrored:
            return Box(box.x, box.y + rest + between, box.w, first), Box(box.x, box.y, box.w, rest)
        return Box(box.x, box.y, box.w, first), Box(box.x, box.y + first + between, box.w, rest)

    def write(
        self, items: Sequence[Item | None], box: Box, align: str = "left", anchor: float = 0.5
    ) -> Box | None:
        """Set the items in a column inside the box, ``anchor`` 0 at its top to 1 at its
        bottom. The box that was used, None where nothing could be written."""
        kept = [item for item in items if item is not None]
        found = column(self.fonts, kept, box.w, box.h, self.unit)
        if found is None:
            return None
        top = box.y + round((box.h - found.height) * anchor)
        found.draw(self.picture, box.x, top, box.w, align)
        return Box(box.x, top, box.w, found.height)

    def render(self, shot: Shot, width: int, height: int, zoom: float = 1.0) -> Image.Image:
        """A shot as an RGB picture of exactly that size."""
        if shot.cut is not None:
            return studio_set((width, height), shot, self.palette)
        if shot.fills(width, height):
            return shot.crop(width, height, zoom)
        return self._matted(shot, width, height)

    def _matted(self, shot: Shot, width: int, height: int) -> Image.Image:
        """The whole photograph on a blurred enlargement of itself."""
        base = blurred(shot, (width, height), 0.035)
        light.tint(base, Image.new("L", base.size, 255), self.palette.dusk, 0.28)
        inner = shot.contain(round(width * 0.9), round(height * 0.9))
        at = ((width - inner.width) // 2, (height - inner.height) // 2)
        light.lift(base, Image.new("L", inner.size, 255), at, 0.9 * self.unit)
        base.paste(inner, at)
        return base

    def show(
        self,
        shot: Shot,
        box: Box,
        frame: str = "rectangle",
        lift: float = 0.0,
        radius: float = 2.2,
        zoom: float = 1.0,
        border: float = 0.0,
        border_colour: RGB = WHITE,
    ) -> Box:
        """Paint a shot into a box through a frame shape. ``lift``, ``radius`` and
        ``border`` in units. Circles take the largest square of the box."""
        area = box.square() if frame == "circle" else box
        mask = masks.frame(frame, area.w, area.h, radius * self.unit)
        if lift:
            light.lift(self.picture, mask, (area.x, area.y), lift * self.unit)
        inner = area
        if border:
            self.picture.paste(border_colour, (area.x, area.y), mask)
            inner = area.inset(border * self.unit)
            mask = masks.frame(frame, inner.w, inner.h, max(0.0, (radius - border)) * self.unit)
        self.picture.paste(self.render(shot, inner.w, inner.h, zoom), (inner.x, inner.y), mask)
        return area

    def backdrop(self, strength: float) -> None:
        """The main shot, out of focus, over the whole picture; a lit wall where the shot is
        a cut-out and its photograph therefore empty around the subject."""
        if self.shot.cut is None:
            self.picture.paste(blurred(self.shot, self.picture.size, strength))
            return
        self.wall(self.palette.panel, self.palette.dusk)

    def card(self, box: Box, colour: RGB, radius: float = 2.2, lift: float = 0.0) -> None:
        """A plain card; ``radius`` and ``lift`` in units."""
        mask = masks.frame("rounded", box.w, box.h, radius * self.unit)
        if lift:
            light.lift(self.picture, mask, (box.x, box.y), lift * self.unit)
        self.picture.paste(colour, (box.x, box.y), mask)

    def outline(self, box: Box, colour: RGB, weight: float = 0.18, opacity: float = 1.0) -> None:
        """A thin frame line; ``weight`` in units."""
        thick = max(2, round(weight * self.unit))
        mask = Image.new("L", (box.w, box.h), 255)
        mask.paste(0, (thick, thick, box.w - thick, box.h - thick))
        light.tint(self.picture, mask, colour, opacity, (box.x, box.y))

    def print_of(
        self,
        shot: Shot,
        width: int,
        height: int,
        angle: float,
        centre: tuple[float, float],
        foot: float = 1.0,
    ) -> None:
        """A photographic print with a white border, turned by ``angle`` degrees and lifted
        off the ground; ``foot`` widens the lower border as instant pictures have it."""
        edge = round(0.045 * min(width, height))
        low = round(edge * foot)
        paper = Image.new("RGB", (width, height), (252, 251, 248))
        paper.paste(self.render(shot, width - 2 * edge, height - edge - low), (edge, edge))
        sheet = paper.convert("RGBA").rotate(angle, Image.Resampling.BICUBIC, expand=True)
        alpha = sheet.getchannel("A")
        at = (round(centre[0] - sheet.width / 2), round(centre[1] - sheet.height / 2))
        light.lift(self.picture, alpha, at, 1.5 * self.unit, 1.15)
        self.picture.paste(sheet.convert("RGB"), at, alpha)


def blurred(shot: Shot, size: tuple[int, int], strength: float) -> Image.Image:
    """The photograph as a soft backdrop; ``strength`` as a share of the longer side."""
    small = shot.crop(max(8, size[0] // 8), max(8, size[1] // 8))
    small = small.filter(ImageFilter.GaussianBlur(strength * max(small.size)))
    return small.resize(size, Image.Resampling.BICUBIC)
