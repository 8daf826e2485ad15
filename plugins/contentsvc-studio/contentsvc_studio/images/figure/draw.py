"""Putting a figure together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PIL import Image

from contentsvc_studio.images.figure.body import CARD, draw_body, draw_thumbs
from contentsvc_studio.images.figure.head import draw_hair_behind, draw_head
from contentsvc_studio.images.figure.sheet import Sheet
from contentsvc_studio.images.figure.traits import Traits

WIDTH, HEIGHT = 100, 118
PIVOT = (50.0, 53.0)
HEAD_SCALE, HEAD_DROP = 1.14, 4.3


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure down to the waist, RGBA on one sheet. ``front`` lies before the card it
    holds; ``card`` is the card's left, top, width, height as fractions of the sheet."""

    image: Image.Image
    front: Image.Image | None
    card: tuple[float, float, float, float]


def draw_figure(traits: Traits, pixels: int, holding: bool = False) -> Figure:
    """A figure ``pixels`` high."""
    scale = pixels / HEIGHT
    head_back, body, head = (Sheet(WIDTH, HEIGHT, scale) for _ in range(3))
    draw_hair_behind(head_back, traits)
    draw_body(body, traits, holding)
    draw_head(head, traits)
    image = posed(head_back, traits.tilt)
    image.alpha_composite(body.result())
    image.alpha_composite(posed(head, traits.tilt))
    front = None
    if holding:
        thumbs = Sheet(WIDTH, HEIGHT, scale)
        draw_thumbs(thumbs, traits)
        front = thumbs.result()
    left, top, width, height = CARD
    return Figure(image, front, (left / WIDTH, top / HEIGHT, width / WIDTH, height / HEIGHT))


def posed(sheet: Sheet, degrees: float) -> Image.Image:
    """A drawing of the head, larger, lower and tilted about the neck: a head of life size
    looks small on flat shapes."""
    drawing = sheet.result()
    unit = drawing.width / WIDTH
    x, y = PIVOT[0] * unit, PIVOT[1] * unit
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    cos, sin = cos / HEAD_SCALE, sin / HEAD_SCALE
    low = y + HEAD_DROP * unit
    matrix = (cos, -sin, x - cos * x + sin * low, sin, cos, y - sin * x - cos * low)
    return drawing.transform(drawing.size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)
