"""What an instruction asks for, as far as its words are recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contentsvc_studio.scripts.material import tidy

_TONES = {
    "funny": ("funny", "funnier", "fun", "humor", "humour", "humorous", "playful", "witty", "joke", "silly",
              "comedy", "hilarious", "lighter"),
    "formal": ("formal", "serious", "professional", "factual", "corporate", "matter", "sober", "technical"),
    "warm": ("warm", "warmer", "emotional", "heartfelt", "cosy", "cozy", "personal", "friendly", "friendlier",
             "gentle", "family", "tender", "nostalgic"),
    "bold": ("bold", "bolder", "energetic", "energy", "dynamic", "punchy", "punchier", "exciting", "urgent",
             "loud", "fast", "faster", "hype"),
    "calm": ("calm", "calmer", "quiet", "slow", "slower", "minimal", "minimalist", "elegant", "luxury",
             "luxurious", "poetic", "peaceful", "premium"),
}  # fmt: skip
_NUMBERS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_SHORTER = ("shorter", "short", "tighter", "cut", "trim", "concise", "brief", "briefer")
_LONGER = ("longer", "extend", "expand", "more detail", "detailed")
_COMMANDS = ("make", "write", "rewrite", "create", "show", "use", "focus", "please", "add", "change", "keep",
             "replace", "remove", "mention", "give", "let", "turn", "start", "end", "more", "less",
             "it", "a script", "an ad", "script", "don't", "no", "set")  # fmt: skip
_QUOTED = re.compile(r"[\"\u201c\u00ab]([^\"\u201d\u00bb]{2,200})[\"\u201d\u00bb]")
_COUNT = re.compile(r"\b(\d{1,2}|" + "|".join(_NUMBERS) + r")[ -](?:shots?|segments?|scenes?|parts?)\b")
_FOR = re.compile(
    r"\bfor ((?!the\b|a\b|an\b|this\b|that\b|our\b|me\b|us\b|it\b)[a-z][\w' -]{2,40})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """``length`` is a factor on the script's length. ``line`` is what is to be said word for
    word, ``theme`` a short theme that can stand as a sentence; empty where not asked for."""

    text: str = ""
    tone: str | None = None
    length: float = 1.0
    count: int | None = None
    audience: str = ""
    line: str = ""
    theme: str = ""

    @property
    def is_understood(self) -> bool:
        """Whether any word meant something for the text itself."""
        return bool(self.tone or self.length != 1.0 or self.count or self.audience or self.line)


def read_wishes(instruction: str) -> Wishes:
    """The wishes of an instruction, English words only; an empty one wishes nothing."""
    text = tidy(instruction)
    small = text.lower()
    words = re.findall(r"[a-z']+", small)
    quoted = _QUOTED.search(text)
    count = _COUNT.search(small)
    audience = _FOR.search(text)
    length = 1.0
    if any(word in words for word in _SHORTER):
        length = 0.75
    elif any(re.search(rf"\b{word}\b", small) for word in _LONGER):
        length = 1.3
    return Wishes(
        text=text[:300],
        tone=_tone(words),
        length=length,
        count=_count(count.group(1)) if count else None,
        audience=audience.group(1).strip() if audience else "",
        line=quoted.group(1).strip() if quoted else "",
        theme=_theme(text, words),
    )


def _tone(words: list[str]) -> str | None:
    """The tone named first."""
    for word in words:
        for tone, names in _TONES.items():
            if word in names:
                return tone
    return None


def _count(word: str) -> int:
    return max(1, min(20, _NUMBERS.get(word) or int(word)))


def _theme(text: str, words: list[str]) -> str:
    """The text itself where it reads like a line of copy rather than an order."""
    if not words or not 2 <= len(text.split()) <= 12 or _COUNT.search(text.lower()):
        return ""
    known = {word for names in _TONES.values() for word in names} | {*_SHORTER, *_LONGER}
    first, whole = words[0], text.lower()
    if first in known or any(whole.startswith(word + " ") for word in _COMMANDS) or "script" in words:
        return ""
    opening = text.partition(",")[0]
    return (opening if len(opening.split()) >= 2 else text).rstrip(".")
