"""How an illustrated figure looks: asked for by words, else drawn from the seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from contentsvc_studio.images.color import RGB, oklch
from contentsvc_studio.images.words import COLOURS, Theme

SKINS: tuple[RGB, ...] = (
    (250, 220, 200), (241, 200, 172), (226, 175, 140), (200, 144, 106), (160, 106, 74), (112, 72, 52),
)  # fmt: skip
HAIRS: dict[str, RGB] = {
    "black": (38, 32, 36), "brown": (86, 56, 42), "chestnut": (120, 70, 44), "auburn": (146, 70, 42),
    "blond": (218, 178, 112), "blonde": (218, 178, 112), "red": (178, 82, 44), "ginger": (190, 98, 50),
    "grey": (168, 166, 168), "gray": (168, 166, 168), "silver": (190, 190, 194), "white": (222, 220, 218),
}  # fmt: skip
WOMAN_STYLES = ("long", "bob", "bun", "curls", "waves", "pony")
MAN_STYLES = ("crop", "side", "curls", "quiff", "shaved")
GARMENTS = ("crew", "shirt", "blazer", "roll", "vneck")
_GARMENTS = {
    "shirt": "shirt", "blouse": "shirt", "blazer": "blazer", "jacket": "blazer", "suit": "blazer",
    "roll-neck": "roll", "turtleneck": "roll", "sweater": "crew", "t-shirt": "crew", "jumper": "crew",
    "hoodie": "crew", "top": "crew", "dress": "vneck", "apron": "crew",
}  # fmt: skip
# Lightness of a garment whose colour is named: most words name the middle of a hue.
_LIGHTNESS = {
    "navy": 0.34, "black": 0.27, "white": 0.93, "cream": 0.90, "beige": 0.84, "grey": 0.62, "gray": 0.62,
    "mustard": 0.74, "yellow": 0.84, "terracotta": 0.58, "brown": 0.45, "chocolate": 0.38,
}  # fmt: skip

_WOMAN = ("woman", "women", "female", "girl", "lady", "she", "her", "mother", "mom", "女")
_MAN = ("man", "men", "male", "boy", "gentleman", "guy", "he", "his", "father", "dad", "男")
_OLD = ("old", "older", "senior", "elderly", "grandmother", "grandfather", "mature", "老")
_STYLES = {
    "long": "long", "bob": "bob", "bun": "bun", "curly": "curls", "curls": "curls", "afro": "curls",
    "wavy": "waves", "ponytail": "pony", "short": "crop", "bald": "shaved", "shaved": "shaved",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Traits:
    """Everything that differs between two figures."""

    woman: bool
    skin: RGB
    hair: RGB
    style: str
    garment: str
    cloth: RGB
    inner: RGB
    beard: bool
    glasses: bool
    earrings: bool
    old: bool
    tilt: float

    @property
    def label(self) -> str:
        """What the picture's metadata says of the person."""
        return f"Illustrated {'woman' if self.woman else 'man'}, drawn by Studio; not a real person"


def draw_traits(theme: Theme, rng: random.Random, hue: float) -> Traits:
    """The traits the words ask for; the rest from ``rng``. ``hue`` (degrees) is the
    palette's, clothes go with it."""
    woman = _sex(theme, rng)
    old = theme.says(*_OLD)
    asked = next((_STYLES[word] for word in sorted(theme.words) if word in _STYLES), None)
    drawn = rng.choice(WOMAN_STYLES if woman else MAN_STYLES)
    styles = (*WOMAN_STYLES, "crop") if woman else (*MAN_STYLES, "long", "bun")
    style = asked if asked in styles else drawn
    skin = _skin(theme, rng)
    hair = _hair(theme, rng, old, SKINS.index(skin))
    shift = rng.choice((0, 150, 180, 210, 35))
    cloth = oklch(rng.choice((0.34, 0.45, 0.58, 0.72)), rng.uniform(0.035, 0.075), (hue + shift) % 360)
    if theme.cloth:
        tone, chroma = COLOURS[theme.cloth]
        cloth = oklch(_LIGHTNESS.get(theme.cloth, 0.52), min(0.12, chroma), tone)
    garment = rng.choice(GARMENTS)
    return Traits(
        woman=woman,
        skin=skin,
        hair=hair,
        style=style,
        garment=_GARMENTS.get(theme.garment, garment),
        cloth=cloth,
        inner=oklch(0.95, 0.012, hue),
        beard=theme.says("beard", "bearded") or (not woman and rng.random() < 0.35),
        glasses=theme.says("glasses", "spectacles") or rng.random() < 0.18,
        earrings=woman and rng.random() < 0.6,
        old=old,
        tilt=rng.uniform(-3.5, 3.5),
    )


def _sex(theme: Theme, rng: random.Random) -> bool:
    woman = rng.random() < 0.5
    if theme.says(*_WOMAN):
        return True
    return False if theme.says(*_MAN) else woman


def _skin(theme: Theme, rng: random.Random) -> RGB:
    drawn = rng.choice(SKINS)
    if theme.says("skin", "skinned", "complexion"):
        if theme.says("dark", "black", "brown", "deep"):
            return SKINS[5]
        if theme.says("light", "fair", "pale"):
            return SKINS[0]
    return drawn


def _hair(theme: Theme, rng: random.Random, old: bool, tone: int) -> RGB:
    natural = ("black", "brown", "chestnut", "auburn", "blond") if tone < 3 else ("black", "brown")
    drawn = HAIRS[rng.choice(natural)]
    if theme.hair in HAIRS:
        return HAIRS[theme.hair]
    if theme.says("hair", "haired", "blond", "blonde", "brunette", "redhead", "ginger"):
        if theme.says("brunette"):
            return HAIRS["brown"]
        if theme.says("redhead"):
            return HAIRS["ginger"]
        asked = next((word for word in HAIRS if theme.says(word)), None)
        if asked:
            return HAIRS[asked]
        odd = next((word for word in COLOURS if theme.says(word)), None)
        if odd:
            hue, chroma = COLOURS[odd]
            return oklch(0.6, chroma, hue)
    return HAIRS["silver"] if old else drawn
