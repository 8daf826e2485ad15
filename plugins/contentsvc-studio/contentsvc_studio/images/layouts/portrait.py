"""Portraits: one person, no product. ``stage.person`` is a photograph or a figure."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import mix, shade
from contentsvc_studio.images.sets import place_person
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.stage import Box, Stage


def _person(stage: Stage) -> Shot:
    if stage.person is None:
        raise ValueError("this layout needs a person")
    return stage.person


def _stand(stage: Stage, share: float = 0.84) -> None:
    """The person at the lower edge; photographs that can't be cut become a framed print."""
    person = _person(stage)
    if person.cut is not None:
        place_person(stage.picture, person, stage.whole, share)
        return
    stage.show(person, stage.whole.inset(8 * stage.unit), "rounded", lift=2.2, radius=2.4)


def sunlit(stage: Stage) -> None:
    """A plain wall with light from a window."""
    stage.wall()
    light.window_light(stage.picture, stage.rng, shade(stage.palette.glow, 0.08), 0.6)
    _stand(stage)


def disc(stage: Stage) -> None:
    """A large disc of colour behind the head."""
    palette = stage.palette
    stage.fill(palette.ground)
    side = round(min(stage.width * 0.86, stage.height * 0.72))
    tone = mix(palette.ground, palette.panel if palette.dark else palette.accent, 0.42)
    at = ((stage.width - side) // 2, round(stage.height * 0.10))
    stage.picture.paste(tone, at, masks.frame("circle", side, side))
    _stand(stage)


def arch(stage: Stage) -> None:
    """The person inside an arched opening."""
    palette = stage.palette
    stage.wall()
    width = round(min(stage.width * 0.74, stage.height * 0.72))
    height = round(stage.height * 0.88)
    box = Box((stage.width - width) // 2, stage.height - height, width, height)
    mask = masks.frame("arch", box.w, box.h)
    light.shadow(
        stage.picture, mask, (box.x, box.y), 3 * stage.unit, (0.6 * stage.unit, 1.0 * stage.unit), 0.2
    )
    scene = light.gradient((box.w, box.h), shade(palette.panel, 0.02), shade(palette.panel, -0.07))
    person = _person(stage)
    if person.cut is not None:
        place_person(scene, person, (0, 0, box.w, box.h), 0.86)
    else:
        scene = stage.render(person, box.w, box.h)
    stage.picture.paste(scene, (box.x, box.y), mask)


def leaves(stage: Stage) -> None:
    """The shadow of fronds on a wall."""
    stage.wall()
    light.leaf_shadow(stage.picture, stage.rng, stage.palette.dusk, 0.6)
    _stand(stage)


def halves(stage: Stage) -> None:
    """Two colours that meet behind the person."""
    palette = stage.palette
    stage.fill(palette.ground)
    half = stage.width // 2
    left = 0 if stage.mirrored else half
    tone = palette.panel if palette.dark else mix(palette.ground, palette.accent, 0.28)
    stage.picture.paste(tone, (left, 0, left + half, stage.height))
    _stand(stage)


def glow(stage: Stage) -> None:
    """A studio backdrop with a soft light behind the shoulders."""
    palette = stage.palette
    base = shade(palette.dusk, -0.05)
    stage.picture.paste(light.gradient(stage.picture.size, base, shade(base, -0.06)))
    centre = (stage.width / 2, stage.height * 0.46)
    light.glow(
        stage.picture, centre, max(stage.width, stage.height) * 0.62, shade(palette.ground, 0.16), 0.95
    )
    light.vignette(stage.picture, shade(base, -0.3), 0.35)
    _stand(stage)


def frame(stage: Stage) -> None:
    """A passe-partout like a printed portrait."""
    palette, unit = stage.palette, stage.unit
    stage.fill(palette.glow if not palette.dark else palette.panel)
    inner = stage.whole.inset(9 * unit)
    stage.outline(stage.whole.inset(5.5 * unit), mix(palette.dusk, palette.panel, 0.3), 0.14)
    scene = light.gradient((inner.w, inner.h), shade(palette.ground, 0.02), shade(palette.dusk, 0.02))
    person = _person(stage)
    if person.cut is not None:
        place_person(scene, person, (0, 0, inner.w, inner.h), 0.86)
    else:
        scene = stage.render(person, inner.w, inner.h)
    light.shadow(
        stage.picture,
        Image.new("L", (inner.w, inner.h), 255),
        (inner.x, inner.y),
        1.2 * unit,
        (0, 0.5 * unit),
        0.25,
    )
    stage.picture.paste(scene, (inner.x, inner.y))
