"""A presenter and a product in one advertisement. Presenter: a portrait photograph, a
person cut out of a plain ground, or an illustrated figure; ``stage.person`` is set."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import BLACK, WHITE, mix, shade
from contentsvc_studio.images.layouts import pieces
from contentsvc_studio.images.sets import place_person
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.stage import Box, Stage, blurred


def _person(stage: Stage) -> Shot:
    if stage.person is None:
        raise ValueError("this layout needs a person")
    return stage.person


def _words(stage: Stage, box: Box, align: str, size: float = 7.4) -> None:
    palette = stage.palette
    stage.write(
        [
            pieces.eyebrow(stage, palette.accent),
            pieces.title(stage, palette.ink, size),
            pieces.lead(stage, palette.muted, 2.8),
        ],
        box,
        align,
    )


def _product_card(stage: Stage, box: Box, lift: float = 2.0) -> None:
    """The product in a white card, where there is a product picture."""
    if stage.shots:
        stage.show(stage.shot, box, "rounded", lift=lift, radius=2.2, border=0.9)


def beside(stage: Stage) -> None:
    """The presenter fills one side; the product card lies over the seam."""
    unit = stage.unit
    stage.wall()
    if stage.facts.silent and not stage.shots:
        stage.show(_person(stage), stage.whole)
        return
    panel, text = stage.split(0.50 if stage.wide else 0.58)
    stage.show(_person(stage), panel)
    if stage.wide:
        side = round(min(text.h * 0.46, text.w * 0.62)) if stage.shots else 0
        x = text.x - round(side * 0.22) if not stage.mirrored else text.x + text.w - round(side * 0.78)
        _product_card(stage, Box(x, round(stage.height * 0.09), side, side))
        words = text.inset(8 * unit, 8 * unit)
        top = round(stage.height * 0.09) + side
        _words(
            stage,
            Box(words.x, top + round(2 * unit), words.w, stage.height - top - round(9 * unit)),
            "left",
            7,
        )
        return
    side = round(min(stage.width * 0.40, text.h * 0.86)) if stage.shots else 0
    x = stage.width - side - round(6 * unit)
    y = text.y - round(side * 0.34) if not stage.mirrored else text.y + text.h - round(side * 0.66)
    _product_card(stage, Box(x, y, side, side))
    left = round(7 * unit)
    room = x - 2 * left + round(2 * unit) if side else stage.width - 2 * left
    _words(stage, Box(left, text.y + round(5 * unit), room, text.h - round(10 * unit)), "left", 6.4)


def arch_and_disc(stage: Stage) -> None:
    """The presenter in an arch, the product in a ringed disc over its foot."""
    unit, palette = stage.unit, stage.palette
    stage.wall()
    light.leaf_shadow(stage.picture, stage.rng, palette.dusk, 0.4)
    inner = stage.whole.inset(7 * unit)
    silent = stage.facts.silent
    if stage.wide:
        arch, text = stage.split(0.46, inner, gap=7)
        if stage.shots:
            # The disc reaches over the arch's edge; words begin beyond it.
            reach = round(min(arch.w, arch.h) * 0.52 * 0.40)
            left = text.x if stage.mirrored else text.x + reach
            text = Box(left, text.y, text.w - reach, text.h)
    else:
        arch = inner.part(0.08, 0, 0.72, 0.98 if silent else 0.68)
        text = inner.part(0, 0.75, 1, 0.25)
        if stage.mirrored:
            arch = inner.part(0.20, 0, 0.72, 0.98 if silent else 0.68)
    stage.show(_person(stage), arch, "arch", lift=1.0)
    if stage.shots:
        side = round(min(arch.w, arch.h) * 0.52)
        x = arch.x + arch.w - round(side * 0.62) if not stage.mirrored else arch.x - round(side * 0.38)
        disc = Box(x, arch.y + arch.h - round(side * 1.04), side, side)
        stage.show(stage.shot, disc, "circle", lift=1.8, border=0.9, border_colour=palette.panel)
    if not silent:
        _words(stage, text, "left" if stage.wide else "center", 7.2)


def cover_story(stage: Stage) -> None:
    """The presenter over the whole picture, brand above, product card and title below."""
    unit, facts = stage.unit, stage.facts
    person = _person(stage)
    if stage.wide and person.cut is None:
        _to_one_side(stage, person)
    else:
        stage.picture.paste(stage.render(person, stage.width, stage.height))
    dark = mix(shade(stage.palette.dusk, -0.3), BLACK, 0.5)
    if not facts.silent:
        light.tint(stage.picture, light.ramp(stage.picture.size, "bottom", 0.5, 0.95), dark, 0.85)
    inner = stage.whole.inset(7 * unit)
    side = round(30 * unit) if stage.shots else 0
    x = inner.x if not stage.mirrored else inner.x + inner.w - side
    _product_card(stage, Box(x, inner.y + inner.h - side, side, side))
    shift = side + round(5 * unit) if side else 0
    left = inner.x if stage.mirrored else inner.x + shift
    box = Box(left, inner.y + inner.h - round(34 * unit), inner.w - shift, round(34 * unit))
    stage.write(
        [
            pieces.eyebrow(stage, (236, 222, 204)),
            pieces.title(stage, (250, 246, 240), 7.6),
            pieces.chips(stage, mix(dark, WHITE, 0.86), dark, 2),
        ],
        box,
        "left",
        1.0,
    )


def _to_one_side(stage: Stage, person: Shot) -> None:
    """An upright photograph in a wide picture: at one side, melting into a blur of itself."""
    stage.picture.paste(blurred(person, stage.picture.size, 0.06))
    width = round(stage.width * 0.62)
    scene = stage.render(person, width, stage.height)
    edge = light.ramp((width, stage.height), "left" if stage.mirrored else "right", 0.0, 0.34)
    stage.picture.paste(scene, (0 if stage.mirrored else stage.width - width, 0), edge)


def pair(stage: Stage) -> None:
    """Presenter and product as two equal panels with a band of words."""
    unit = stage.unit
    stage.wall()
    inner = stage.whole.inset(6 * unit)
    if stage.facts.silent:
        area = inner
    else:
        area, text = stage.split(0.66 if stage.wide else 0.70, inner, gap=6)
        _words(stage, text, "left" if stage.wide else "center", 6.8)
    if not stage.shots:
        stage.show(_person(stage), area, "rounded", lift=1.2, radius=2.6)
        return
    one, two = stage.split(0.54, area, gap=2.2, stacked=area.h > 1.7 * area.w)
    drop = round(area.h * 0.07) if one.h == two.h else 0
    stage.show(_person(stage), Box(one.x, one.y, one.w, one.h - drop), "rounded", lift=1.2, radius=2.6)
    stage.show(stage.shot, Box(two.x, two.y + drop, two.w, two.h - drop), "rounded", lift=1.2, radius=2.6)


def prints(stage: Stage) -> None:
    """Two prints on a sunlit table, the product's over the presenter's."""
    unit, palette = stage.unit, stage.palette
    stage.wall()
    light.window_light(stage.picture, stage.rng, shade(palette.glow, 0.05), 0.5)
    inner = stage.whole.inset(6 * unit)
    if stage.facts.silent:
        area = inner
    else:
        area, text = stage.split(0.60 if stage.wide else 0.70, inner, gap=5)
        _words(stage, text, "left" if stage.wide else "center", 6.8)
    turn = -1 if stage.mirrored else 1
    high = round(min(area.h * 0.80, area.w * 0.86))
    spread = area.w * 0.17 if stage.shots else 0
    first = (area.x + area.w / 2 - turn * spread, area.y + area.h * 0.46)
    stage.print_of(_person(stage), round(high * 0.76), high, 3.2 * turn, first, foot=1.0)
    if stage.shots:
        side = round(min(area.w * 0.48, high * 0.56))
        second = (area.x + area.w / 2 + turn * area.w * 0.24, area.y + area.h - side * 0.62)
        stage.print_of(stage.shot, side, round(side * 1.12), -4.5 * turn, second, foot=2.6)


def spotlight(stage: Stage) -> None:
    """The presenter in front of a disc of colour, the product card at the chest's height."""
    unit, palette = stage.unit, stage.palette
    stage.fill(palette.ground)
    if stage.facts.silent:
        scene = stage.whole
    else:
        scene, text = stage.split(0.54 if stage.wide else 0.70)
        _words(
            stage,
            text.inset(7 * unit, (8 if stage.wide else 3.5) * unit),
            "left" if stage.wide else "center",
            6.8,
        )
    person = _person(stage)
    disc = scene.inset(5 * unit).square()
    back = mix(palette.ground, palette.panel if palette.dark else palette.accent, 0.34)
    ring = masks.frame("circle", disc.w, disc.h)
    stage.picture.paste(back, (disc.x, disc.y), ring)
    if person.cut is not None:
        _in_front(stage, person, scene, disc)
    else:
        stage.show(person, disc, "circle")
    if stage.shots:
        side = round(min(scene.w, scene.h) * 0.36)
        x = scene.x + scene.w - side - round(5 * unit) if not stage.mirrored else scene.x + round(5 * unit)
        _product_card(stage, Box(x, scene.y + scene.h - side - round(3.5 * unit), side, side))


def _in_front(stage: Stage, person: Shot, scene: Box, disc: Box) -> None:
    """The cut-out person rises over the disc's upper edge and ends with its lower edge."""
    top = max(scene.y, disc.y - round(4 * stage.unit))
    area = Box(disc.x, top, disc.w, disc.y + disc.h - top)
    layer = stage.picture.copy()
    place_person(layer, person, area, 0.97)
    keep = Image.new("L", stage.picture.size, 0)
    circle = masks.frame("circle", disc.w, disc.h)
    keep.paste(255, (area.x, area.y, area.x + area.w, disc.y + disc.h // 2))
    keep.paste(circle.crop((0, disc.h // 2, disc.w, disc.h)), (disc.x, disc.y + disc.h // 2))
    stage.picture.paste(layer, (0, 0), keep)


def presented(stage: Stage) -> None:
    """A figure that holds the product card, on a sunlit wall."""
    unit, palette = stage.unit, stage.palette
    stage.wall()
    light.window_light(stage.picture, stage.rng, shade(palette.glow, 0.07), 0.55)
    if stage.facts.silent:
        place_person(stage.picture, _person(stage), stage.whole, 0.9)
        return
    scene, text = stage.split(0.56 if stage.wide else 0.72, stacked=False if stage.wide else None)
    if not stage.wide:
        # The figure grows from the lower edge, so the words stand above it.
        text = Box(0, 0, stage.width, round(stage.height * 0.26))
        scene = Box(0, text.h, stage.width, stage.height - text.h)
    place_person(stage.picture, _person(stage), scene, 0.93 if stage.wide else 0.99)
    _words(stage, text.inset(7 * unit, 5 * unit), "left" if stage.wide else "center", 6.8)


def presented_disc(stage: Stage) -> None:
    """A figure that holds the product card, before a disc of colour."""
    unit, palette = stage.unit, stage.palette
    stage.fill(palette.ground)
    scene, text = stage.split(0.56, stacked=False)
    if stage.facts.silent:
        scene = stage.whole
    elif not stage.wide:
        text = Box(0, 0, stage.width, round(stage.height * 0.26))
        scene = Box(0, text.h, stage.width, stage.height - text.h)
    side = round(min(scene.w * 0.94, scene.h * 0.94))
    tone = mix(palette.ground, palette.panel if palette.dark else palette.accent, 0.36)
    at = (scene.x + (scene.w - side) // 2, scene.y + round(scene.h * 0.06))
    stage.picture.paste(tone, at, masks.frame("circle", side, side))
    place_person(stage.picture, _person(stage), scene, 0.93 if stage.wide else 0.96)
    if not stage.facts.silent:
        _words(stage, text.inset(7 * unit, 4.5 * unit), "left" if stage.wide else "center", 6.8)
