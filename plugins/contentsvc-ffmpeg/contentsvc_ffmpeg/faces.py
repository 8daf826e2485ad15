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
        cell = _cell(path.read_bytes())
    except (OSError, struct.error, ValueError) as error:
        raise ProviderError("The font that is set up for subtitles can't be opened.") from error
    family, style = font.getname()
    name = f"{family} {style}" if family and style and style != "Regular" else family
    return Face(path, name or "", cell, font)


def _cell(data: bytes) -> float:
    """Height of a line per letter size, from the tables OS/2 and head of the (first) font.

    libass takes a font size for the height of the whole line, as Windows does; people
    and browsers take it for the height of the letter's body.
    """
    start = struct.unpack_from(">I", data, 12)[0] if data[:4] == b"ttcf" else 0
    tables = {}
    for at in range(struct.unpack_from(">H", data, start + 4)[0]):
        tag, _, offset, _ = struct.unpack_from(">4sIII", data, start + 12 + at * 16)
        tables[tag] = offset
    if b"head" not in tables or b"OS/2" not in tables:
        return 1.0
    (body,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    above, below = struct.unpack_from(">HH", data, tables[b"OS/2"] + 74)
    return (above + below) / body if body and above + below else 1.0
