"""Light and shadow: gradients, glows, soft shadows, window light, grain.

Every function takes an RGB picture and returns nothing: it paints on it.
"""

from __future__ import annotations

import math
import random

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from contentsvc_studio.images.color import RGB

REDUCED = 4


def gradient(size: tuple[int, int], top: RGB, bottom: RGB) -> Image.Image:
    """A vertical gradient, RGB."""
    ramp = Image.linear_gradient("L").resize(size, Image.Resampling.BICUBIC)
    return Image.composite(Image.new("RGB", size, bottom), Image.new("RGB", size, top), ramp)


def tint(
    picture: Image.Image, mask: Image.Image, colour: RGB, opacity: float, at: tuple[int, int] = (0, 0)
) -> None:
    """Paint a colour through a mask; ``opacity`` 0 to 1."""
    if opacity < 1:
        mask = mask.point([round(value * opacity) for value in range(256)])
    picture.paste(colour, (at[0], at[1], at[0] + mask.width, at[1] + mask.height), mask)


def ramp(size: tuple[int, int], edge: str, start: float, end: float) -> Image.Image:
    """A mask that grows from 0 at ``start`` to 255 at ``end`` (fractions) towards an
    ``edge``: "bottom", "top", "left" or "right"."""
    table = []
    for value in range(256):
        share = (value / 255 - start) / max(1e-6, end - start)
        share = min(1.0, max(0.0, share))
        table.append(round(255 * share * share * (3 - 2 * share)))
    turn = {
        "bottom": None,
        "top": Image.Transpose.ROTATE_180,
        "right": Image.Transpose.ROTATE_90,
        "left": Image.Transpose.ROTATE_270,
    }[edge]
    base = Image.linear_gradient("L").point(table)
    if turn is not None:
        base = base.transpose(turn)
    return base.resize(size, Image.Resampling.BICUBIC)


def glow(
    picture: Image.Image,
    centre: tuple[float, float],
    radius: float,
    colour: RGB,
    opacity: float,
    squeeze: float = 1.0,
) -> None:
    """A soft round light; ``centre`` and ``radius`` in pixels, ``squeeze`` flattens it."""
    width, height = max(2, round(2 * radius)), max(2, round(2 * radius * squeeze))
    spot = ImageChops.invert(Image.radial_gradient("L")).point(_falloff())
    spot = spot.resize((width, height), Image.Resampling.BICUBIC)
    at = (round(centre[0] - width / 2), round(centre[1] - height / 2))
    tint(picture, spot, colour, opacity, at)


def _falloff() -> list[int]:
    # The radial gradient reaches 255 in the corners; what lies beyond the circle is cut.
    table = []
    for value in range(256):
        share = max(0.0, (value / 255 - 0.2929) / 0.7071)
        table.append(round(255 * share * share * (3 - 2 * share)))
    return table


def softened(picture: Image.Image, strength: float) -> Image.Image:
    """The picture out of focus; ``strength`` as a share of its longer side."""
    small = picture.reduce(REDUCED)
    small = small.filter(ImageFilter.GaussianBlur(strength * max(small.size)))
    return small.resize(picture.size, Image.Resampling.BICUBIC)


def vignette(picture: Image.Image, colour: RGB, opacity: float) -> None:
    """Darker corners."""
    table = [round(255 * min(1.0, max(0.0, (value / 255 - 0.42) / 0.58)) ** 1.6) for value in range(256)]
    corners = Image.radial_gradient("L").point(table).resize(picture.size, Image.Resampling.BICUBIC)
    tint(picture, corners, colour, opacity)


def shadow(
    picture: Image.Image,
    mask: Image.Image,
    at: tuple[float, float],
    blur: float,
    offset: tuple[float, float] = (0, 0),
    opacity: float = 0.35,
    colour: RGB = (16, 12, 10),
) -> None:
    """The soft shadow of a shape whose mask lies at ``at``; lengths in pixels."""
    margin = math.ceil(blur * 2.6)
    width, height = mask.width + 2 * margin, mask.height + 2 * margin
    small = Image.new("L", (max(1, width // REDUCED), max(1, height // REDUCED)), 0)
    shape = mask.resize((max(1, mask.width // REDUCED), max(1, mask.height // REDUCED)), Image.Resampling.BOX)
    small.paste(shape, (margin // REDUCED, margin // REDUCED))
    small = small.filter(ImageFilter.GaussianBlur(blur / REDUCED))
    soft = small.resize((width, height), Image.Resampling.BICUBIC)
    where = (round(at[0] + offset[0] - margin), round(at[1] + offset[1] - margin))
    tint(picture, soft, colour, opacity, where)


def lift(
    picture: Image.Image, mask: Image.Image, at: tuple[float, float], height: float, strength: float = 1.0
) -> None:
    """Two shadows, a tight one and a wide one, as of a card that stands off the wall by
    ``height`` pixels."""
    shadow(picture, mask, at, height * 1.5, (height * 0.25, height * 1.15), 0.30 * strength)
    shadow(picture, mask, at, max(1.5, height * 0.28), (height * 0.05, height * 0.22), 0.24 * strength)


def window_light(picture: Image.Image, rng: random.Random, colour: RGB, opacity: float) -> None:
    """Sun through a window: slanted panes of light with soft edges."""
    width, height = picture.width // REDUCED, picture.height // REDUCED
    light = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(light)
    slant = rng.uniform(0.28, 0.5) * rng.choice((-1, 1))
    pane, bar = width * rng.uniform(0.2, 0.27), width * 0.022
    start = width * rng.uniform(0.02, 0.25) - min(0.0, slant) * height * 0.4
    rise = height * rng.uniform(0.17, 0.23)
    for row in range(3):
        for column in range(2):
            left = start + column * (pane + bar)
            top = height * 0.02 + row * (rise + bar) + column * pane * 0.18
            corners = [
                (left, top),
                (left + pane, top + pane * 0.18),
                (left + pane, top + rise + pane * 0.18),
                (left, top + rise),
            ]
            draw.polygon([(x - slant * y, y) for x, y in corners], fill=255)
    light = light.filter(ImageFilter.GaussianBlur(width * 0.011))
    tint(picture, light.resize(picture.size, Image.Resampling.BICUBIC), colour, opacity)


def leaf_shadow(picture: Image.Image, rng: random.Random, colour: RGB, opacity: float) -> None:
    """The blurred shadow of palm fronds that come in from one upper corner."""
    width, height = picture.width // REDUCED, picture.height // REDUCED
    cast = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(cast)
    side = rng.choice((0, 1))
    for frond in range(3):
        base = (width * (0.02 if side == 0 else 0.98), height * (-0.02 + 0.10 * frond))
        angle = math.radians(rng.uniform(18, 34) + 20 * frond)
        _frond(
            draw, base, angle if side == 0 else math.pi - angle, max(width, height) * rng.uniform(0.42, 0.56)
        )
    cast = cast.filter(ImageFilter.GaussianBlur(max(width, height) * 0.0065))
    tint(picture, cast.resize(picture.size, Image.Resampling.BICUBIC), colour, opacity)


def _frond(draw: ImageDraw.ImageDraw, base: tuple[float, float], angle: float, length: float) -> None:
    for step in range(3, 20):
        along = step / 20
        bend = angle + 0.35 * along * along * (1 if math.cos(angle) > 0 else -1)
        x = base[0] + math.cos(bend) * length * along
        y = base[1] + math.sin(bend) * length * along
        reach = length * 0.36 * math.sin(math.pi * (0.12 + 0.86 * along)) ** 0.8
        for turn in (-1, 1):
            away = bend + turn * (1.05 - 0.45 * along)
            tip = (x + math.cos(away) * reach, y + math.sin(away) * reach)
            across = (math.sin(away) * reach * 0.055, -math.cos(away) * reach * 0.055)
            mid = (x + math.cos(away) * reach * 0.45, y + math.sin(away) * reach * 0.45)
            draw.polygon(
                [
                    (x, y),
                    (mid[0] + across[0], mid[1] + across[1]),
                    tip,
                    (mid[0] - across[0], mid[1] - across[1]),
                ],
                fill=255,
            )


def grain(picture: Image.Image, seed: int, strength: int = 5) -> None:
    """Fine film grain, the same for the same seed: hides banding and the softness of
    enlargements. ``strength`` is the largest step in levels."""
    side = 256
    rng = random.Random(seed)  # noqa: S311 - variety, not secrecy
    first = Image.frombytes("L", (side, side), rng.randbytes(side * side))
    second = Image.frombytes("L", (side, side), rng.randbytes(side * side))
    noise = Image.blend(first, second, 0.5)
    table = [round((value - 127.5) / 127.5 * strength * 1.5) for value in range(256)]
    tile_up = noise.point([max(0, value) for value in table])
    tile_down = noise.point([max(0, -value) for value in table])
    up, down = Image.new("L", picture.size), Image.new("L", picture.size)
    for top in range(0, picture.height, side):
        for left in range(0, picture.width, side):
            up.paste(tile_up, (left, top))
            down.paste(tile_down, (left, top))
    lighter = ImageChops.add(picture, Image.merge("RGB", (up,) * 3))
    picture.paste(ImageChops.subtract(lighter, Image.merge("RGB", (down,) * 3)))
