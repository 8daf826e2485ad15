"""The fonts of subtitles: how wide a text is, which letters there are, what libass calls them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from PIL import ImageFont

from contentsvc.plugin import ProviderError

PACKAGED = "Manrope-SemiBold.ttf"
_UNASSIGNED = "\U0010fffd"
_PROBE_SIZE = 64
_WINDOWS, _FULL_NAME = 3, 4


@dataclass(slots=True)
class Face:
    """A font file. ``family`` is the name libass finds it by."""

    path: Path
    family: str
    cell: float
    """Height of a line as libass counts it, for letters of size 1."""
    _font: ImageFont.FreeTypeFont
    _known: dict[str, bool] = field(default_factory=dict)

    def width(self, text: str, size: float) -> float:
        """Pixels the text takes at a size."""
        return self._font.getlength(text) * size / _PROBE_SIZE

    def draws(self, letter: str) -> bool:
        """Whether the font has the letter."""
        if letter not in self._known:
            self._known[letter] = letter.isspace() or self._glyph(letter) != self._glyph(_UNASSIGNED)
        return self._known[letter]

    def _glyph(self, letter: str) -> tuple[object, float, bytes]:
        mask = self._font.getmask(letter, mode="L")
        return mask.size, self._font.getlength(letter), bytes(mask)


def packaged_face() -> Face:
    """The font that comes along: Latin, Greek, Cyrillic."""
    with resources.as_file(resources.files("contentsvc_ffmpeg").joinpath("fonts", PACKAGED)) as path:
        return open_face(path)


def open_face(path: Path) -> Face:
    """A font file of the operator's. ProviderError where it isn't one."""
    try:
        font = ImageFont.truetype(str(path), _PROBE_SIZE)
        data = path.read_bytes()
        tables = _tables(data)
        name, cell = _full_name(data, tables), _cell(data, tables)
    except (OSError, struct.error, ValueError) as error:
        raise ProviderError("The font that is set up for subtitles can't be opened.") from error
    return Face(path, name or font.getname()[0] or path.stem, cell, font)


def _tables(data: bytes) -> dict[bytes, int]:
    """Where the tables of the (first) font in a file begin."""
    start = struct.unpack_from(">I", data, 12)[0] if data[:4] == b"ttcf" else 0
    records = [
        struct.unpack_from(">4sIII", data, start + 12 + at * 16)
        for at in range(struct.unpack_from(">H", data, start + 4)[0])
    ]
    return {tag: offset for tag, _, offset, _ in records}


def _full_name(data: bytes, tables: dict[bytes, int]) -> str:
    """The name libass compares for an exact match: the full name as Windows sees it; empty without one."""
    if b"name" not in tables:
        return ""
    start = tables[b"name"]
    count, strings = struct.unpack_from(">HH", data, start + 2)
    for at in range(count):
        platform, _, _, kind, length, offset = struct.unpack_from(">6H", data, start + 6 + at * 12)
        if (platform, kind) == (_WINDOWS, _FULL_NAME):
            first = start + strings + offset
            return data[first : first + length].decode("utf-16-be")
    return ""


def _cell(data: bytes, tables: dict[bytes, int]) -> float:
    """Height of a line per letter size, from the tables OS/2 and head.

    libass takes a font size for the height of the whole line, as Windows does; people
    and browsers take it for the height of the letter's body.
    """
    if b"head" not in tables or b"OS/2" not in tables:
        return 1.0
    (body,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    above, below = struct.unpack_from(">HH", data, tables[b"OS/2"] + 74)
    return (above + below) / body if body and above + below else 1.0
