"""Storyboard frames: a shot of the film, composed of its scene, its people and the product."""

from __future__ import annotations

import re

from PIL import Image, ImageFilter

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import mix, shade
from contentsvc_studio.images.layouts.base import place_behind, standing
from contentsvc_studio.images.sets import place_product
from contentsvc_studio.images.shots import LEAST_KEPT, Shot
from contentsvc_studio.images.stage import Box, Stage

# A full frame of a small photograph is soft, but moves; a print of it doesn't look like film.
MOST_ENLARGEMENT = 5.4
_ALONE = re.compile(
    r"close-up|closeup|macro|top view|top-down|overhead|low-angle|product shot|packshot|of the product"
)
_PEOPLE = re.compile(
    r"\b(woman|man|girl|boy|person|people|he|she|mother|father|medium shot|portrait|smil|holding|hands|"
    r"looks?|looking)"
)


def wants_person(text: str) -> bool:
    """Whether a shot's description has somebody in it."""
    lowered = text.lower()
    if re.search(r"medium shot|wide shot of [A-Z]", text):
        return True
    return bool(_PEOPLE.search(lowered)) and not _ALONE.search(lowered)


def frame(stage: Stage) -> None:
    """One shot. The words choose what is in it, the index how it is framed."""
    alone = bool(_ALONE.search(stage.text.lower())) or stage.person is None
    if stage.shots and alone:
        _product_shot(stage)
    elif stage.person is not None:
        _person_shot(stage)
    else:
        stage.picture.paste(place_behind(stage, 1.0, 0.0))
    _grade(stage)


def _product_shot(stage: Stage) -> None:
    """The product alone: filling the frame, or standing in the scene."""
    shot = stage.shot
    if shot.cut is not None:
        _on_a_table(stage, shot)
        return
    zoom = (1.0, 1.25, 1.5)[stage.turn % 3]
    # Small photographs have no room to come nearer; every other one is a print in the scene.
    if _fills(stage, shot) and (stage.turn % 2 == 0 or shot.fills(stage.width, stage.height)):
        stage.picture.paste(
            shot.crop(stage.width, stage.height, zoom if shot.fills(stage.width, stage.height) else 1.0)
        )
        return
    stage.picture.paste(place_behind(stage, 1.3, 0.012))
    width = round(stage.width * 0.84)
    height = round(min(width * 1.2, stage.height * 0.7))
    _card(stage, shot, Box((stage.width - width) // 2, round((stage.height - height) * 0.46), width, height))


def _fills(stage: Stage, shot: Shot) -> bool:
    scale = min(shot.photo.width / stage.width, shot.photo.height / stage.height)
    kept = scale * scale * stage.width * stage.height / (shot.photo.width * shot.photo.height)
    return kept >= LEAST_KEPT and 1 / scale <= MOST_ENLARGEMENT


def _on_a_table(stage: Stage, shot: Shot) -> None:
    picture = place_behind(stage, (1.2, 1.5, 1.35)[stage.turn % 3], 0.010)
    top = round(stage.height * (0.70, 0.64, 0.76)[stage.turn % 3])
    wood = mix((196, 158, 120), stage.palette.panel, 0.25)
    table = light.gradient((stage.width, stage.height - top), shade(wood, 0.05), shade(wood, -0.08))
    picture.paste(table, (0, top))
    edge = Image.new("L", (stage.width, round(0.8 * stage.unit)), 255)
    light.tint(picture, edge, (255, 244, 226), 0.5, (0, top))
    share = (0.62, 0.84, 0.5)[stage.turn % 3]
    foot = (stage.width / 2, top + (stage.height - top) * 0.38)
    place_product(picture, shot, foot, stage.width * share, stage.height * 0.5)
    stage.picture.paste(picture)


def _person_shot(stage: Stage) -> None:
    """Somebody in the scene; the product beside them where the shot is about it."""
    close = "close" in stage.text.lower()
    wide = "wide" in stage.text.lower() and not close
    zoom, blur, share = (1.5, 0.008, 0.80) if close else (1.0, 0.0, 0.50) if wide else (1.2, 0.004, 0.66)
    picture = place_behind(stage, zoom, blur)
    shift = 0 if close else round(stage.width * (-0.10, 0.10, 0.0)[stage.turn % 3])
    box = Box(shift, 0, stage.width, stage.height)
    if shift and stage.person is not None and stage.person.cut is not None:
        wider = abs(shift)
        box = (
            Box(0, 0, stage.width - wider, stage.height)
            if shift < 0
            else Box(wider, 0, stage.width - wider, stage.height)
        )
    standing(stage, picture, box, share)
    stage.picture.paste(picture)
    if stage.shots and re.search(
        r"\bwith the|holding|showing|turning|setting down|reaching|product", stage.text.lower()
    ):
        _beside(stage, shift)


def _beside(stage: Stage, shift: int) -> None:
    """The product in front of the person, above the lower quarter, where films have their subtitles."""
    shot = stage.shot
    side = round(min(stage.width, stage.height) * 0.40)
    x = stage.width - side - round(5 * stage.unit) if shift <= 0 else round(5 * stage.unit)
    foot = round(stage.height * 0.745)
    if shot.cut is not None:
        place_product(stage.picture, shot, (x + side / 2, foot), side, side)
        return
    _card(stage, shot, Box(x, foot - side, side, side), radius=side / 2 / stage.unit)


def _card(stage: Stage, shot: Shot, box: Box, radius: float = 3.0) -> None:
    """A photograph with a white edge, lifted off what is behind it."""
    mask = masks.frame("rounded", box.w, box.h, radius * stage.unit)
    light.lift(stage.picture, mask, (box.x, box.y), 2.2 * stage.unit)
    stage.picture.paste((252, 250, 246), (box.x, box.y), mask)
    inner = box.inset(1.1 * stage.unit)
    view = shot.crop(inner.w, inner.h)
    stage.picture.paste(
        view, (inner.x, inner.y), masks.frame("rounded", inner.w, inner.h, (radius - 1.1) * stage.unit)
    )


def _grade(stage: Stage) -> None:
    """Film light: a little glow from one side, darker corners."""
    picture = stage.picture
    soft = picture.resize((max(2, picture.width // 8), max(2, picture.height // 8)), Image.Resampling.BOX)
    soft = soft.filter(ImageFilter.GaussianBlur(6)).resize(picture.size, Image.Resampling.BICUBIC)
    picture.paste(Image.blend(picture, soft, 0.10))
    side = 0.18 if stage.turn % 2 else 0.82
    light.glow(
        picture, (picture.width * side, picture.height * 0.12), picture.width * 0.9, (255, 236, 200), 0.22
    )
    light.vignette(picture, (18, 12, 10), 0.30)
