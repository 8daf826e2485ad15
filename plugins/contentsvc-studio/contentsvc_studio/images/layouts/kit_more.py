"""Pictures of a platform set around one product, second half: arch to label."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import BLACK, WHITE, mix, readable, shade
from contentsvc_studio.images.layouts import pieces
from contentsvc_studio.images.lists import Dots
from contentsvc_studio.images.sets import floor, place_product
from contentsvc_studio.images.stage import Box, Stage
from contentsvc_studio.images.text import Para


def arch_window(stage: Stage) -> None:
    """An arched opening in a sunlit wall, the words on the wall beneath or beside it."""
    palette, unit = stage.palette, stage.unit
    stage.wall()
    light.window_light(stage.picture, stage.rng, shade(palette.glow, 0.06), 0.55)
    inner = stage.whole.inset(7.5 * unit)
    if stage.facts.silent:
        arch = inner.part(0.12, 0.02, 0.76, 0.96)
    elif stage.wide:
        arch, text = stage.split(0.44, inner, gap=8)
    else:
        arch = inner.part(0.14, 0, 0.72, 0.62)
        text = inner.part(0, 0.67, 1, 0.33)
    _niche(stage, arch)
    if not stage.facts.silent:
        stage.write(
            [
                pieces.eyebrow(stage, palette.accent),
                pieces.title(stage, palette.ink, 7.8),
                Dots(palette.accent),
                pieces.lead(stage, palette.muted, 3.4, "italic"),
            ],
            text,
            "left" if stage.wide else "center",
        )


def _niche(stage: Stage, box: Box) -> None:
    """A photograph set into the wall: pale rim, inner shadow at the upper edge."""
    rim = round(1.3 * stage.unit)
    outer = masks.frame("arch", box.w, box.h)
    light.shadow(
        stage.picture, outer, (box.x, box.y), 2.4 * stage.unit, (0.8 * stage.unit, 1.4 * stage.unit), 0.25
    )
    stage.picture.paste(shade(stage.palette.glow, 0.03), (box.x, box.y), outer)
    inner = Box(box.x + rim, box.y + rim, box.w - 2 * rim, box.h - rim)
    scene = stage.render(stage.shot, inner.w, inner.h)
    mask = masks.frame("arch", inner.w, inner.h)
    hollow = Image.eval(mask, lambda value: 255 - value)
    light.shadow(scene, hollow, (0, 0), 1.6 * stage.unit, (0.5 * stage.unit, 0.8 * stage.unit), 0.30)
    stage.picture.paste(scene, (inner.x, inner.y), mask)


def cover(stage: Stage) -> None:
    """The photograph over the whole picture like a magazine's cover."""
    unit, facts = stage.unit, stage.facts
    if stage.shot.cut is not None and not facts.silent:
        _cover_set(stage)
    else:
        stage.picture.paste(stage.render(stage.shot, stage.width, stage.height))
    dark = mix(shade(stage.palette.dusk, -0.3), BLACK, 0.55)
    veil = 0.62 if stage.shot.cut is None else 0.30
    inner = stage.whole.inset(7.5 * unit)
    stage.outline(stage.whole.inset(3.6 * unit), WHITE, 0.16, 0.75)
    if facts.silent:
        light.vignette(stage.picture, BLACK, 0.35)
        return
    reach = 0.34 if stage.wide else 0.30
    begin = 0.46 if len(facts.display) <= 48 else 0.28
    light.tint(stage.picture, light.ramp(stage.picture.size, "top", 1 - reach, 1.0), dark, veil)
    light.tint(
        stage.picture, light.ramp(stage.picture.size, "bottom", begin, begin + 0.46), dark, 0.26 + veil
    )
    pale = (250, 246, 240)
    if facts.eyebrow:
        top = Para(facts.eyebrow, "serif", 7.5, pale, least=3, lines=1, tracking=0.16, upper=True)
        stage.write([top], inner.part(0, 0, 1, 0.14), "center", 0.1)
    stage.write(
        [
            pieces.title(stage, pale, 8.6, lines=3),
            pieces.chips(stage, mix(dark, WHITE, 0.86), dark),
        ],
        inner.part(0, 0.55, 1, 0.45),
        "left",
        1.0,
    )


def _cover_set(stage: Stage) -> None:
    """The cut-out subject between the brand above and the title below."""
    width, height = stage.picture.size
    wall = shade(stage.palette.ground, 0.04) if stage.palette.dark else stage.palette.accent
    stage.picture.paste(light.gradient((width, height), shade(wall, 0.03), shade(wall, -0.05)))
    light.glow(stage.picture, (width * 0.5, height * 0.42), max(width, height) * 0.5, shade(wall, 0.14), 0.8)
    floor(stage.picture, round(height * 0.60), wall)
    place_product(stage.picture, stage.shot, (width * 0.5, height * 0.70), width * 0.72, height * 0.50)


def mosaic(stage: Stage) -> None:
    """Tiles: the photograph, two details, the words, one point."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.ground if not palette.dark else palette.dusk)
    inner = stage.whole.inset(4 * unit)
    gap = round(1.8 * unit)
    silent = stage.facts.silent
    if stage.wide:
        main, rest = stage.split(0.52, inner, gap=1.8)
        words = Box(rest.x, rest.y, rest.w, (rest.h - gap) // 2)
        low = Box(rest.x, rest.y + words.h + gap, rest.w, rest.h - words.h - gap)
    else:
        main, rest = stage.split(0.50, inner, gap=1.8)
        words = Box(rest.x, rest.y, rest.w, (rest.h - gap) * 5 // 9)
        low = Box(rest.x, rest.y + words.h + gap, rest.w, rest.h - words.h - gap)
    half = (low.w - gap) // 2
    left, right = Box(low.x, low.y, half, low.h), Box(low.x + half + gap, low.y, low.w - half - gap, low.h)
    stage.show(stage.shot, main, "rounded", radius=2.6)
    _detail_tile(stage, left, (0.36, 0.3), 0.46)
    if silent:
        _detail_tile(stage, words, (0.5, 0.5), 0.7)
        _detail_tile(stage, right, (0.7, 0.7), 0.46)
        return
    stage.card(words, palette.panel, 2.6)
    stage.write(
        [pieces.eyebrow(stage, palette.panel_accent, 1.9), pieces.title(stage, palette.panel_ink, 6.4)],
        words.inset(4.5 * unit, 3.5 * unit),
    )
    _point_tile(stage, right)


def _detail_tile(stage: Stage, box: Box, spot: tuple[float, float], share: float) -> None:
    detail = stage.shot.detail(box.w, box.h, spot, share)
    stage.picture.paste(detail, (box.x, box.y), masks.frame("rounded", box.w, box.h, 2.6 * stage.unit))


def _point_tile(stage: Stage, box: Box) -> None:
    palette, unit, facts = stage.palette, stage.unit, stage.facts
    colour = palette.accent if not palette.dark else palette.panel_accent
    ink = readable(WHITE, colour, 4.5) if to_dark(colour) else readable(palette.ink, colour, 4.5)
    if facts.points:
        text = facts.points[stage.seed % len(facts.points)][0]
    elif facts.specs:
        text = facts.specs[stage.seed % len(facts.specs)][1]
    else:
        _detail_tile(stage, box, (0.7, 0.7), 0.46)
        return
    stage.card(box, colour, 2.6)
    words = Para(text, "italic", 6.0, ink, least=1.9, lines=7, leading=1.05)
    if stage.write([words], box.inset(3.6 * unit, 2.4 * unit)) is None:
        _detail_tile(stage, box, (0.7, 0.7), 0.46)


def to_dark(colour: tuple[int, int, int]) -> bool:
    """Whether white reads better on it than black."""
    return readable(WHITE, colour, 3.0) == WHITE


def triptych(stage: Stage) -> None:
    """One photograph seen through three tall openings, the middle one shifted."""
    palette, unit = stage.palette, stage.unit
    stage.wall()
    inner = stage.whole.inset(7 * unit)
    if stage.facts.silent:
        area = inner
    elif stage.wide:
        area, text = stage.split(0.60, inner, gap=7)
    else:
        area, text = stage.split(0.64, inner, gap=5)
    gap = round(2.2 * unit)
    shift = round(area.h * 0.07)
    scene = stage.render(stage.shot, area.w, area.h)
    width = (area.w - 2 * gap) // 3
    for at in range(3):
        x = at * (width + gap)
        top = shift if at == 1 else 0
        height = area.h - shift
        mask = masks.frame("rounded", width, height, width * 0.5 if at == 1 else 2.0 * unit)
        light.lift(stage.picture, mask, (area.x + x, area.y + top), 1.2 * unit)
        stage.picture.paste(scene.crop((x, top, x + width, top + height)), (area.x + x, area.y + top), mask)
    if not stage.facts.silent:
        stage.write(
            [
                pieces.eyebrow(stage, palette.accent),
                pieces.title(stage, palette.ink, 7.6),
                pieces.lead(stage, palette.muted),
            ],
            text,
            "left" if stage.wide else "center",
        )


def label(stage: Stage) -> None:
    """The photograph with a margin and a paper label over its corner."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.ground)
    inner = stage.whole.inset(5.5 * unit)
    if stage.facts.silent:
        stage.show(stage.shot, inner, lift=1.6)
        return
    if stage.wide:
        photo, card = inner.part(0, 0, 0.78, 1), inner.part(0.60, 0.20, 0.40, 0.60)
        if stage.mirrored:
            photo, card = inner.part(0.22, 0, 0.78, 1), inner.part(0, 0.20, 0.40, 0.60)
    else:
        photo, card = inner.part(0, 0, 1, 0.76), inner.part(0.09, 0.66, 0.82, 0.34)
        if stage.mirrored:
            photo, card = inner.part(0, 0.24, 1, 0.76), inner.part(0.09, 0, 0.82, 0.34)
    stage.show(stage.shot, photo, "rounded", radius=1.2)
    paper = palette.panel if not to_dark(palette.panel) else palette.glow
    ink = readable(palette.ink if not palette.dark else palette.dusk, paper, 7)
    stage.card(card, paper, 1.2, lift=1.8)
    stage.outline(card.inset(1.3 * unit), mix(paper, ink, 0.35), 0.12)
    stage.write(
        [
            pieces.eyebrow(stage, readable(palette.panel_accent, paper, 4.5), 1.9),
            pieces.title(stage, ink, 6.2),
            pieces.lead(stage, readable(mix(ink, paper, 0.25), paper), 2.4),
        ],
        card.inset(5 * unit, 4.2 * unit),
        "center",
    )


def window_card(stage: Stage) -> None:
    """A tall card over the blurred photograph, picture above, words below."""
    palette, unit = stage.palette, stage.unit
    stage.backdrop(0.04)
    light.tint(stage.picture, Image.new("L", stage.picture.size, 255), palette.ground, 0.42)
    card = stage.whole.inset(9 * unit, 8 * unit)
    paper = palette.panel
    stage.card(card, paper, 2.8, lift=2.6)
    inner = card.inset(2.4 * unit)
    if stage.facts.silent:
        stage.show(stage.shot, inner, "rounded", radius=1.4)
        return
    photo, text = stage.split(0.56 if stage.wide else 0.60, inner)
    stage.show(stage.shot, photo, "rounded", radius=1.4)
    stage.write(
        [
            pieces.eyebrow(stage, palette.panel_accent, 2.0),
            pieces.title(stage, palette.panel_ink, 6.6),
            pieces.chips(stage, palette.panel_accent, readable(paper, palette.panel_accent, 4.5)),
        ],
        text.inset(4.5 * unit, 3.5 * unit),
        "left" if stage.wide else "center",
    )


def gallery(stage: Stage) -> None:
    """Up to four references side by side, like pictures on a wall."""
    palette, unit = stage.palette, stage.unit
    stage.wall()
    inner = stage.whole.inset(6.5 * unit)
    area = inner
    if not stage.facts.silent:
        area, text = stage.split(0.72 if stage.wide else 0.78, inner, gap=5)
        stage.write(
            [pieces.eyebrow(stage, palette.accent), pieces.title(stage, palette.ink, 7.0)],
            text,
            "left" if stage.wide else "center",
        )
    for shot, box in zip(stage.shots, _hang(area, len(stage.shots), round(2.4 * unit)), strict=False):
        stage.show(shot, box, "rounded", lift=1.2, radius=1.6)


def _hang(area: Box, count: int, gap: int) -> list[Box]:
    """A large first box and up to three smaller ones."""
    if count == 1:
        return [area]
    if area.w > area.h:
        first = round(area.w * (0.55 if count == 2 else 0.64))
        side = Box(area.x + first + gap, area.y, area.w - first - gap, area.h)
        each = (side.h - gap * (count - 2)) // (count - 1)
        rest = [Box(side.x, side.y + at * (each + gap), side.w, each) for at in range(count - 1)]
        return [Box(area.x, area.y, first, area.h), *rest]
    first = round(area.h * (0.55 if count == 2 else 0.64))
    low = Box(area.x, area.y + first + gap, area.w, area.h - first - gap)
    each = (low.w - gap * (count - 2)) // (count - 1)
    rest = [Box(low.x + at * (each + gap), low.y, each, low.h) for at in range(count - 1)]
    return [Box(area.x, area.y, area.w, first), *rest]
