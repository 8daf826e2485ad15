"""Lists of facts as blocks of a column: selling points, specification rows, chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from contentsvc_studio.images import masks
from contentsvc_studio.images.color import RGB
from contentsvc_studio.images.fonts import Fonts
from contentsvc_studio.images.text import Block, Column, Lines, Para


@dataclass(frozen=True, slots=True)
class PointBlock:
    marker: Block | None
    body: Column
    indent: int
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, _align: str) -> None:
        if self.marker is not None:
            self.marker.draw(picture, x, y, self.indent, "left")
        self.body.draw(picture, x + self.indent, y, span - self.indent, "left")


@dataclass(frozen=True, slots=True)
class Point:
    """A selling point: marker, title, detail."""

    marker: str
    title: str
    detail: str
    colour: RGB
    muted: RGB
    accent: RGB
    size: float = 3.3
    gap: float = 3.4
    optional: bool = True

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        indent = round(self.size * 2.1 * unit) if self.marker else 0
        marker = (
            Para(self.marker, "serif", self.size * 1.5, self.accent).lay(fonts, indent, unit)
            if self.marker
            else None
        )
        inner = width - indent
        blocks = [
            Para(self.title, "strong", self.size, self.colour, least=1.9, lines=2).lay(fonts, inner, unit)
        ]
        if self.detail:
            detail = Para(self.detail, "text", self.size * 0.8, self.muted, least=1.8, lines=3, leading=1.38)
            blocks.append(detail.lay(fonts, inner, unit))
        kept = [block for block in blocks if block is not None]
        if not kept:
            return None
        gap = round(1.25 * unit)
        total = sum(block.height for block in kept) + gap * (len(kept) - 1)
        gaps = (*[gap] * (len(kept) - 1), 0)
        body = Column(tuple(kept), gaps, max(block.width for block in kept), total)
        return PointBlock(
            marker, body, indent, indent + body.width, max(total, marker.height if marker else 0)
        )


@dataclass(frozen=True, slots=True)
class SpecBlock:
    name: Block
    value: Block
    line: RGB
    pad: int
    split: int
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, _span: int, _align: str) -> None:
        self.name.draw(picture, x, y + self.pad, self.split, "left")
        self.value.draw(picture, x + self.split, y + self.pad, self.width - self.split, "right")
        foot = y + self.height
        picture.paste(self.line, (x, foot - 2, x + self.width, foot))


@dataclass(frozen=True, slots=True)
class Spec:
    """A row of a specification: name, value, hairline."""

    name: str
    value: str
    colour: RGB
    muted: RGB
    line: RGB
    size: float = 2.9
    gap: float = 0.0
    optional: bool = True

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        split = round(width * 0.44)
        name = Para(self.name, "text", self.size, self.muted, least=1.8, lines=2).lay(
            fonts, split - round(unit), unit
        )
        value = Para(self.value, "strong", self.size, self.colour, least=1.8, lines=2).lay(
            fonts, width - split, unit
        )
        if name is None or value is None:
            return None
        pad = round(1.9 * unit)
        return SpecBlock(name, value, self.line, pad, split, width, max(name.height, value.height) + 2 * pad)


@dataclass(frozen=True, slots=True)
class ChipBlock:
    rows: tuple[tuple[Lines, ...], ...]
    fill: RGB
    pad: int
    gap: int
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        for row in self.rows:
            wide = sum(label.width + 2 * self.pad for label in row) + self.gap * (len(row) - 1)
            left = x + {"left": 0, "center": (span - wide) // 2, "right": span - wide}[align]
            high = self._chip_height(row)
            for label in row:
                across = label.width + 2 * self.pad
                picture.paste(self.fill, (left, y), masks.frame("rounded", across, high, high / 2))
                label.draw(
                    picture, left + self.pad, y + (high - _cap_height(label)) // 2, label.width, "left"
                )
                left += across + self.gap
            y += high + self.gap

    def _chip_height(self, row: tuple[Lines, ...]) -> int:
        return round(_cap_height(row[0]) + 1.5 * self.pad)


def _cap_height(label: Lines) -> int:
    top, bottom = label.face.getbbox("H")[1], label.face.getbbox("H")[3]
    return round(bottom - top)


@dataclass(frozen=True, slots=True)
class Chips:
    """Short texts in pills, in as many rows as they need."""

    texts: Sequence[str]
    fill: RGB
    colour: RGB
    size: float = 2.5
    gap: float = 2.0
    optional: bool = True

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        pad, gap = round(1.9 * unit), round(1.1 * unit)
        rows: list[list[Lines]] = []
        room = -1
        for text in self.texts:
            label = Para(text, "strong", self.size, self.colour, least=1.7, lines=1).lay(
                fonts, width - 2 * pad, unit
            )
            if not isinstance(label, Lines):
                continue
            needed = label.width + 2 * pad
            if rows and needed + gap <= room:
                rows[-1].append(label)
                room -= needed + gap
            else:
                rows.append([label])
                room = width - needed
        if not rows:
            return None
        high = round(_cap_height(rows[0][0]) + 1.5 * pad)
        total = high * len(rows) + gap * (len(rows) - 1)
        widest = max(sum(label.width + 2 * pad for label in row) + gap * (len(row) - 1) for row in rows)
        return ChipBlock(tuple(tuple(row) for row in rows), self.fill, pad, gap, widest, total)


@dataclass(frozen=True, slots=True)
class Dots:
    """A row of small dots, as a divider."""

    colour: RGB
    count: int = 3
    gap: float = 2.4
    optional: bool = True

    def lay(self, _fonts: Fonts, _width: int, unit: float) -> Block | None:
        return DotBlock(
            self.colour,
            self.count,
            max(3, round(0.7 * unit)),
            round(2.2 * unit) * self.count,
            max(3, round(0.7 * unit)),
        )


@dataclass(frozen=True, slots=True)
class DotBlock:
    colour: RGB
    count: int
    side: int
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        pen = ImageDraw.Draw(picture)
        step = self.width // self.count
        left = (
            x
            + {"left": 0, "center": (span - self.width + step - self.side) // 2, "right": span - self.width}[
                align
            ]
        )
        for at in range(self.count):
            pen.ellipse((left + at * step, y, left + at * step + self.side, y + self.side), fill=self.colour)
