"""Setting text: wrapped, fitted to its box, never wider or higher than it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PIL import Image, ImageDraw, ImageFont

from contentsvc_studio.images.color import RGB
from contentsvc_studio.images.fonts import Fonts

# Chinese, Japanese and Korean letters may be parted anywhere; other scripts at spaces.
_PIECES = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+|\s+")
ELLIPSIS = "…"
LARGEST = 1.5


class Block(Protocol):
    """Something laid out: it knows its size and draws itself."""

    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        """Draw at a corner; ``span`` is the width to align in: left, center or right."""


class Item(Protocol):
    """Something to lay out in a column. Sizes are in units of a hundredth of the short side."""

    gap: float
    optional: bool

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        """The block at that width in pixels; None where it can't be drawn."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Wrapped lines of one face."""

    lines: tuple[str, ...]
    face: ImageFont.FreeTypeFont
    colour: RGB
    leading: int
    tracking: float
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        pen = ImageDraw.Draw(picture)
        ascent = _cap_top(self.face)
        for row, line in enumerate(self.lines):
            wide = measure(self.face, line, self.tracking)
            shift = {"left": 0.0, "center": (span - wide) / 2, "right": span - wide}[align]
            _draw_line(pen, line, (x + shift, y + row * self.leading - ascent), self)


def _draw_line(pen: ImageDraw.ImageDraw, line: str, at: tuple[float, float], style: Lines) -> None:
    if not style.tracking:
        pen.text(at, line, font=style.face, fill=style.colour)
        return
    x = at[0]
    for letter in line:
        pen.text((x, at[1]), letter, font=style.face, fill=style.colour)
        x += style.face.getlength(letter) + style.tracking


def measure(face: ImageFont.FreeTypeFont, line: str, tracking: float) -> float:
    """Width of a line in pixels, the tracking between its letters included."""
    if not tracking or not line:
        return face.getlength(line)
    return sum(face.getlength(letter) for letter in line) + tracking * (len(line) - 1)


def _cap_top(face: ImageFont.FreeTypeFont) -> int:
    """Pixels between the drawing origin and the top of capitals: blocks start at the ink."""
    return int(face.getbbox("H")[1])


def wrap(face: ImageFont.FreeTypeFont, text: str, width: float, tracking: float = 0) -> list[str]:
    """Lines no wider than ``width``; a word that is too long is parted."""
    lines: list[str] = []
    line = ""
    for piece in _PIECES.findall(text):
        if measure(face, (line + piece).rstrip(), tracking) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = piece.lstrip()
        while line and measure(face, line, tracking) > width and len(line) > 1:
            cut = _longest(face, line, width, tracking)
            lines.append(line[:cut])
            line = line[cut:]
    if line.strip():
        lines.append(line.rstrip())
    return lines


def _longest(face: ImageFont.FreeTypeFont, word: str, width: float, tracking: float) -> int:
    cut = len(word) - 1
    while cut > 1 and measure(face, word[:cut], tracking) > width:
        cut -= 1
    return cut


def _splits_a_word(text: str, lines: Sequence[str]) -> bool:
    return any(piece not in " ".join(lines).split() for piece in text.split()) and not re.search(
        r"[\u2e80-\u9fff\uac00-\ud7af]", text
    )


def _ellipsis(face: ImageFont.FreeTypeFont, line: str, width: float, tracking: float) -> str:
    line = line.rstrip(" .,;:-–—")
    while line and measure(face, line + ELLIPSIS, tracking) > width:
        line = line[:-1].rstrip(" .,;:-–—")
    return line + ELLIPSIS


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph. ``size`` is the largest size wanted, ``least`` the smallest before the
    text is shortened with an ellipsis; both in units."""

    text: str
    role: str
    size: float
    colour: RGB
    least: float = 2.2
    lines: int = 3
    leading: float = 1.18
    tracking: float = 0.0
    upper: bool = False
    gap: float = 2.0
    optional: bool = False

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        text = self.text.upper() if self.upper else self.text
        role = fonts.role_for(text, self.role)
        if role is None or not text or width < 8:
            return None
        size = self.size * unit
        least = min(size, self.least * unit)
        while True:
            face = fonts.face(role, max(8, round(size)))
            tracking = self.tracking * size
            lines = wrap(face, text, width, tracking)
            fits = len(lines) <= self.lines and not _splits_a_word(text, lines)
            if fits or size <= least:
                break
            size = max(least, size * 0.93)
        if len(lines) > self.lines:
            lines = [
                *lines[: self.lines - 1],
                _ellipsis(face, lines[self.lines - 1], width, tracking),
            ]
        return _lines(tuple(lines), face, self.colour, self.leading * size, tracking)


def _lines(lines: tuple[str, ...], face: ImageFont.FreeTypeFont, colour: RGB, leading: float, tracking: float) -> Lines:
    step = round(leading)
    top, bottom = face.getbbox("H")[1], face.getbbox("Hgp")[3]
    return Lines(
        lines,
        face,
        colour,
        step,
        tracking,
        round(max(measure(face, line, tracking) for line in lines) + 0.5),
        round(step * (len(lines) - 1) + bottom - top),
    )


@dataclass(frozen=True, slots=True)
class Bar:
    width: int
    height: int
    colour: RGB

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        shift = {"left": 0, "center": (span - self.width) // 2, "right": span - self.width}[align]
        picture.paste(self.colour, (x + shift, y, x + shift + self.width, y + self.height))


@dataclass(frozen=True, slots=True)
class Rule:
    """A short line."""

    colour: RGB
    length: float = 9.0
    weight: float = 0.35
    gap: float = 2.6
    optional: bool = False

    def lay(self, fonts: Fonts, width: int, unit: float) -> Block | None:
        return Bar(min(width, round(self.length * unit)), max(2, round(self.weight * unit)), self.colour)


@dataclass(frozen=True, slots=True)
class Column:
    """Blocks below each other."""

    blocks: tuple[Block, ...]
    gaps: tuple[int, ...]
    width: int
    height: int

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        for block, gap in zip(self.blocks, self.gaps, strict=True):
            block.draw(picture, x, y, span, align)
            y += block.height + gap


def column(fonts: Fonts, items: Sequence[Item], width: int, height: int, unit: float) -> Column | None:
    """The items in a column that fits: everything grows together into empty room, or
    shrinks to 60 %; then optional items are dropped from the end, then required ones.
    None where nothing is left."""
    left = list(items)
    while left:
        scale = LARGEST
        while scale >= 0.6:
            found = _try_column(fonts, left, width, unit * scale)
            if found is None:
                return None
            if found.height <= height * (0.74 if scale > 1.01 else 1.0):
                return found
            scale *= 0.92
        drop = next((at for at in reversed(range(len(left))) if left[at].optional), len(left) - 1)
        del left[drop]
    return None


def _try_column(fonts: Fonts, items: Sequence[Item], width: int, unit: float) -> Column | None:
    blocks: list[Block] = []
    gaps: list[int] = []
    drawn_text = False
    for item in items:
        block = item.lay(fonts, width, unit)
        if block is None:
            continue
        drawn_text = drawn_text or not isinstance(block, Bar)
        blocks.append(block)
        gaps.append(round(item.gap * unit))
    if not drawn_text:
        return None
    gaps[-1] = 0
    total = sum(block.height for block in blocks) + sum(gaps)
    return Column(tuple(blocks), tuple(gaps), max(block.width for block in blocks), total)
