"""Fonts of one picture: the bundled families, the operator's own, and what they can draw."""

from __future__ import annotations

import unicodedata
from importlib import resources

from PIL import ImageFont, features

from contentsvc.plugin import ProviderError

FILES = {
    "serif": "EBGaramond12-Regular.otf",
    "italic": "EBGaramond12-Italic.otf",
    "text": "Manrope-Regular.ttf",
    "strong": "Manrope-SemiBold.ttf",
    "heavy": "Manrope-ExtraBold.ttf",
    "poster": "LeagueSpartan-Bold.otf",
}

# Where a family lacks a letter the whole text moves to the sans of the nearest weight.
SUBSTITUTES = {"serif": "strong", "italic": "text", "poster": "heavy"}

_PROBE = 24
_MISSING = "\U0010fffd"
# Scripts whose letters join or reorder: only right with a shaping engine.
_SHAPED = ((0x0590, 0x08FF), (0x0900, 0x0DFF), (0x0E00, 0x0EFF), (0x0F00, 0x109F), (0x1780, 0x17FF))


class Fonts:
    """Opens faces at a size and knows which of them can draw a text.

    ``extra`` is the path of the operator's font for other scripts, or empty.
    ProviderError where that file isn't a font. Lives as long as one picture.
    """

    def __init__(self, extra: str = "") -> None:
        self._extra = extra
        self._faces: dict[tuple[str, int], ImageFont.FreeTypeFont] = {}
        self._missing: dict[str, object] = {}
        self._known: dict[tuple[str, str], bool] = {}
        self._shapes = bool(features.check("raqm"))

    def face(self, role: str, size: int) -> ImageFont.FreeTypeFont:
        """The face of a role of :data:`FILES` (or "extra") at a size in pixels."""
        key = (role, size)
        if key not in self._faces:
            self._faces[key] = self._open(role, size)
        return self._faces[key]

    def role_for(self, text: str, wanted: str) -> str | None:
        """The wanted role or the nearest that can draw every letter; None where none can."""
        roles = [wanted, SUBSTITUTES.get(wanted, "text")]
        if self._extra:
            roles.append("extra")
        return next((role for role in roles if self._draws(role, text)), None)

    def _open(self, role: str, size: int) -> ImageFont.FreeTypeFont:
        if role != "extra":
            file = resources.files("contentsvc_studio").joinpath("fonts", FILES[role])
            with resources.as_file(file) as path:
                return ImageFont.truetype(str(path), size)
        try:
            return ImageFont.truetype(self._extra, size)
        except OSError as error:
            raise ProviderError("The font that is set up for Studio can't be opened.") from error

    def _draws(self, role: str, text: str) -> bool:
        return all(self._has(role, letter) for letter in set(text))

    def _has(self, role: str, letter: str) -> bool:
        if letter.isspace():
            return True
        key = (role, letter)
        if key not in self._known:
            self._known[key] = self._probe(role, letter)
        return self._known[key]

    def _probe(self, role: str, letter: str) -> bool:
        code = ord(letter)
        if not self._shapes and any(low <= code <= high for low, high in _SHAPED):
            return False
        if code > 0xFFFF and role != "extra":
            return False
        face = self.face(role, _PROBE)
        if role not in self._missing:
            self._missing[role] = _glyph(face, _MISSING)
        return _glyph(face, letter) != self._missing[role]


def _glyph(face: ImageFont.FreeTypeFont, letter: str) -> tuple[object, float, bytes]:
    mask = face.getmask(letter, mode="L")
    return mask.size, face.getlength(letter), bytes(mask)


def clean(text: str) -> str:
    """One line of plain text: spaces joined, control characters and pictographs dropped."""
    kept = (
        letter
        for letter in unicodedata.normalize("NFC", text)
        if letter.isspace() or not _is_ornament(letter)
    )
    return " ".join("".join(kept).split())


def _is_ornament(letter: str) -> bool:
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Me"):
        return True
    pictograph = kind in ("So", "Sk") and letter not in "©®™°№"
    return pictograph or 0xFE00 <= ord(letter) <= 0xFE0F or 0x1F000 <= ord(letter) <= 0x1FAFF
