"""Furniture and plants, each standing on a point or hanging from one."""

from __future__ import annotations

import math

from contentsvc_studio.images.color import RGB, mix, oklch, shade
from contentsvc_studio.images.places.canvas import Canvas

WOOD: RGB = (168, 120, 82)
PALE_WOOD: RGB = (208, 172, 132)
LEAF: RGB = (88, 128, 84)
DARK: RGB = (66, 56, 52)


def window(c: Canvas, x: float, y: float, w: float, h: float, sky: RGB) -> None:
    """Panes with a view of sky and treetops, a frame and a sill."""
    frame = (246, 242, 236)
    c.box(x - 1.4, y - 1.4, w + 2.8, h + 2.8, shade(frame, -0.06), 0.6)
    c.fade(x, y, w, h, mix(sky, (255, 255, 255), 0.25), mix(sky, (255, 250, 238), 0.75))
    for at in range(6):
        tree = x + w * (at + 0.5) / 6
        tall = h * (0.16 + 0.04 * (at % 3))
        c.oval(tree, y + h - tall * 0.5, w * 0.10, tall * 0.5, mix(LEAF, sky, 0.55))
    c.box(x, y + h * 0.92, w, h * 0.08, mix(LEAF, sky, 0.55))
    c.box(x - 0.6, y + h - 0.6, w + 1.2, 2.4, frame)
    c.box(x + w / 2 - 0.6, y, 1.2, h, frame)
    c.box(x, y + h * 0.42, w, 1.0, frame)
    c.box(x - 3, y + h + 1.4, w + 6, 2.2, shade(frame, -0.03), 0.4)


def curtain(c: Canvas, x: float, y: float, w: float, h: float, colour: RGB) -> None:
    for fold in range(5):
        tone = shade(colour, -0.03 if fold % 2 else 0.015)
        c.box(x + w * fold / 5, y, w / 5 + 0.2, h, tone, 0.8)


def shelf(c: Canvas, x: float, y: float, w: float, colour: RGB, accent: RGB) -> None:
    """A board with bowls, jars and a plant."""
    c.box(x, y, w, 1.7, colour, 0.3)
    c.box(x, y + 1.7, w, 0.8, shade(colour, -0.12))
    at = x + 2.5
    while at < x + w - 6:
        kind = c.rng.choice(("jar", "bowl", "books", "cup"))
        tone = c.rng.choice(
            (accent, shade(accent, 0.14), (226, 216, 202), (120, 136, 132), shade(accent, -0.1))
        )
        if kind == "jar":
            tall = c.rng.uniform(6, 9.5)
            c.box(at, y - tall, 4.4, tall, tone, 1.2)
            c.box(at + 0.5, y - tall - 1.1, 3.4, 1.5, shade(tone, -0.14), 0.4)
            at += 6.4
        elif kind == "bowl":
            c.poly([(at, y - 3.6), (at + 7, y - 3.6), (at + 5.2, y), (at + 1.8, y)], tone)
            at += 9
        elif kind == "cup":
            c.box(at, y - 3.8, 3.6, 3.8, tone, 0.8)
            c.box(at + 3.2, y - 3.0, 1.6, 1.8, shade(tone, -0.05), 0.8)
            at += 6.2
        else:
            for book in range(c.rng.randrange(3, 6)):
                tall = c.rng.uniform(6, 9)
                c.box(at + 1.5 * book, y - tall, 1.35, tall, shade(tone, 0.05 * (book % 3) - 0.05))
            at += 10


def counter(c: Canvas, y: float, colour: RGB, top: RGB) -> None:
    """A counter across the whole width, down to the lower edge."""
    c.fade(0, y, c.w, c.h - y, shade(colour, 0.02), shade(colour, -0.07))
    doors = max(2, round(c.w / 34))
    for door in range(1, doors):
        c.box(c.w * door / doors - 0.2, y + 4, 0.4, c.h - y, shade(colour, -0.10))
    for door in range(doors):
        c.box(c.w * (door + 0.5) / doors - 3, y + 9, 6, 0.9, shade(colour, -0.22), 0.4)
    c.fade(0, y - 2.2, c.w, 4.6, shade(top, 0.03), shade(top, -0.04))
    c.fade(0, y + 2.4, c.w, 2.6, shade(colour, -0.16), shade(colour, -0.02))


def pendant(c: Canvas, x: float, foot: float, radius: float, colour: RGB, lit: bool = True) -> None:
    """A lamp that hangs from the ceiling."""
    c.box(x - 0.2, 0, 0.4, foot - radius, DARK)
    if lit:
        c.glow(x, foot + 2, radius * 5.5, (255, 226, 170), 0.42)
    c.poly(
        [
            (x - radius * 0.3, foot - radius),
            (x + radius * 0.3, foot - radius),
            (x + radius, foot),
            (x - radius, foot),
        ],
        colour,
    )
    c.oval(x, foot, radius, radius * 0.16, mix(colour, (255, 238, 200), 0.75) if lit else shade(colour, -0.1))


def floor_lamp(c: Canvas, x: float, foot: float, tall: float, shade_colour: RGB) -> None:
    c.shade_below(x - 4, foot, 8, 1.0)
    c.box(x - 0.4, foot - tall, 0.8, tall, DARK)
    c.oval(x, foot, 4, 0.8, DARK)
    c.glow(x, foot - tall, 26, (255, 224, 170), 0.42)
    c.poly(
        [
            (x - 4, foot - tall - 6),
            (x + 4, foot - tall - 6),
            (x + 7, foot - tall + 4),
            (x - 7, foot - tall + 4),
        ],
        shade_colour,
    )


def plant(c: Canvas, x: float, foot: float, tall: float, pot: RGB) -> None:
    """A pot with long leaves."""
    wide = tall * 0.2
    c.shade_below(x - wide, foot, 2 * wide, 1.0)
    for leaf in range(11):
        angle = math.radians(-160 + 140 * leaf / 10 + c.rng.uniform(-6, 6))
        length = tall * c.rng.uniform(0.5, 0.78)
        base = (x, foot - tall * 0.32)
        tip = (base[0] + math.cos(angle) * length * 0.8, base[1] + math.sin(angle) * length)
        mid = ((base[0] + tip[0]) / 2, (base[1] + tip[1]) / 2 - tall * 0.05)
        side = (math.sin(angle) * tall * 0.05, -math.cos(angle) * tall * 0.05)
        tone = shade(LEAF, 0.03 * (leaf % 3) - 0.03)
        c.poly([base, (mid[0] + side[0], mid[1] + side[1]), tip, (mid[0] - side[0], mid[1] - side[1])], tone)
    c.poly(
        [
            (x - wide, foot - tall * 0.34),
            (x + wide, foot - tall * 0.34),
            (x + wide * 0.72, foot),
            (x - wide * 0.72, foot),
        ],
        pot,
    )
    c.box(x - wide * 1.06, foot - tall * 0.37, wide * 2.12, tall * 0.06, shade(pot, 0.04), 0.4)


def sofa(c: Canvas, x: float, foot: float, w: float, colour: RGB) -> None:
    tall = w * 0.42
    c.shade_below(x, foot, w, 1.6)
    c.box(x + w * 0.06, foot - tall, w * 0.88, tall * 0.7, shade(colour, -0.03), 2.4)
    for half in (0, 1):
        c.box(
            x + w * (0.09 + 0.41 * half), foot - tall * 0.62, w * 0.405, tall * 0.34, shade(colour, 0.04), 1.6
        )
    c.box(x + w * 0.06, foot - tall * 0.36, w * 0.88, tall * 0.30, colour, 1.2)
    for side in (0, 1):
        c.box(x + w * 0.9 * side, foot - tall * 0.66, w * 0.1, tall * 0.62, shade(colour, -0.06), 1.8)
    c.box(x + w * 0.14, foot - tall * 0.74, w * 0.15, w * 0.15, oklch(0.78, 0.09, 70), 1.6)


def table(c: Canvas, x: float, foot: float, w: float, tall: float, colour: RGB) -> None:
    c.shade_below(x, foot, w, 1.4)
    for leg in (0.06, 0.90):
        c.box(x + w * leg, foot - tall, w * 0.04, tall, shade(colour, -0.10))
    c.box(x, foot - tall, w, 2.2, colour, 0.5)
    c.box(x + 1, foot - tall + 2.2, w - 2, 1.2, shade(colour, -0.12))


def chair(c: Canvas, x: float, foot: float, tall: float, colour: RGB) -> None:
    wide = tall * 0.46
    c.shade_below(x, foot, wide, 1.0)
    for leg in (0.04, 0.88):
        c.box(x + wide * leg, foot - tall * 0.5, wide * 0.08, tall * 0.5, shade(colour, -0.08))
    c.box(x, foot - tall * 0.54, wide, tall * 0.08, colour, 0.5)
    c.box(x + wide * 0.04, foot - tall, wide * 0.08, tall * 0.5, shade(colour, -0.08))
    c.box(x + wide * 0.04, foot - tall, wide * 0.92, tall * 0.2, shade(colour, 0.03), 1.0)
    c.box(x + wide * 0.88, foot - tall, wide * 0.08, tall * 0.5, shade(colour, -0.08))


def bed(c: Canvas, x: float, foot: float, w: float, linen: RGB, wood: RGB) -> None:
    tall = w * 0.5
    c.shade_below(x, foot, w, 1.6)
    c.box(x, foot - tall, w, tall * 0.8, wood, 1.6)
    c.box(x + w * 0.03, foot - tall * 0.62, w * 0.94, tall * 0.5, shade(linen, 0.02), 2.0)
    for half in (0, 1):
        c.box(x + w * (0.09 + 0.43 * half), foot - tall * 0.78, w * 0.37, tall * 0.26, (250, 248, 244), 2.0)
    c.box(x + w * 0.03, foot - tall * 0.40, w * 0.94, tall * 0.40, linen, 1.2)
    c.box(x + w * 0.03, foot - tall * 0.40, w * 0.94, tall * 0.07, shade(linen, 0.05), 1.0)


def rug(c: Canvas, x: float, y: float, across: float, down: float, colour: RGB) -> None:
    c.oval(x, y, across, down, colour)
    c.oval(x, y, across * 0.9, down * 0.86, shade(colour, 0.05))
    c.oval(x, y, across * 0.8, down * 0.72, colour)


def framed(c: Canvas, x: float, y: float, w: float, h: float, accent: RGB) -> None:
    """A picture on the wall."""
    c.box(x, y, w, h, WOOD)
    c.box(x + 0.9, y + 0.9, w - 1.8, h - 1.8, (248, 244, 238))
    c.oval(x + w * 0.5, y + h * 0.45, w * 0.22, w * 0.22, accent)
    c.box(x + w * 0.2, y + h * 0.66, w * 0.6, h * 0.14, shade(accent, -0.14), 1.0)


def mirror(c: Canvas, x: float, y: float, radius: float) -> None:
    c.oval(x, y, radius + 1.0, radius + 1.0, WOOD)
    c.oval(x, y, radius, radius, (222, 232, 234))
    c.poly(
        [
            (x - radius * 0.5, y + radius * 0.3),
            (x + radius * 0.3, y - radius * 0.6),
            (x + radius * 0.52, y - radius * 0.44),
            (x - radius * 0.28, y + radius * 0.5),
        ],
        (238, 244, 245),
    )


def tree(c: Canvas, x: float, foot: float, tall: float, colour: RGB) -> None:
    trunk = (120, 92, 72)
    c.shade_below(x - tall * 0.18, foot, tall * 0.36, 1.2, 0.22)
    c.poly(
        [
            (x - tall * 0.03, foot),
            (x + tall * 0.03, foot),
            (x + tall * 0.015, foot - tall * 0.5),
            (x - tall * 0.015, foot - tall * 0.5),
        ],
        trunk,
    )
    for dx, dy, radius in (
        (-0.16, 0.52, 0.17),
        (0.16, 0.54, 0.17),
        (0, 0.62, 0.22),
        (-0.1, 0.76, 0.17),
        (0.11, 0.76, 0.16),
    ):
        c.oval(
            x + dx * tall,
            foot - dy * tall,
            radius * tall,
            radius * tall,
            shade(colour, -0.03 if dx > 0 else 0.02),
        )
    c.oval(x - 0.07 * tall, foot - 0.74 * tall, 0.12 * tall, 0.11 * tall, shade(colour, 0.06))
