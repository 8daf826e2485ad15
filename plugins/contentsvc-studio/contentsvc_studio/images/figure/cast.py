"""An illustrated figure as the person of a picture, labelled as such."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.figure.draw import Figure, draw_figure
from contentsvc_studio.images.figure.traits import Traits, draw_traits
from contentsvc_studio.images.saliency import CENTRE
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.stage import Stage


def cast_figure(stage: Stage, holding: bool) -> None:
    """Give the stage an illustrated person; with ``holding`` one that presents the
    product card."""
    traits = draw_traits(stage.theme, stage.rng, stage.palette.hue)
    cast_known(stage, traits, holding)


def cast_known(stage: Stage, traits: Traits, holding: bool = False) -> None:
    """Give the stage the illustrated person with these traits."""
    stage.traits = traits
    pixels = round(min(stage.height * 1.0, stage.width * 1.15, 1300))
    figure = draw_figure(traits, pixels, holding=holding and bool(stage.shots))
    image = _with_card(stage, figure) if figure.front is not None else figure.image
    box = image.getchannel("A").getbbox()
    cut = image.crop(box) if box else image
    flat = Image.new("RGB", cut.size, stage.palette.panel)
    flat.paste(cut, mask=cut.getchannel("A"))
    stage.person = Shot(flat, cut, CENTRE, stage.palette.hue, stage.palette.chroma, person=True)
    stage.notes["illustration"] = True
    stage.notes["illustration_label"] = traits.label


def _with_card(stage: Stage, figure: Figure) -> Image.Image:
    image = figure.image
    left, top, width, height = (
        round(value * length) for value, length in zip(figure.card, image.size * 2, strict=True)
    )
    ground = image.convert("RGB")
    radius = width * 0.05
    mask = masks.frame("rounded", width, height, radius)
    light.lift(ground, mask, (left, top), width * 0.035)
    alpha = image.getchannel("A")
    ground.paste((253, 252, 249), (left, top), mask)
    edge = round(width * 0.035)
    inner = stage.render(stage.shot, width - 2 * edge, height - 2 * edge)
    ground.paste(inner, (left + edge, top + edge), masks.frame("rounded", *inner.size, radius * 0.6))
    ground.putalpha(alpha)
    whole = Image.new("L", image.size, 0)
    whole.paste(mask, (left, top))
    solid = Image.new("L", image.size, 255)
    ground.putalpha(Image.composite(solid, alpha, whole))
    if figure.front is not None:
        ground.alpha_composite(figure.front)
    return ground
