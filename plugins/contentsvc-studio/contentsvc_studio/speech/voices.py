"""Voices by name, and what espeak-ng calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from contentsvc.plugin import ProviderError

WORDS_PER_MINUTE = 165
# Letters that only some languages are written with; the first found decides.
_LETTERS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")), ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")), ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")), ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")), ("hi", re.compile(r"[\u0900-\u097f]")),
)  # fmt: skip
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}(?:\+[a-z]{1,12}[0-9]?)?")


@dataclass(frozen=True, slots=True)
class Voice:
    """``accent`` is an espeak-ng voice, ``timbre`` one of its variants; pitch and range 0 to 100."""

    accent: str
    timbre: str
    pitch: int = 50
    range: int = 55


VOICES: Mapping[str, Voice] = {
    "clara": Voice("en-us", "f3", 52, 62),
    "emma": Voice("en-gb", "f2", 55, 60),
    "isla": Voice("en-gb-scotland", "f4", 50, 58),
    "james": Voice("en-gb-x-rp", "m3", 42, 55),
    "henry": Voice("en-us", "m7", 40, 55),
    "leo": Voice("en-us", "m3", 48, 60),
}
DEFAULT = "clara"


def voice_for(name: str, language: str) -> Voice:
    """The voice of a name, or of an espeak-ng tag such as ``de`` or ``fr-be+f2``.

    A named voice speaks another ``language`` (an IETF tag) with the same timbre. Raises
    ProviderError for a name that is neither.
    """
    name, tag = name.strip().lower(), language.strip().lower().replace("_", "-")
    voice = VOICES.get(name or DEFAULT)
    if voice is None:
        if not _TAG.fullmatch(name):
            raise ProviderError(f"Studio has no voice {name[:32]!r}; it has {', '.join(VOICES)}.")
        accent, _, timbre = name.partition("+")
        return Voice(accent, timbre)
    if not tag or tag.split("-")[0] == "en" or not _TAG.fullmatch(tag):
        return voice
    return Voice(tag, voice.timbre, voice.pitch, voice.range)


def language_of(text: str) -> str:
    """The language that a text's letters speak for; empty for Latin ones."""
    return next((tag for tag, letters in _LETTERS if letters.search(text)), "")


def names_to_try(voice: Voice) -> list[str]:
    """What to ask espeak-ng for, in this order: the tag, then its language alone. Chinese
    goes by the name of its spoken standard."""
    language = voice.accent.split("-")[0]
    accents = [voice.accent, {"zh": "cmn", "nb": "nb", "no": "nb"}.get(language, language)]
    suffix = f"+{voice.timbre}" if voice.timbre else ""
    return list(dict.fromkeys(accent + suffix for accent in accents))
