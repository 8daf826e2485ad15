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
_PIECES = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+|\s+"
)
ELLIPSIS = "…"
LARGEST = 1.5


class Block(Protocol):
    """Something laid out: it knows its size and draws itself."""

    @property
    def width(self) -> int:
        """Pixels."""

    @property
    def height(self) -> int:
        """Pixels."""

    def draw(self, picture: Image.Image, x: int, y: int, span: int, align: str, /) -> None:
        """Draw at a corner; ``span`` is the width to align in: left, center or right."""


class Item(Protocol):
    """Something to lay out in a column. Sizes are in units of a hundredth of the short side."""

    @property
    def gap(self) -> float:
        """Room below, in units."""

    @property
    def optional(self) -> bool:
        """Whether it may be dropped where room is short."""

    def lay(self, fonts: Fonts, width: int, unit: float, /) -> Block | None:
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
    return _fill(face, _pieces(face, text, tracking), width, tracking)


def _pieces(face: ImageFont.FreeTypeFont, text: str, tracking: float) -> list[tuple[str, float]]:
    """The text's words and spaces with their widths, each measured once."""
    pieces = _PIECES.findall(text)
    widths = {piece: measure(face, piece, tracking) + tracking for piece in set(pieces)}
    return [(piece, widths[piece]) for piece in pieces]


def _fill(
    face: ImageFont.FreeTypeFont, pieces: Sequence[tuple[str, float]], width: float, tracking: float
) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    for piece, wide in pieces:
        # Spaces at a line's end take no room.
        if used + wide - tracking <= width or (line and piece.isspace()):
            line, used = line + piece, used + wide
            continue
        if line.strip():
            lines.append(line.rstrip())
        line, used = piece.lstrip(), wide
        while len(line) > 1 and used - tracking > width:
            cut = _longest(face, line, width, tracking)
            lines.append(line[:cut])
            line = line[cut:]
            used = measure(face, line, tracking) + tracking
    if line.strip():
        lines.append(line.rstrip())
    return lines


def _longest(face: ImageFont.FreeTypeFont, word: str, width: float, tracking: float) -> int:
    """How many letters of a word that is too wide fit; at least one."""
    fits, too_many = 1, len(word)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if measure(face, word[:middle], tracking) <= width:
            fits = middle
        else:
            too_many = middle
    return fits


def _splits_a_word(text: str, lines: Sequence[str]) -> bool:
    return any(piece not in " ".join(lines).split() for piece in text.split()) and not re.search(
        r"[\u2e80-\u9fff\uac00-\ud7af]", text
    )


def _balanced(
    face: ImageFont.FreeTypeFont, text: str, lines: list[str], width: float, tracking: float
) -> list[str]:
    """The same number of lines, as even as they can be: no lonely last word."""
    pieces = _pieces(face, text, tracking)
    low, high = width * 0.5, width
    best = lines
    for _ in range(6):
        middle = (low + high) / 2
        tried = _fill(face, pieces, middle, tracking)
        if len(tried) == len(lines) and not _splits_a_word(text, tried):
            best, high = tried, middle
        else:
            low = middle
    return best


def _ellipsis(face: ImageFont.FreeTypeFont, line: str, width: float, tracking: float) -> str:
    line = line.rstrip(" .,;:-\u2013\u2014")
    while line and measure(face, line + ELLIPSIS, tracking) > width:
        line = line[:-1].rstrip(" .,;:-\u2013\u2014")
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
        face, tracking, lines = self._fitted(fonts, role, text, width, unit)
        if 1 < len(lines) <= self.lines:
            lines = _balanced(face, text, lines, width, tracking)
        if len(lines) > self.lines:
            lines = [
                *lines[: self.lines - 1],
                _ellipsis(face, lines[self.lines - 1], width, tracking),
            ]
        return _lines(tuple(lines), face, self.colour, self.leading * face.size, tracking)

    def _fitted(
        self, fonts: Fonts, role: str, text: str, width: int, unit: float
    ) -> tuple[ImageFont.FreeTypeFont, float, list[str]]:
        """The largest size whose lines suffice and part no word; the least where none does."""
        high = max(8, round(self.size * unit))
        low = min(high, max(8, round(self.least * unit)))
        sizes = [low]
        while sizes[-1] < high:
            sizes.append(min(high, max(sizes[-1] + 1, round(sizes[-1] * 1.06))))
        first, last = 0, len(sizes) - 1
        best = self._set(fonts, role, text, width, sizes[-1])
        if self._suits(text, best, width):
            return best
        best = self._set(fonts, role, text, width, sizes[0])
        while last - first > 1:
            middle = (first + last) // 2
            tried = self._set(fonts, role, text, width, sizes[middle])
            if self._suits(text, tried, width):
                best, first = tried, middle
            else:
                last = middle
        return best

    def _set(
        self, fonts: Fonts, role: str, text: str, width: int, size: int
    ) -> tuple[ImageFont.FreeTypeFont, float, list[str]]:
        face = fonts.face(role, size)
        tracking = self.tracking * size
        return face, tracking, wrap(face, text, width, tracking)

    def _suits(self, text: str, setting: tuple[ImageFont.FreeTypeFont, float, list[str]], width: int) -> bool:
        face, tracking, lines = setting
        if len(lines) > self.lines or _splits_a_word(text, lines):
            return False
        # Wrapping can't part a single letter that is wider than the box.
        return all(len(line) > 1 or measure(face, line, tracking) <= width for line in lines)


def _lines(
    lines: tuple[str, ...], face: ImageFont.FreeTypeFont, colour: RGB, leading: float, tracking: float
) -> Lines:
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

    def lay(self, _fonts: Fonts, width: int, unit: float) -> Block | None:
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
