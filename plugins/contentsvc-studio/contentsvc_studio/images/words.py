"""What a brief asks for, as far as words are recognised: colours, seasons, moods, people.

English words and a few Chinese ones. What isn't recognised changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

COLOURS: Mapping[str, tuple[float, float]] = {
    "red": (27, 0.16), "crimson": (20, 0.16), "burgundy": (15, 0.10), "terracotta": (42, 0.11),
    "orange": (58, 0.15), "amber": (75, 0.13), "peach": (55, 0.08), "coral": (32, 0.13),
    "yellow": (98, 0.15), "mustard": (90, 0.12), "gold": (88, 0.11), "golden": (88, 0.11),
    "green": (148, 0.13), "olive": (115, 0.09), "sage": (145, 0.05), "mint": (165, 0.08),
    "emerald": (160, 0.12), "teal": (195, 0.09), "turquoise": (192, 0.11), "cyan": (205, 0.11),
    "blue": (255, 0.14), "navy": (262, 0.09), "sky": (235, 0.10), "indigo": (275, 0.14),
    "purple": (305, 0.14), "violet": (295, 0.14), "lavender": (300, 0.07), "lilac": (312, 0.07),
    "pink": (355, 0.12), "rose": (8, 0.10), "blush": (20, 0.05), "magenta": (335, 0.16),
    "brown": (52, 0.07), "chocolate": (45, 0.06), "beige": (80, 0.03), "cream": (88, 0.03),
    "sand": (80, 0.04), "grey": (250, 0.008), "gray": (250, 0.008), "white": (90, 0.008),
    "black": (270, 0.008), "silver": (250, 0.008),
    "红": (27, 0.16), "橙": (58, 0.15), "黄": (98, 0.15), "绿": (148, 0.13), "蓝": (255, 0.14),
    "紫": (305, 0.14), "粉": (355, 0.12), "棕": (52, 0.07), "白": (90, 0.008), "黑": (270, 0.008),
}  # fmt: skip

MOODS: Mapping[str, tuple[float, float, str]] = {
    "spring": (140, 0.08, "leaves"), "summer": (70, 0.13, "sun"), "autumn": (50, 0.12, "leaves"),
    "fall": (50, 0.12, "leaves"), "winter": (245, 0.05, "hills"), "christmas": (150, 0.09, "lights"),
    "holiday": (25, 0.12, "lights"), "snow": (240, 0.04, "hills"), "beach": (215, 0.09, "waves"),
    "sea": (225, 0.10, "waves"), "ocean": (230, 0.10, "waves"), "water": (220, 0.09, "waves"),
    "mountain": (230, 0.06, "hills"), "mountains": (230, 0.06, "hills"), "desert": (60, 0.09, "hills"),
    "landscape": (140, 0.07, "hills"), "forest": (150, 0.08, "leaves"), "garden": (140, 0.09, "leaves"),
    "plant": (145, 0.09, "leaves"), "botanical": (145, 0.08, "leaves"), "tropical": (155, 0.11, "leaves"),
    "natural": (125, 0.05, "leaves"), "organic": (120, 0.05, "leaves"), "sunset": (40, 0.13, "sun"),
    "sunrise": (65, 0.11, "sun"), "sunny": (80, 0.12, "sun"), "night": (275, 0.08, "lights"),
    "party": (330, 0.14, "lights"), "festive": (20, 0.13, "lights"), "city": (265, 0.05, "lights"),
    "cozy": (50, 0.09, "podium"), "cosy": (50, 0.09, "podium"), "warm": (50, 0.10, "podium"),
    "cold": (240, 0.06, "hills"), "cool": (230, 0.07, "waves"), "luxury": (75, 0.06, "podium"),
    "elegant": (70, 0.04, "podium"), "minimal": (80, 0.02, "podium"), "minimalist": (80, 0.02, "podium"),
    "studio": (60, 0.04, "podium"), "podium": (60, 0.06, "podium"), "modern": (255, 0.08, "shapes"),
    "geometric": (40, 0.13, "shapes"), "abstract": (300, 0.10, "shapes"), "bold": (25, 0.16, "shapes"),
    "playful": (350, 0.13, "shapes"), "fresh": (160, 0.09, "waves"), "calm": (220, 0.05, "waves"),
    "morning": (75, 0.08, "sun"), "coffee": (52, 0.07, "podium"), "sale": (25, 0.16, "shapes"),
    "春": (140, 0.08, "leaves"), "夏": (70, 0.13, "sun"), "秋": (50, 0.12, "leaves"),
    "冬": (245, 0.05, "hills"), "海": (225, 0.10, "waves"), "山": (230, 0.06, "hills"),
}  # fmt: skip

DARK_WORDS = frozenset({"dark", "black", "night", "moody", "midnight", "dramatic", "noir", "黑", "夜"})
BOLD_WORDS = frozenset({"bold", "vivid", "bright", "vibrant", "loud", "neon", "pop"})
SOFT_WORDS = frozenset({"soft", "pastel", "light", "airy", "white", "minimal", "minimalist", "gentle"})

_WORD = re.compile(r"[a-z]+")
_TONES = "|".join(
    ("blond", "blonde", "auburn", "chestnut", "ginger", *(word for word in COLOURS if word.isascii()))
)
_HAIR = re.compile(
    rf"\b({_TONES})\b(?:[ -](?!and\b|with\b)[a-z]+){{0,2}}?[ -](?:hair|bob|bun|beard|curls|ponytail)\b"
)
_GARMENT = re.compile(
    r"(?:\b([a-z]+)[ -])?(?:[a-z]+[ -])?\b(shirt|blouse|blazer|jacket|suit|roll-neck|turtleneck|sweater|"
    r"t-shirt|jumper|hoodie|top|dress|apron)\b"
)


@dataclass(frozen=True, slots=True)
class Theme:
    """``hue`` is None where the brief names neither colour nor mood."""

    hue: float | None = None
    chroma: float = 0.08
    motif: str | None = None
    schemes: tuple[str, ...] | None = None
    words: frozenset[str] = frozenset()
    hair: str = ""
    cloth: str = ""
    garment: str = ""

    def says(self, *words: str) -> bool:
        """Whether the brief holds one of the words."""
        return not self.words.isdisjoint(words)


def read_theme(brief: str) -> Theme:
    """The theme of a brief. A named colour wins over the colour of a season or mood."""
    words = _words(brief)
    known = [word for word in words if word in COLOURS]
    moods = [MOODS[word] for word in words if word in MOODS]
    hue, chroma = None, 0.08
    if known:
        hue, chroma = COLOURS[known[0]]
    elif moods:
        hue, chroma = moods[0][0], moods[0][1]
    present = frozenset(words)
    hair, garment = _HAIR.search(brief.lower()), _GARMENT.search(brief.lower())
    worn = [word for word in _WORD.findall(garment.group(0)) if word in COLOURS] if garment else []
    return Theme(
        hue,
        chroma,
        moods[0][2] if moods else None,
        _schemes(present),
        present,
        hair=hair.group(1) if hair else "",
        cloth=worn[0] if worn else "",
        garment=garment.group(2) if garment else "",
    )


def _schemes(words: frozenset[str]) -> tuple[str, ...] | None:
    if words & DARK_WORDS:
        return ("deep", "contrast", "deep", "bold")
    if words & BOLD_WORDS:
        return ("bold", "neighbour", "deep", "contrast")
    if words & SOFT_WORDS:
        return ("paper", "tint", "paper", "neighbour")
    return None


def _words(brief: str) -> list[str]:
    lowered = brief.lower()
    words = _WORD.findall(lowered)
    joined = {**COLOURS, **MOODS}
    return [
        *words,
        *(sign for sign in (*joined, "女", "男", "夜", "老") if not sign.isascii() and sign in lowered),
    ]
