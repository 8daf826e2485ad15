"""From words to a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from PIL import Image

from contentsvc_studio.images import light
from contentsvc_studio.images.color import RGB, oklch, shade
from contentsvc_studio.images.places import outdoors, rooms
from contentsvc_studio.images.places.canvas import Canvas
from contentsvc_studio.images.places.rooms import Look
from contentsvc_studio.images.words import COLOURS, Theme

Place: TypeAlias = Callable[[Canvas, Look], None]

# The first group with a word of the description wins, so the narrower come first.
PLACES: tuple[tuple[Place, tuple[str, ...]], ...] = (
    (rooms.bathroom, ("bathroom", "bath", "shower", "spa", "浴室")),
    (
        rooms.cafe,
        ("café", "cafe", "coffee", "bar", "bistro", "restaurant", "bakery", "咖啡馆", "咖啡厅", "餐厅"),
    ),
    (rooms.kitchen, ("kitchen", "dining", "cooking", "厨房")),
    (rooms.children, ("children", "kids", "nursery", "playroom", "classroom", "教室")),
    (rooms.bedroom, ("bedroom", "bed", "hotel", "卧室")),
    (rooms.office, ("office", "desk", "workspace", "library", "study", "办公室", "书房")),
    (rooms.gym, ("gym", "fitness", "yoga", "健身房")),
    (outdoors.market, ("market", "stall", "bazaar", "商店")),
    (outdoors.beach, ("beach", "sea", "ocean", "coast", "lake", "pool", "海滩")),
    (outdoors.forest, ("forest", "woods", "jungle", "森林")),
    (outdoors.mountain, ("mountain", "mountains", "trail", "hill", "hills", "desert", "valley")),
    (outdoors.garden, ("garden", "terrace", "patio", "balcony", "lawn", "meadow", "花园", "阳台")),
    (outdoors.park, ("park", "playground", "field", "farm", "公园")),
    (
        outdoors.street,
        ("street", "city", "town", "shop", "store", "alley", "square", "rooftop", "街道", "城市"),
    ),
    (rooms.photo_studio, ("studio", "backdrop", "podium", "seamless")),
    (rooms.living_room, ("living", "sofa", "room", "home", "house", "apartment", "客厅")),
)
OUTDOORS = frozenset(place for place, _ in PLACES if place.__module__.endswith("outdoors"))
EVENING = ("evening", "night", "dusk", "sunset", "lamp", "lamps", "candle", "dark", "moody", "夜")
# Sky by the time of day, in OKLCH.
SKIES: Mapping[str, tuple[float, float, float]] = {
    "day": (0.80, 0.075, 235),
    "evening": (0.66, 0.09, 295),
    "sunset": (0.74, 0.11, 40),
}


def place_for(words: frozenset[str], text: str) -> Place:
    """The place a description speaks of; a living room where none is recognised."""
    for place, names in PLACES:
        if any(name in words if name.isascii() else name in text for name in names):
            return place
    return rooms.living_room


def draw_place(size: tuple[int, int], text: str, theme: Theme, rng: Random) -> tuple[Image.Image, str]:
    """The picture (RGB) and the place's name. The same words and ``rng`` give the same place."""
    lowered = text.lower()
    place = place_for(theme.words, lowered)
    evening = theme.says(*EVENING)
    canvas = Canvas(size, rng)
    look = _look(theme, rng, evening)
    place(canvas, look)
    picture = canvas.result()
    if rng.random() < 0.5:
        picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if place in OUTDOORS:
        _outdoor_light(picture, evening)
    else:
        light.window_light(picture, rng, (255, 240, 208), 0.16 if evening else 0.30)
        light.vignette(picture, (40, 22, 10), 0.34 if evening else 0.18)
    if evening:
        light.tint(picture, Image.new("L", size, 255), (52, 34, 62), 0.16)
    return picture, place.__name__


def _outdoor_light(picture: Image.Image, evening: bool) -> None:
    tone = (255, 190, 130) if evening else (255, 244, 214)
    light.glow(picture, (picture.width * 0.7, picture.height * 0.16), max(picture.size) * 0.6, tone, 0.22)
    light.vignette(picture, (30, 26, 40), 0.16)


def _look(theme: Theme, rng: Random, evening: bool) -> Look:
    named = next((COLOURS[word] for word in COLOURS if theme.says(word)), None)
    hue, chroma = named or (rng.choice((30, 45, 60, 140, 190, 250)), 0.09)
    wall_hue = rng.choice((70, 80, 95, 200, 110))
    wall: RGB = oklch(rng.uniform(0.88, 0.93), rng.uniform(0.015, 0.035), wall_hue)
    sky = SKIES["sunset" if theme.says("sunset", "sunrise") else "evening" if evening else "day"]
    return Look(
        wall=shade(wall, -0.10) if evening else wall,
        accent=oklch(0.60, max(0.03, min(0.12, chroma)), hue),
        sky=oklch(*sky),
        evening=evening,
    )
