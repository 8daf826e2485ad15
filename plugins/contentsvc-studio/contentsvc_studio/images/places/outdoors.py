"""Open-air places."""

from __future__ import annotations

import math

from contentsvc_studio.images.color import RGB, mix, shade
from contentsvc_studio.images.places import things
from contentsvc_studio.images.places.canvas import Canvas
from contentsvc_studio.images.places.rooms import Look


def _sky(c: Canvas, look: Look, horizon: float) -> None:
    c.fade(0, 0, c.w, horizon, look.sky, mix(look.sky, (255, 240, 214), 0.75))
    c.glow(c.w * 0.74, horizon * 0.42, 40, (255, 244, 214), 0.75)
    c.oval(c.w * 0.74, horizon * 0.42, 6, 6, (255, 248, 230))
    for _ in range(4):
        x, y = c.rng.uniform(0, c.w * 0.9), c.rng.uniform(horizon * 0.12, horizon * 0.6)
        tone = mix(look.sky, (255, 255, 255), 0.6)
        for at, radius in ((0, 3.4), (4, 4.6), (9, 3.6), (13, 2.4)):
            c.oval(x + at, y, radius * 1.3, radius * 0.62, tone)


def _ridge(c: Canvas, base: float, rise: float, colour: RGB) -> None:
    phase, turns = c.rng.uniform(0, 6.28), c.rng.uniform(0.7, 1.5)
    points = [
        (
            c.w * at / 60,
            base
            - rise
            * (math.sin(at / 60 * turns * 6.28 + phase) + 0.35 * math.sin(at / 60 * turns * 17 + phase)),
        )
        for at in range(61)
    ]
    c.poly([*points, (c.w, c.h), (0, c.h)], colour)


def street(c: Canvas, look: Look) -> None:
    """House fronts with shop windows, a pavement, trees."""
    horizon = c.h * 0.70
    _sky(c, look, horizon)
    at, house = -2.0, 0
    while at < c.w:
        wide = c.rng.uniform(24, 34)
        high = horizon * c.rng.uniform(0.62, 0.86)
        tone = c.rng.choice(
            (look.wall, mix(look.wall, look.accent, 0.45), (206, 168, 140), (226, 214, 196), (176, 152, 138))
        )
        c.fade(at, horizon - high, wide, high, shade(tone, 0.02), shade(tone, -0.05))
        c.box(at, horizon - high, wide, 2, shade(tone, 0.06))
        rows = max(1, int((high - 30) / 18))
        for row in range(rows):
            for column in range(2):
                x = at + wide * (0.16 + 0.42 * column)
                y = horizon - high + 7 + 18 * row
                glass = (
                    (255, 222, 160)
                    if look.evening and (row + column + house) % 3
                    else mix(look.sky, (70, 84, 98), 0.55)
                )
                c.box(x - 0.8, y - 0.8, wide * 0.26 + 1.6, 12.6, shade(tone, 0.08))
                c.box(x, y, wide * 0.26, 11, glass)
        c.box(at + wide * 0.10, horizon - 21, wide * 0.80, 19, (60, 58, 62))
        c.fade(at + wide * 0.13, horizon - 18, wide * 0.74, 15, (255, 226, 176), (236, 190, 140))
        stripe = wide * 0.84 / 6
        for part in range(6):
            c.box(
                at + wide * 0.08 + stripe * part,
                horizon - 24,
                stripe,
                6,
                look.accent if part % 2 else (250, 244, 234),
                0.6,
            )
        at += wide + 0.4
        house += 1
    c.fade(0, horizon, c.w, c.h * 0.10, (196, 188, 180), (176, 168, 162))
    c.fade(0, horizon + c.h * 0.10, c.w, c.h * 0.20, (110, 106, 108), (86, 84, 88))
    c.box(0, horizon + c.h * 0.10, c.w, 1.6, (214, 208, 202))
    things.tree(c, c.w * 0.10, horizon + c.h * 0.07, 58, things.LEAF)
    things.tree(c, c.w * 0.90, horizon + c.h * 0.08, 52, shade(things.LEAF, -0.04))


def park(c: Canvas, look: Look) -> None:
    """A path between trees."""
    horizon = c.h * 0.56
    _sky(c, look, horizon + 4)
    _ridge(c, horizon, 4, mix(things.LEAF, look.sky, 0.5))
    for at in range(9):
        things.tree(c, c.w * at / 8, horizon + 5, c.rng.uniform(26, 36), mix(things.LEAF, look.sky, 0.28))
    c.fade(0, horizon + 4, c.w, c.h - horizon - 4, (150, 176, 108), (104, 138, 76))
    c.poly(
        [(c.w * 0.47, horizon + 4), (c.w * 0.53, horizon + 4), (c.w * 0.86, c.h), (c.w * 0.22, c.h)],
        (222, 204, 172),
    )
    things.tree(c, c.w * 0.10, c.h * 0.80, 76, things.LEAF)
    things.tree(c, c.w * 0.95, c.h * 0.74, 64, shade(things.LEAF, 0.03))
    x, foot = c.w * 0.62, c.h * 0.76
    c.shade_below(x, foot, 30, 1.2)
    for leg in (2, 26):
        c.box(x + leg, foot - 8, 1.6, 8, things.DARK)
    for board in range(3):
        c.box(x, foot - 9 - 4 * board, 30, 2.6, shade(things.WOOD, 0.02 * board), 0.4)


def beach(c: Canvas, look: Look) -> None:
    """Sand, a calm sea, a wide sky."""
    horizon = c.h * 0.48
    _sky(c, look, horizon)
    sea = mix(look.sky, (30, 116, 140), 0.62)
    c.fade(0, horizon, c.w, c.h * 0.22, shade(sea, -0.04), shade(sea, 0.10))
    for wave in range(9):
        y = horizon + 2 + wave * wave * 0.42
        x = c.rng.uniform(0, c.w * 0.6)
        c.box(x, y, c.rng.uniform(14, 40), 0.5 + wave * 0.06, mix(sea, (255, 255, 255), 0.5), 0.3)
    shore = [(c.w * at / 30, c.h * 0.66 + 3.2 * math.sin(at / 30 * 7)) for at in range(31)]
    c.poly([(x, y - 3) for x, y in shore] + [(c.w, c.h), (0, c.h)], (244, 246, 244))
    c.poly([*shore, (c.w, c.h), (0, c.h)], (220, 196, 152))
    c.poly([(x, y + 9) for x, y in shore] + [(c.w, c.h), (0, c.h)], (238, 218, 178))
    things.plant(c, c.w * 0.08, c.h * 0.90, 34, (232, 210, 168))
    x, foot = c.w * 0.78, c.h * 0.80
    c.shade_below(x - 14, foot, 28, 1.8)
    c.box(x - 0.5, foot - 40, 1.0, 40, (240, 236, 228))
    for part in range(6):
        left, right = x - 20 + 40 * part / 6, x - 20 + 40 * (part + 1) / 6
        c.poly(
            [(x, foot - 52), (right, foot - 36), (left, foot - 36)],
            look.accent if part % 2 else (252, 246, 236),
        )


def forest(c: Canvas, look: Look) -> None:
    """Tall trunks, light between the leaves."""
    c.fade(0, 0, c.w, c.h, mix((206, 222, 176), look.sky, 0.25), (76, 104, 66))
    c.glow(c.w * 0.56, c.h * 0.34, 60, (255, 248, 206), 0.7)
    for layer in range(3):
        far = 1 - layer / 2
        count = 6 - 2 * layer
        for trunk in range(count):
            x = c.w * (trunk + c.rng.uniform(0.1, 0.8)) / count
            wide = 3.0 + 3.0 * layer
            tone = mix((84, 66, 54), (176, 196, 150), 0.65 * far)
            c.poly(
                [
                    (x, 0),
                    (x + wide, 0),
                    (x + wide * 1.25, c.h * (0.66 + 0.12 * layer)),
                    (x - wide * 0.25, c.h * (0.66 + 0.12 * layer)),
                ],
                tone,
            )
        for _ in range(9):
            c.oval(
                c.rng.uniform(0, c.w),
                c.rng.uniform(-6, c.h * 0.16),
                14,
                9,
                mix(things.LEAF, (196, 214, 160), 0.5 * far),
            )
        _ridge(c, c.h * (0.68 + 0.12 * layer), 2.4, mix((88, 118, 70), (190, 206, 150), 0.55 * far))


def mountain(c: Canvas, look: Look) -> None:
    """Ridges in the distance, a path in front."""
    _sky(c, look, c.h * 0.6)
    for layer in range(4):
        near = layer / 3
        _ridge(
            c,
            c.h * (0.42 + 0.11 * layer),
            11 - 2 * layer,
            mix(mix(look.sky, (120, 130, 160), 0.6), (86, 104, 80), near),
        )
    c.poly(
        [(c.w * 0.56, c.h * 0.76), (c.w * 0.60, c.h * 0.76), (c.w * 0.80, c.h), (c.w * 0.36, c.h)],
        (212, 192, 158),
    )
    for at in (0.10, 0.24, 0.88):
        things.tree(c, c.w * at, c.h * c.rng.uniform(0.84, 0.92), c.rng.uniform(30, 46), (70, 104, 84))


def market(c: Canvas, look: Look) -> None:
    """Stalls with awnings, crates of fruit, strings of lamps."""
    horizon = c.h * 0.66
    _sky(c, look, horizon)
    c.fade(0, horizon - 30, c.w, 30, mix(look.wall, look.sky, 0.4), look.wall)
    c.fade(0, horizon, c.w, c.h - horizon, (200, 184, 166), (160, 144, 130))
    for string in (0.16, 0.24):
        points = [(c.w * at / 20, c.h * string + 5 * math.sin(at / 20 * 3.14)) for at in range(21)]
        c.line(points, 0.3, things.DARK)
        for x, y in points[::3]:
            c.glow(x, y + 1.4, 6, (255, 230, 170), 0.6)
            c.oval(x, y + 1.4, 1.1, 1.3, (255, 240, 200))
    for stall, tone in ((0.02, look.accent), (0.54, (92, 134, 120))):
        x, wide = c.w * stall, c.w * 0.44
        for post in (0.03, 0.94):
            c.box(x + wide * post, c.h * 0.38, 1.6, c.h * 0.42, things.WOOD)
        for part in range(6):
            c.poly(
                [
                    (x + wide * part / 6, c.h * 0.40),
                    (x + wide * (part + 1) / 6, c.h * 0.40),
                    (x + wide * (0.08 + 0.84 * (part + 1) / 6), c.h * 0.32),
                    (x + wide * (0.08 + 0.84 * part / 6), c.h * 0.32),
                ],
                tone if part % 2 else (250, 244, 234),
            )
        c.box(x, c.h * 0.62, wide, 2.2, shade(things.WOOD, 0.05))
        c.fade(x + 1, c.h * 0.62 + 2.2, wide - 2, c.h * 0.17, things.WOOD, shade(things.WOOD, -0.08))
        for crate in range(3):
            for fruit in range(4):
                hue = ((214, 84, 62), (236, 168, 62), (130, 168, 80))[(crate + (stall > 0.3)) % 3]
                c.round_shaded(x + wide * (0.10 + 0.30 * crate) + 3.4 * fruit, c.h * 0.62 - 2.0, 2.2, hue)


def garden(c: Canvas, look: Look) -> None:
    """A lawn, beds of flowers, an old tree."""
    horizon = c.h * 0.52
    _sky(c, look, horizon + 4)
    _ridge(c, horizon, 3, mix(things.LEAF, look.sky, 0.4))
    c.fade(0, horizon + 2, c.w, c.h - horizon, (158, 184, 112), (112, 148, 82))
    things.tree(c, c.w * 0.78, c.h * 0.76, 84, things.LEAF)
    for _ in range(46):
        x = c.rng.choice((c.rng.uniform(0, c.w * 0.36), c.rng.uniform(c.w * 0.70, c.w)))
        y = c.rng.uniform(c.h * 0.82, c.h * 0.98)
        c.line([(x, y), (x + c.rng.uniform(-1, 1), y - 6)], 0.4, shade(things.LEAF, -0.05))
        c.round_shaded(
            x,
            y - 6.5,
            c.rng.uniform(1.4, 2.4),
            c.rng.choice((look.accent, (240, 196, 96), (226, 130, 150), (250, 246, 236))),
        )
    things.table(c, c.w * 0.22, c.h * 0.78, c.w * 0.30, 16, things.PALE_WOOD)
