"""Pictures of a platform set around one product, first half: hero to ambience."""

from __future__ import annotations

import math

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import BLACK, WHITE, mix, readable, shade
from contentsvc_studio.images.layouts import pieces
from contentsvc_studio.images.lists import Dots
from contentsvc_studio.images.sets import floor, place_product
from contentsvc_studio.images.stage import Box, Stage
from contentsvc_studio.images.text import Item, Para


def hero(stage: Stage) -> None:
    """The product large beside or above brand, title and one sentence."""
    palette, unit = stage.palette, stage.unit
    stage.wall()
    if stage.facts.silent:
        _silent_hero(stage)
        return
    picture_box, text_box = stage.split(0.58 if stage.wide else 0.60)
    if stage.shot.cut is not None:
        _hero_set(stage, picture_box)
    else:
        stage.show(stage.shot, picture_box)
    pad = 8.5 * unit
    stage.write(
        [
            pieces.eyebrow(stage, palette.accent),
            pieces.title(stage, palette.ink, 9.4),
            pieces.rule(palette.accent),
            pieces.lead(stage, palette.muted),
        ],
        text_box.inset(pad, 7 * unit),
    )


def _hero_set(stage: Stage, box: Box) -> None:
    """A seamless set over the whole picture with the subject standing in the box."""
    palette = stage.palette
    light.glow(
        stage.picture,
        (box.x + box.w / 2, box.y + box.h * 0.45),
        max(box.w, box.h) * 0.7,
        shade(palette.ground, 0.14),
        0.8,
    )
    horizon = round(box.y + box.h * 0.70)
    if stage.wide:
        floor(stage.picture, horizon, palette.ground)
    foot = (box.x + box.w / 2, box.y + box.h * 0.88)
    place_product(stage.picture, stage.shot, foot, box.w * 0.80, box.h * 0.76)


def _silent_hero(stage: Stage) -> None:
    margin = 7 * stage.unit
    light.window_light(stage.picture, stage.rng, WHITE, 0.35)
    stage.show(stage.shot, stage.whole.inset(margin), "rounded", lift=2.4, radius=1.6)


def selling_points(stage: Stage) -> None:
    """The points as a numbered list beside a framed photograph."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.ground)
    inner = stage.whole.inset(7 * unit)
    facts = stage.facts
    rows = pieces.points(stage, palette.ink, palette.muted, palette.accent) or pieces.specs(
        stage, palette.ink, palette.muted, palette.ground, 4
    )
    if facts.silent:
        stage.show(stage.shot, inner, "rounded", lift=2.0, radius=3)
        return
    share = 0.44 if stage.tall else 0.5
    picture_box, text_box = stage.split(share, inner, gap=6.5, stacked=stage.tall)
    stage.show(stage.shot, picture_box, "rounded", lift=1.8, radius=3)
    heading = pieces.title(stage, palette.ink, 6.2, lines=2)
    stage.write(
        [pieces.eyebrow(stage, palette.accent, 2.0), heading, *(rows or [pieces.lead(stage, palette.muted)])],
        text_box,
    )


def close_up(stage: Stage) -> None:
    """The photograph with round close-ups of its details over the edge."""
    unit = stage.unit
    stage.wall()
    inner = stage.whole.inset(7 * unit)
    head = round((0 if stage.facts.silent else 17) * unit)
    area = Box(inner.x, inner.y + head, inner.w, inner.h - head)
    if head:
        _caption_line(stage, Box(inner.x, inner.y, inner.w, head - round(4 * unit)))
    if stage.wide:
        side = round(min(area.h * 0.46, area.w * 0.24))
        main = Box(area.x, area.y, area.w - round(side * 0.62), area.h)
        if stage.mirrored:
            main = Box(area.x + round(side * 0.62), area.y, main.w, main.h)
        x = main.x - round(side * 0.38) if stage.mirrored else main.x + main.w - round(side * 0.38)
        gap = (area.h - 2 * side) // 3
        spots = [Box(x, area.y + gap + at * (side + gap), side, side) for at in range(2)]
    else:
        side = round(min(area.w * 0.36, area.h * 0.34))
        main = Box(area.x, area.y, area.w, area.h - round(side * 0.55))
        y = main.y + main.h - round(side * 0.45)
        gap = (area.w - 2 * side) // 3
        spots = [Box(area.x + gap + at * (side + gap), y, side, side) for at in range(2)]
    stage.show(stage.shot, main, "rounded", lift=1.8, radius=2.4)
    for box, spot in zip(spots, ((0.35, 0.30), (0.68, 0.62)), strict=True):
        _lens(stage, box, spot)


def _caption_line(stage: Stage, box: Box) -> None:
    palette = stage.palette
    stage.write(
        [pieces.eyebrow(stage, palette.accent, 2.0), pieces.title(stage, palette.ink, 6.4, lines=1)],
        box,
        "center",
    )


def _lens(stage: Stage, box: Box, spot: tuple[float, float]) -> None:
    """A round close-up with a ring."""
    mask = masks.frame("circle", box.w, box.h)
    light.lift(stage.picture, mask, (box.x, box.y), 1.6 * stage.unit)
    stage.picture.paste(
        stage.palette.glow if not stage.palette.dark else stage.palette.panel, (box.x, box.y), mask
    )
    inner = box.inset(0.8 * stage.unit)
    detail = stage.shot.detail(inner.w, inner.h, spot, 0.36)
    stage.picture.paste(detail, (inner.x, inner.y), masks.frame("circle", inner.w, inner.h))


def spec_sheet(stage: Stage) -> None:
    """The specification in rows beside an arched photograph."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.panel)
    inner = stage.whole.inset(7 * unit)
    ink, accent = palette.panel_ink, palette.panel_accent
    muted = readable(mix(ink, palette.panel, 0.35), palette.panel)
    rows = pieces.specs(stage, ink, muted, palette.panel)
    if not rows:
        rows = pieces.points(stage, ink, muted, accent)
    if stage.facts.silent:
        stage.show(stage.shot, inner, "arch")
        return
    picture_box, text_box = stage.split(0.43, inner, gap=7, stacked=stage.tall)
    if stage.tall:
        picture_box = picture_box.part(0.13, 0, 0.74, 1)
    elif picture_box.h > 1.65 * picture_box.w:
        high = round(1.65 * picture_box.w)
        picture_box = Box(picture_box.x, picture_box.y + (picture_box.h - high) // 2, picture_box.w, high)
    stage.show(stage.shot, picture_box, "arch")
    align = "center" if stage.tall else "left"
    stage.write(
        [
            pieces.eyebrow(stage, accent, 2.0),
            pieces.title(stage, ink, 6.0, lines=2),
            *(rows or [pieces.lead(stage, muted)]),
        ],
        text_box,
        align,
    )


def ambience(stage: Stage) -> None:
    """A print of the photograph on a dark, soft enlargement of itself."""
    unit = stage.unit
    shot = stage.shot
    stage.backdrop(0.05)
    dusk = shade(stage.palette.dusk, -0.25) if stage.palette.dark else mix(stage.palette.ink, BLACK, 0.4)
    light.tint(stage.picture, Image.new("L", stage.picture.size, 255), dusk, 0.58)
    light.vignette(stage.picture, BLACK, 0.5)
    angle = stage.rng.uniform(2.0, 3.6) * (-1 if stage.mirrored else 1)
    inner = stage.whole.inset(6.5 * unit)
    if stage.facts.silent:
        box = inner
    else:
        box, text = stage.split(0.55 if stage.wide else 0.62, inner, gap=6)
        pale = (246, 240, 232)
        stage.write(
            [
                pieces.eyebrow(stage, (226, 208, 186)),
                pieces.title(stage, pale, 8.2),
                pieces.lead(stage, (226, 218, 208), 2.8),
            ],
            text.inset(1.5 * unit),
            "left" if stage.wide else "center",
        )
    width, height = _print_size(stage, box, angle)
    stage.print_of(shot, width, height, angle, (box.x + box.w / 2, box.y + box.h / 2), foot=1.0)


def _print_size(stage: Stage, box: Box, angle: float) -> tuple[int, int]:
    """The largest print near the photograph's own ratio whose turned corners stay inside."""
    photo = stage.shot.photo
    ratio = min(1.5, max(0.72, photo.width / photo.height))
    turn = math.radians(abs(angle))
    high = min(
        box.w / (ratio * math.cos(turn) + math.sin(turn)), box.h / (ratio * math.sin(turn) + math.cos(turn))
    )
    return round(high * ratio), round(high)


def poster(stage: Stage) -> None:
    """Flat bold colour, a disc with the product, the title in large letters."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.ground)
    inner = stage.whole.inset(7 * unit)
    if stage.facts.silent:
        circle, text = inner, None
    else:
        circle, text = stage.split(0.52 if stage.wide else 0.56, inner, gap=5)
    disc = circle.square()
    ring = masks.frame("circle", disc.w, disc.h)
    bleed = round(disc.w * 0.10) * (1 if stage.mirrored == stage.wide else -1)
    back = mix(palette.ground, palette.panel, 0.22)
    stage.picture.paste(back, (disc.x + bleed, disc.y + round(disc.w * 0.05)), ring)
    stage.show(stage.shot, disc, "circle", lift=1.6)
    if text is None:
        return
    accent_ink = readable(palette.ground, palette.accent, 4.5)
    stage.write(
        [
            pieces.eyebrow(stage, palette.accent, 2.2),
            pieces.title(stage, palette.ink, 9.6, "poster"),
            pieces.chips(stage, palette.accent, accent_ink),
        ],
        text,
        "left" if stage.wide else "center",
    )


def single_point(stage: Stage) -> None:
    """One selling point in large italics beside a round photograph."""
    palette, unit = stage.palette, stage.unit
    stage.wall()
    light.leaf_shadow(stage.picture, stage.rng, palette.dusk, 0.42)
    inner = stage.whole.inset(8 * unit)
    points = stage.facts.points
    if stage.facts.silent:
        stage.show(stage.shot, inner, "circle", lift=2.2, border=1.2)
        return
    picture_box, text_box = stage.split(0.48 if stage.wide else 0.54, inner, gap=6)
    stage.show(stage.shot, picture_box, "circle", lift=2.2, border=1.2)
    if points:
        name, detail = points[stage.seed % len(points)]
        body: list[Item | None] = [
            Para(name, "italic", 8.0, palette.ink, least=3.2, lines=4, leading=1.05, gap=3.0),
            Dots(palette.accent) if detail else None,
            Para(detail, "text", 2.9, palette.muted, least=2.0, lines=4, leading=1.42, optional=True)
            if detail
            else None,
        ]
    else:
        body = [
            pieces.title(stage, palette.ink, 8, "italic"),
            Dots(palette.accent),
            pieces.lead(stage, palette.muted),
        ]
    stage.write(
        [pieces.eyebrow(stage, palette.accent, 2.1), *body], text_box, "left" if stage.wide else "center"
    )
