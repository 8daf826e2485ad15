"""The same figure from three sides, as far as flat shapes can turn."""

from __future__ import annotations

from dataclasses import replace

from PIL import Image

from contentsvc_studio.images.color import shade
from contentsvc_studio.images.figure.body import draw_body
from contentsvc_studio.images.figure.draw import HEIGHT, WIDTH, draw_figure, posed
from contentsvc_studio.images.figure.head import (
    FACE,
    draw_features,
    draw_glasses,
    draw_hair_behind,
    draw_head,
)
from contentsvc_studio.images.figure.sheet import Sheet, mirrored
from contentsvc_studio.images.figure.traits import Traits

TURN = 3.4
NARROWER = 0.84


def three_views(traits: Traits, pixels: int) -> tuple[Image.Image, Image.Image, Image.Image]:
    """Front, half side and back (RGBA), each ``pixels`` high."""
    straight = replace(traits, tilt=0.0)
    return draw_figure(straight, pixels).image, _half_side(straight, pixels), _back(straight, pixels)


def _half_side(traits: Traits, pixels: int) -> Image.Image:
    """The face looks to one side, the body is narrower."""
    scale = pixels / HEIGHT
    behind, body, head, features = (Sheet(WIDTH, HEIGHT, scale) for _ in range(4))
    draw_hair_behind(behind, traits)
    draw_body(body, traits, False)
    draw_head(head, traits, features=False)
    draw_features(features, traits)
    if traits.glasses:
        draw_glasses(features)
    image = posed(behind, 0.0)
    image.alpha_composite(_squeezed(body.result(), NARROWER))
    image.alpha_composite(posed(head, 0.0))
    image.alpha_composite(_shifted(_squeezed(posed(features, 0.0), 0.86), TURN * image.width / WIDTH))
    return image


def _back(traits: Traits, pixels: int) -> Image.Image:
    """Hair where the face was; the garment is closed."""
    scale = pixels / HEIGHT
    behind, body, head = (Sheet(WIDTH, HEIGHT, scale) for _ in range(3))
    draw_hair_behind(behind, traits)
    draw_body(body, replace(traits, garment="crew"), False)
    body.blob([(43.4, 58.4), (50, 56.8), (56.6, 58.4), (55.4, 64.6), (50, 65.4), (44.6, 64.6)], traits.cloth)
    for side in (-1, 1):
        head.oval(50 + side * 11.4, 34.2, 2.3, 3.5, traits.skin)
    if traits.style == "shaved":
        head.blob(FACE, traits.skin)
    else:
        nape = 47.0 if traits.style in ("crop", "side", "quiff", "bun", "pony") else 52.0
        head.blob(
            mirrored(
                [(50, 11.8), (59.4, 14.2), (64.2, 22), (63.8, 34), (60.6, 43), (55.4, nape), (50, nape + 0.8)]
            ),
            traits.hair,
        )
        for strand in (-5.5, 0.0, 5.5):
            head.stroke([(50 + strand * 0.5, 16), (50 + strand * 1.1, 30), (50 + strand, 41)], 0.5,
                        shade(traits.hair, 0.05), 0.2)  # fmt: skip
    covers = traits.style in ("long", "waves", "curls", "bob")
    image = Image.new("RGBA", posed(head, 0.0).size)
    layers = (body.result(), posed(behind, 0.0)) if covers else (posed(behind, 0.0), body.result())
    for layer in (*layers, posed(head, 0.0)):
        image.alpha_composite(layer)
    return image


def _squeezed(image: Image.Image, share: float) -> Image.Image:
    width = image.width
    matrix = (1 / share, 0.0, width / 2 * (1 - 1 / share), 0.0, 1.0, 0.0)
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)


def _shifted(image: Image.Image, by: float) -> Image.Image:
    return image.transform(image.size, Image.Transform.AFFINE, (1, 0, -by, 0, 1, 0), Image.Resampling.BICUBIC)
