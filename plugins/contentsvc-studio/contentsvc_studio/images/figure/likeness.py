"""Recognising Studio's own figures on a portrait, so that the same person can be drawn
again: from other sides, or standing in a scene. Nobody else is ever recognised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PIL import Image, ImageChops, ImageFilter, ImageStat

from contentsvc_studio.images.color import RGB, oklch
from contentsvc_studio.images.figure.draw import draw_figure
from contentsvc_studio.images.figure.traits import GARMENTS, HAIRS, MAN_STYLES, SKINS, WOMAN_STYLES, Traits

WORK = 320
SIDE, FINE = (60, 80), (150, 200)
PIXELS = 110
# What lies around a figure while outlines are compared: a colour no figure has.
AROUND = (255, 0, 255)
# Mean difference in levels: a figure's own portrait has 5 to 12, a photograph over 30.
NEAR = 20.0
PAPERS: tuple[RGB, ...] = tuple(oklch(0.87, 0.045, hue) for hue in (20, 70, 110, 155, 205, 255, 305))


def paper_for(traits: Traits) -> RGB:
    """The ground that is furthest from every colour of a figure."""
    own = (traits.skin, traits.hair, traits.cloth, traits.inner)
    return max(PAPERS, key=lambda paper: min(_far(paper, colour) for colour in own))


def _far(one: RGB, two: RGB) -> int:
    return max(abs(a - b) for a, b in zip(one, two, strict=True))


def traits_of(photo: Image.Image) -> Traits | None:
    """The traits of the figure on a portrait, None for anybody else."""
    cut = _cut(photo)
    if cut is None:
        return None
    goal, fine = _normal(cut), _normal(cut, FINE)
    cloth, inner = _colour_at(cut, (0.24, 0.34, 0.80, 0.92)), _colour_at(cut, (0.47, 0.53, 0.62, 0.66))
    hair = _known_hair(_colour_at(cut, (0.42, 0.58, 0.04, 0.08)))
    start = Traits(True, SKINS[2], hair, "long", "crew", cloth, inner, False, False, False, False, 0.0)
    best = _closest(
        goal,
        [
            replace(start, woman=woman, style=style, skin=skin)
            for woman, styles in ((True, (*WOMAN_STYLES, "crop")), (False, (*MAN_STYLES, "long", "bun")))
            for style in styles
            for skin in SKINS[1::3]
        ],
    )
    best = _closest(goal, [replace(best, skin=skin) for skin in SKINS])
    best = _closest(goal, [replace(best, hair=colour) for colour in sorted({hair, *HAIRS.values()})])
    styles = (*WOMAN_STYLES, "crop") if best.woman else (*MAN_STYLES, "long", "bun")
    best = _closest(goal, [replace(best, style=style) for style in styles])
    best = _closest(goal, [replace(best, garment=garment) for garment in GARMENTS])
    beards = (False,) if best.woman else (False, True)
    best = _closest(
        fine, [replace(best, beard=beard, glasses=worn) for beard in beards for worn in (False, True)]
    )
    return best if _distance(goal, best) < NEAR else None


def _cut(photo: Image.Image) -> Image.Image | None:
    """What stands before plain paper and grows from the lower edge, RGBA."""
    small = photo.convert("RGB")
    small.thumbnail((WORK, WORK), Image.Resampling.BOX)
    top = small.crop((0, 0, small.width, max(2, small.height // 24)))
    if max(ImageStat.Stat(top).stddev) > 4:
        return None
    red, green, blue = ImageStat.Stat(top).median
    parts = ImageChops.difference(small, Image.new("RGB", small.size, (red, green, blue))).split()
    distance = ImageChops.lighter(ImageChops.lighter(parts[0], parts[1]), parts[2])
    mask = distance.point(lambda value: 255 if value > 14 else 0).filter(ImageFilter.MedianFilter(5))
    box = mask.getbbox()
    if box is None or box[3] < small.height - 4 or min(box[2] - box[0], box[3] - box[1]) < 40:
        return None
    small.putalpha(mask)
    return small.crop(box)


def _closest(goal: Image.Image, candidates: Iterable[Traits]) -> Traits:
    return min(candidates, key=lambda traits: _distance(goal, traits))


def _distance(goal: Image.Image, traits: Traits) -> float:
    image = draw_figure(traits, PIXELS if goal.size == SIDE else 2 * PIXELS).image
    drawn = _normal(image.crop(image.getchannel("A").getbbox()), goal.size)
    return sum(ImageStat.Stat(ImageChops.difference(goal, drawn)).mean) / 3


def _normal(cut: Image.Image, size: tuple[int, int] = SIDE) -> Image.Image:
    small = cut.resize(size, Image.Resampling.BOX)
    flat = Image.new("RGB", size, AROUND)
    flat.paste(small, mask=small.getchannel("A"))
    return flat


def _colour_at(cut: Image.Image, part: tuple[float, float, float, float]) -> RGB:
    """The median colour of a part of the picture: left, right, top, bottom in fractions."""
    left, right, top, bottom = part
    box = (cut.width * left, cut.height * top, cut.width * right + 1, cut.height * bottom + 1)
    red, green, blue = ImageStat.Stat(cut.convert("RGB").crop([round(edge) for edge in box])).median  # type: ignore[arg-type]
    return red, green, blue


def _known_hair(colour: RGB) -> RGB:
    """The natural hair colour nearby, else the colour itself."""
    nearest = min(HAIRS.values(), key=lambda known: _far(known, colour))
    return nearest if _far(nearest, colour) < 30 else colour
