"""Pictures without a photograph: sets, landscapes and ornaments in the brief's colours."""

from __future__ import annotations

import math
from random import Random

from PIL import Image, ImageDraw, ImageFilter

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.color import RGB, WHITE, mix, oklch, readable, shade
from contentsvc_studio.images.layouts import pieces
from contentsvc_studio.images.sets import floor
from contentsvc_studio.images.stage import Box, Stage
from contentsvc_studio.images.text import Item, Para


def _headline(
    stage: Stage, box: Box, colour: RGB, anchor: float, role: str = "serif", size: float = 8.4
) -> None:
    """The words, where there are any."""
    items: list[Item | None] = [pieces.eyebrow(stage, colour), pieces.title(stage, colour, size, role)]
    stage.write(items, box.inset(8 * stage.unit, 6 * stage.unit), "center", anchor)


def podium(stage: Stage) -> None:
    """An empty stage for a product: plinths, an arch, window light."""
    palette, rng, unit = stage.palette, stage.rng, stage.unit
    wall = palette.ground
    stage.picture.paste(light.gradient(stage.picture.size, shade(wall, 0.04), shade(wall, -0.04)))
    light.window_light(stage.picture, rng, shade(wall, 0.12), 0.6)
    horizon = round(stage.height * 0.72)
    floor(stage.picture, horizon, shade(wall, -0.02))
    centre = stage.width / 2
    width = min(stage.width * 0.52, stage.height * 0.5)
    arch = Box(round(centre - width * 0.5), round(horizon - width * 1.12), round(width), round(width * 1.18))
    mask = masks.frame("arch", arch.w, arch.h)
    light.shadow(stage.picture, mask, (arch.x, arch.y), 3 * unit, (2.2 * unit, 1.0 * unit), 0.22)
    tone = mix(wall, palette.accent, 0.55)
    scene = light.gradient((arch.w, arch.h), shade(tone, 0.04), shade(tone, -0.07))
    stage.picture.paste(scene, (arch.x, arch.y), mask)
    turn = -1 if stage.mirrored else 1
    _cylinder(
        stage, centre + turn * width * 0.62, horizon + width * 0.20, width * 0.21, width * 0.52, palette.panel
    )
    _cylinder(stage, centre, horizon + width * 0.34, width * 0.36, width * 0.20, shade(wall, 0.05))
    _cylinder(
        stage,
        centre - turn * width * 0.56,
        horizon + width * 0.42,
        width * 0.17,
        width * 0.13,
        mix(wall, palette.accent, 0.7),
    )
    ball = width * 0.085
    _ball(stage, centre + turn * width * 0.36, horizon + width * 0.42, ball, palette.accent)
    _headline(stage, Box(0, 0, stage.width, max(1, arch.y - round(2 * unit))), palette.ink, 0.6, size=7)


def _cylinder(stage: Stage, x: float, foot: float, radius: float, height: float, tone: RGB) -> None:
    """A round plinth: shaded side, lit top, shadow on the floor."""
    squeeze = 0.24
    flat = masks.frame("circle", round(2 * radius), round(2 * radius)).resize(
        (round(2 * radius), max(4, round(2 * radius * squeeze)))
    )
    light.shadow(
        stage.picture,
        flat,
        (x - radius, foot - flat.height / 2),
        radius * 0.16,
        (radius * 0.34, radius * 0.06),
        0.34,
    )
    width, tall = round(2 * radius), round(height)
    body = Image.new("L", (width, tall + flat.height), 0)
    body.paste(255, (0, flat.height // 2, width, flat.height // 2 + tall))
    body.paste(255, (0, tall), flat)
    body.paste(255, (0, 0), flat)
    side = light.gradient((body.height, width), shade(tone, 0.03), shade(tone, -0.16)).transpose(
        Image.Transpose.ROTATE_90
    )
    at = (round(x - radius), round(foot - tall - flat.height / 2))
    stage.picture.paste(side.resize(body.size), at, body)
    stage.picture.paste(shade(tone, 0.06), at, flat)


def _ball(stage: Stage, x: float, foot: float, radius: float, tone: RGB) -> None:
    side = round(2 * radius)
    mask = masks.frame("circle", side, side)
    flat = mask.resize((side, max(3, round(side * 0.24))))
    light.shadow(
        stage.picture, flat, (x - radius, foot - flat.height * 0.6), radius * 0.2, (radius * 0.4, 0), 0.4
    )
    sphere = Image.new("RGB", (side, side), shade(tone, -0.10))
    light.glow(sphere, (side * 0.36, side * 0.32), side * 0.72, shade(tone, 0.14), 0.95)
    stage.picture.paste(sphere, (round(x - radius), round(foot - side)), mask)


def hills(stage: Stage) -> None:
    """Ridges that fade into the distance under a pale sun."""
    palette, rng = stage.palette, stage.rng
    hue, chroma = palette.hue, min(0.10, palette.chroma)
    dark = palette.dark
    high, low = (0.34, 0.62) if dark else (0.86, 0.95)
    stage.picture.paste(
        light.gradient(
            stage.picture.size, oklch(high, chroma * 0.8, hue), oklch(low, chroma * 0.55, hue + 40)
        )
    )
    radius = min(stage.width, stage.height) * 0.13
    x, y = stage.width * rng.uniform(0.28, 0.72), stage.height * 0.40
    light.glow(stage.picture, (x, y), radius * 4.2, oklch(0.96, 0.05, hue + 50), 0.75)
    disc = masks.frame("circle", round(2 * radius), round(2 * radius))
    stage.picture.paste(oklch(0.975, 0.03, hue + 55), (round(x - radius), round(y - radius)), disc)
    for layer in range(5):
        depth = layer / 4
        tone = oklch(
            (0.58 if dark else 0.80) - depth * (0.38 if dark else 0.46),
            chroma * (0.5 + 0.5 * depth),
            hue + 20 * (1 - depth),
        )
        _ridge(stage, rng, 0.47 + 0.125 * layer, 0.11 - 0.012 * layer, tone)
    _headline(
        stage,
        Box(0, 0, stage.width, round(stage.height * 0.34)),
        oklch(0.97, 0.02, hue) if dark else oklch(0.30, 0.05, hue),
        0.5,
    )


def _ridge(stage: Stage, rng: Random, level: float, rise: float, tone: RGB) -> None:
    waves = [
        (rng.uniform(0.6, 1.4), rng.uniform(0, 6.28), 1.0),
        (rng.uniform(2, 3.4), rng.uniform(0, 6.28), 0.38),
        (rng.uniform(5, 8), rng.uniform(0, 6.28), 0.10),
    ]
    points = []
    for step in range(121):
        share = step / 120
        lift = sum(size * math.sin(share * turns * 6.28 + phase) for turns, phase, size in waves)
        points.append((share * stage.width, stage.height * (level - rise * 0.62 * lift)))
    outline = [*points, (stage.width, stage.height), (0.0, stage.height)]
    mask = masks.polygon(outline, stage.width, stage.height)
    layer = light.gradient(stage.picture.size, tone, shade(tone, 0.09))
    stage.picture.paste(layer, (0, 0), mask)


def waves(stage: Stage) -> None:
    """Layers of cut paper, each with the shadow of the next."""
    palette, rng, unit = stage.palette, stage.rng, stage.unit
    hue, chroma = palette.hue, max(0.03, min(0.12, palette.chroma))
    stage.fill(oklch(0.955, chroma * 0.25, hue))
    count = 7
    for layer in range(count):
        share = layer / (count - 1)
        tone = oklch(0.90 - 0.50 * share, chroma * (0.45 + 0.6 * share), hue + 18 * (share - 0.5))
        phase, turns = rng.uniform(0, 6.28), rng.uniform(0.7, 1.3)
        base = 0.36 + 0.58 * share
        line = [
            (
                stage.width * step / 90,
                stage.height
                * (
                    base
                    + 0.055 * math.sin(step / 90 * turns * 6.28 + phase)
                    + 0.018 * math.sin(step / 90 * turns * 14 + phase)
                ),
            )
            for step in range(91)
        ]
        mask = masks.polygon(
            [*line, (stage.width, stage.height), (0.0, stage.height)], stage.width, stage.height
        )
        light.shadow(stage.picture, mask, (0, 0), 1.6 * unit, (0, -0.9 * unit), 0.22)
        stage.picture.paste(tone, (0, 0), mask)
    _headline(stage, Box(0, 0, stage.width, round(stage.height * 0.38)), oklch(0.30, chroma * 0.6, hue), 0.5)


def leaves(stage: Stage) -> None:
    """Foliage that frames a pale field."""
    palette, rng = stage.palette, stage.rng
    stage.wall()
    light.leaf_shadow(stage.picture, rng, palette.dusk, 0.5)
    hue = palette.hue
    spread = min(stage.width, stage.height)
    dark = palette.dark
    for layer in range(3):
        for corner in range(4):
            left, top = corner % 2 == 0, corner < 2
            for _ in range(3):
                x = (0.0 if left else stage.width) + rng.uniform(-0.02, 0.16) * spread * (1 if left else -1)
                y = (0.0 if top else stage.height) + rng.uniform(-0.02, 0.16) * spread * (1 if top else -1)
                heading = math.atan2(1 if top else -1, 1 if left else -1) + rng.uniform(-0.75, 0.75)
                tone = oklch(
                    (0.40 if not dark else 0.46) + 0.13 * layer + rng.uniform(-0.04, 0.04),
                    max(0.05, min(0.11, palette.chroma)),
                    hue + rng.uniform(-22, 22),
                )
                _leaf(stage, (x, y), heading, spread * rng.uniform(0.24, 0.42) * (1.12 - 0.2 * layer), tone)
    area = stage.whole.inset(stage.width * 0.16, stage.height * 0.24)
    _headline(stage, area, palette.ink, 0.5, "italic", 9)


def _leaf(stage: Stage, base: tuple[float, float], heading: float, length: float, tone: RGB) -> None:
    """One leaf with a lit half and a soft shadow."""
    cos, sin = math.cos(heading), math.sin(heading)

    def at(along: float, across: float) -> tuple[float, float]:
        return (
            base[0] + length * (along * cos - across * sin),
            base[1] + length * (along * sin + across * cos),
        )

    spine = [(share / 20, 0.05 * math.sin(share / 20 * 3.14)) for share in range(21)]
    breadth = [0.155 * math.sin(math.pi * (share / 20) ** 0.8) for share in range(21)]
    upper = [at(x, y + half) for (x, y), half in zip(spine, breadth, strict=True)]
    lower = [at(x, y - half) for (x, y), half in zip(spine, breadth, strict=True)]
    middle = [at(x, y) for x, y in spine]
    xs, ys = zip(*upper, *lower, strict=True)
    left, top = math.floor(min(xs)) - 2, math.floor(min(ys)) - 2
    size = (math.ceil(max(xs)) - left + 3, math.ceil(max(ys)) - top + 3)

    def mask_of(points: list[tuple[float, float]]) -> Image.Image:
        return masks.polygon([(x - left, y - top) for x, y in points], *size)

    whole = mask_of([*upper, *reversed(lower)])
    light.shadow(stage.picture, whole, (left, top), length * 0.035, (length * 0.012, length * 0.03), 0.25)
    stage.picture.paste(tone, (left, top), whole)
    stage.picture.paste(shade(tone, 0.055), (left, top), mask_of([*upper, *reversed(middle)]))
    pen = ImageDraw.Draw(stage.picture)
    pen.line(middle[:-1], fill=shade(tone, 0.11), width=max(2, round(length * 0.008)))


def sun(stage: Stage) -> None:
    """A low sun over water, in bands of light."""
    palette, rng = stage.palette, stage.rng
    hue, chroma = palette.hue, max(0.06, min(0.14, palette.chroma))
    horizon = round(stage.height * 0.60)
    # Skies turn warm towards the sun whatever the hue above; greens would look ill.
    high = hue if not 85 < hue < 200 else 60.0
    sky = light.gradient(
        (stage.width, horizon),
        oklch(0.62 if palette.dark else 0.80, chroma * 0.8, high),
        oklch(0.92, 0.085, 78),
    )
    sea = light.gradient(
        (stage.width, stage.height - horizon),
        oklch(0.74, chroma * 0.7, high),
        oklch(0.38, chroma * 0.8, high - 15),
    )
    stage.picture.paste(sky, (0, 0))
    stage.picture.paste(sea, (0, horizon))
    radius = min(stage.width, stage.height) * 0.20
    x = stage.width * rng.uniform(0.40, 0.60)
    light.glow(stage.picture, (x, horizon), radius * 4, oklch(0.96, 0.07, 88), 0.7)
    disc = masks.frame("circle", round(2 * radius), round(2 * radius)).crop(
        (0, 0, round(2 * radius), round(radius * 1.25))
    )
    ball = light.gradient(disc.size, oklch(0.97, 0.06, 95), oklch(0.82, 0.13, 62))
    stage.picture.paste(ball, (round(x - radius), horizon - disc.height), disc)
    for band in range(16):
        y = horizon + round((stage.height - horizon) * ((band + 0.6) / 16) ** 1.4)
        half = radius * (1.05 - 0.5 * band / 16) * rng.uniform(0.45, 1.1)
        thick = max(2, round(stage.unit * (0.25 + 0.06 * band)))
        shift = rng.uniform(-0.14, 0.14) * radius
        bar = masks.frame("rounded", max(4, round(2 * half)), thick, thick / 2)
        light.tint(
            stage.picture, bar, oklch(0.95, 0.07, 85), 0.72 - 0.03 * band, (round(x - half + shift), y)
        )
    _headline(
        stage,
        Box(0, 0, stage.width, max(1, round(horizon - radius * 1.35))),
        oklch(0.27, 0.06, high - 10),
        0.5,
    )


def lights(stage: Stage) -> None:
    """Out-of-focus lights in the dark."""
    palette, rng = stage.palette, stage.rng
    hue = palette.hue
    stage.picture.paste(
        light.gradient(stage.picture.size, oklch(0.17, 0.035, hue), oklch(0.27, 0.055, hue + 25))
    )
    spread = min(stage.width, stage.height)
    for layer, blur in enumerate((0.020, 0.007, 0.0025)):
        size = (stage.width // 2, stage.height // 2)
        glowing = Image.new("RGB", size, (0, 0, 0))
        mask = Image.new("L", size, 0)
        paint, cover = ImageDraw.Draw(glowing), ImageDraw.Draw(mask)
        for _ in range(15 - 2 * layer):
            radius = spread * rng.uniform(0.035, 0.085) * (1.25 - 0.3 * layer) / 2
            x, y = rng.uniform(0, size[0]), rng.uniform(0.05, 1.0) ** 0.8 * size[1]
            tone = oklch(rng.uniform(0.62, 0.86), rng.uniform(0.08, 0.15), hue + rng.choice((-25, 0, 20, 45)))
            box = (x - radius, y - radius, x + radius, y + radius)
            paint.ellipse((box[0] - 20, box[1] - 20, box[2] + 20, box[3] + 20), fill=tone)
            cover.ellipse(box, fill=rng.randint(70, 150))
            cover.ellipse(box, outline=rng.randint(150, 200), width=max(1, round(radius * 0.07)))
        soft = mask.filter(ImageFilter.GaussianBlur(spread * blur / 2)).resize(
            stage.picture.size, Image.Resampling.BICUBIC
        )
        stage.picture.paste(glowing.resize(stage.picture.size, Image.Resampling.NEAREST), (0, 0), soft)
    light.vignette(stage.picture, oklch(0.10, 0.02, hue), 0.5)
    if not stage.facts.silent:
        light.glow(
            stage.picture,
            (stage.width / 2, stage.height / 2),
            spread * 0.75,
            oklch(0.13, 0.03, hue),
            0.75,
            0.7,
        )
    _headline(stage, stage.whole, (250, 245, 236), 0.5, size=9.5)


def shapes(stage: Stage) -> None:
    """A poster of quarter circles and discs on a grid."""
    palette, rng = stage.palette, stage.rng
    tones = [
        palette.ground,
        palette.panel,
        palette.accent,
        mix(palette.accent, palette.ground, 0.5),
        palette.ink,
        oklch(0.78, 0.10, palette.hue + 60),
    ]
    stage.fill(palette.ground)
    across = 4 if stage.width <= stage.height else round(4 * stage.width / stage.height)
    cell = math.ceil(stage.width / across)
    rows = math.ceil(stage.height / cell)
    top = round(rows * 0.32) if not stage.facts.silent else 0
    offset = stage.height - rows * cell
    for row in range(top, rows):
        for column in range(across):
            _cell(stage, rng, Box(column * cell, row * cell + offset, cell, cell), tones)
    if top:
        _headline(stage, Box(0, 0, stage.width, top * cell + offset), palette.ink, 0.5, "poster", 8.6)


def _cell(stage: Stage, rng: Random, box: Box, tones: list[RGB]) -> None:
    back, front = rng.sample(tones, 2)
    stage.picture.paste(back, (box.x, box.y, box.x + box.w, box.y + box.h))
    kind = rng.randrange(5)
    disc = masks.frame("circle", 2 * box.w, 2 * box.h)
    if kind <= 1:
        x, y = rng.choice((0, box.w)), rng.choice((0, box.h))
        stage.picture.paste(front, (box.x, box.y), disc.crop((x, y, x + box.w, y + box.h)))
    elif kind == 2:
        small = box.inset(box.w * 0.16)
        stage.picture.paste(front, (small.x, small.y), masks.frame("circle", small.w, small.h))
    elif kind == 3:
        half = disc.resize((box.w, box.h))
        half.paste(0, (0, 0, box.w, box.h // 2))
        stage.picture.paste(front, (box.x, box.y), half)
    else:
        points = [(0.0, 0.0), (float(box.w), 0.0), (0.0, float(box.h))]
        stage.picture.paste(front, (box.x, box.y), masks.polygon(points, box.w, box.h))


def lettering(stage: Stage) -> None:
    """The words alone, large, on a soft field of colour; silent briefs get the field."""
    palette, rng, unit = stage.palette, stage.rng, stage.unit
    stage.wall()
    spread = max(stage.width, stage.height)
    for turn in (-30, 25, 60):
        tone = oklch(0.55 if palette.dark else 0.83, min(0.11, palette.chroma), palette.hue + turn)
        centre = (stage.width * rng.uniform(0.05, 0.95), stage.height * rng.uniform(0.05, 0.95))
        light.glow(stage.picture, centre, spread * rng.uniform(0.40, 0.60), tone, 0.75)
    stage.outline(stage.whole.inset(4.5 * unit), palette.ink, 0.16, 0.55)
    text = stage.facts.display
    if not text:
        side = round(48 * unit)
        ring = masks.frame("circle", side, side)
        at = ((stage.width - side) // 2, (stage.height - side) // 2)
        light.lift(stage.picture, ring, at, 1.6 * unit)
        ball = light.gradient((side, side), shade(palette.panel, 0.04), palette.accent)
        stage.picture.paste(ball, at, ring)
        return
    ink = readable(palette.ink if not palette.dark else WHITE, mix(palette.ground, palette.glow, 0.5), 4.5)
    words = Para(text, "serif", 15, ink, least=4, lines=6, leading=1.0, gap=4)
    stage.write(
        [pieces.eyebrow(stage, ink), words, pieces.rule(palette.accent, 10)],
        stage.whole.inset(10 * unit),
        "left",
        0.5,
    )
