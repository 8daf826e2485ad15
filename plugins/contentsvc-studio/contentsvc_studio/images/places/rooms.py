"""Indoor places."""

from __future__ import annotations

from dataclasses import dataclass

from contentsvc_studio.images.color import RGB, mix, shade
from contentsvc_studio.images.places import things
from contentsvc_studio.images.places.canvas import Canvas


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a place. ``evening`` dims the wall and lights the lamps."""

    wall: RGB
    accent: RGB
    sky: RGB
    evening: bool


def _room(c: Canvas, look: Look, horizon: float, floor: RGB) -> None:
    wall = look.wall
    c.fade(0, 0, c.w, horizon, shade(wall, 0.03), shade(wall, -0.03))
    c.fade(0, horizon, c.w, c.h - horizon, shade(floor, -0.06), shade(floor, 0.03))
    boards = 7
    for board in range(-2, boards + 3):
        top, low = c.w * board / boards, c.w * 0.5 + (c.w * board / boards - c.w * 0.5) * 2.1
        c.line([(top, horizon), (low, c.h)], 0.25, shade(floor, -0.09))
    c.box(0, horizon - 2.4, c.w, 2.4, shade(wall, 0.06))


def kitchen(c: Canvas, look: Look) -> None:
    """Shelves over a counter, a window, a pendant lamp."""
    top = c.h * 0.70
    c.fade(0, 0, c.w, top, shade(look.wall, 0.03), shade(look.wall, -0.02))
    tile = 7.0
    for row in range(3):
        for column in range(int(c.w / tile) + 1):
            c.box(
                column * tile + 0.2,
                top - (row + 1) * tile,
                tile - 0.4,
                tile - 0.4,
                shade(look.wall, 0.05),
                0.4,
            )
    things.window(c, c.w * 0.08, c.h * 0.16, c.w * 0.36, c.h * 0.30, look.sky)
    things.shelf(c, c.w * 0.54, c.h * 0.27, c.w * 0.42, things.PALE_WOOD, look.accent)
    things.shelf(c, c.w * 0.54, c.h * 0.41, c.w * 0.42, things.PALE_WOOD, look.accent)
    things.pendant(c, c.w * 0.72, c.h * 0.13, 7, look.accent, look.evening)
    things.counter(c, top, mix(look.wall, look.accent, 0.22), (236, 228, 216))
    things.plant(c, c.w * 0.10, top - 1, 20, (222, 206, 186))
    c.box(c.w * 0.78, top - 9, 8, 8.4, (74, 70, 70), 1.6)
    c.box(c.w * 0.78 + 7.4, top - 7, 3, 3.4, (74, 70, 70), 1.2)


def cafe(c: Canvas, look: Look) -> None:
    """A bar with lamps, a board of cups, a tall window."""
    top = c.h * 0.68
    wall = mix(look.wall, (94, 70, 58), 0.38)
    c.fade(0, 0, c.w, top, shade(wall, 0.02), shade(wall, -0.05))
    things.window(c, c.w * 0.55, c.h * 0.12, c.w * 0.38, c.h * 0.44, look.sky)
    for row in (0.24, 0.37, 0.50):
        things.shelf(c, c.w * 0.05, c.h * row, c.w * 0.42, things.WOOD, look.accent)
    for at in (0.18, 0.5, 0.82):
        things.pendant(c, c.w * at, c.h * 0.15, 6, (66, 58, 56))
    things.counter(c, top, (126, 88, 62), (196, 154, 112))
    c.box(c.w * 0.10, top - 15, 24, 14, (176, 178, 180), 1.2)
    c.box(c.w * 0.10, top - 15, 24, 3, (120, 122, 126), 1.2)
    for spout in (5, 13):
        c.box(c.w * 0.10 + spout, top - 9, 4.4, 2.4, (74, 74, 78), 0.5)
        c.box(c.w * 0.10 + spout + 0.6, top - 4.4, 3.2, 3.2, look.accent, 0.6)
    things.plant(c, c.w * 0.88, top - 1, 22, look.accent)


def living_room(c: Canvas, look: Look) -> None:
    """A sofa, a floor lamp, pictures, a rug."""
    horizon = c.h * 0.66
    _room(c, look, horizon, things.PALE_WOOD)
    things.window(c, c.w * 0.06, c.h * 0.14, c.w * 0.34, c.h * 0.34, look.sky)
    things.curtain(c, c.w * 0.02, c.h * 0.11, c.w * 0.08, horizon - c.h * 0.13, shade(look.wall, 0.05))
    things.framed(c, c.w * 0.56, c.h * 0.24, 15, 20, look.accent)
    things.framed(c, c.w * 0.56 + 18, c.h * 0.27, 12, 15, shade(look.accent, 0.14))
    things.rug(c, c.w * 0.5, c.h * 0.86, c.w * 0.46, c.h * 0.07, mix(look.wall, look.accent, 0.5))
    things.floor_lamp(c, c.w * 0.10, c.h * 0.76, 48, (244, 230, 204))
    things.sofa(c, c.w * 0.22, c.h * 0.78, c.w * 0.66, shade(look.accent, 0.02))
    things.plant(c, c.w * 0.93, c.h * 0.80, 36, (196, 142, 108))
    things.table(c, c.w * 0.34, c.h * 0.92, c.w * 0.36, 9, things.WOOD)


def bedroom(c: Canvas, look: Look) -> None:
    """A made bed under a window."""
    horizon = c.h * 0.68
    _room(c, look, horizon, things.PALE_WOOD)
    things.window(c, c.w * 0.30, c.h * 0.14, c.w * 0.40, c.h * 0.30, look.sky)
    for at in (0.18, 0.72):
        things.curtain(c, c.w * at, c.h * 0.11, c.w * 0.10, c.h * 0.50, shade(look.wall, 0.06))
    things.bed(c, c.w * 0.12, c.h * 0.92, c.w * 0.76, mix(look.accent, (255, 255, 255), 0.45), things.WOOD)
    things.floor_lamp(c, c.w * 0.93, c.h * 0.80, 40, (244, 230, 204))


def bathroom(c: Canvas, look: Look) -> None:
    """Tiles, a basin, a round mirror."""
    top = c.h * 0.68
    tile_tone = mix(look.wall, (214, 226, 224), 0.5)
    c.fade(0, 0, c.w, c.h, shade(tile_tone, 0.02), shade(tile_tone, -0.05))
    tile = 10.0
    for row in range(int(c.h / tile) + 1):
        for column in range(int(c.w / tile) + 1):
            c.box(
                column * tile + 0.25,
                row * tile + 0.25,
                tile - 0.5,
                tile - 0.5,
                shade(tile_tone, 0.015 * ((row + column) % 3)),
                0.4,
            )
    things.mirror(c, c.w * 0.5, c.h * 0.34, min(c.w, c.h) * 0.22)
    for at in (0.14, 0.86):
        c.glow(c.w * at, c.h * 0.34, 16, (255, 238, 206), 0.5)
        c.round_shaded(c.w * at, c.h * 0.34, 3.4, (255, 246, 226))
    things.counter(c, top, things.PALE_WOOD, (244, 242, 238))
    c.box(c.w * 0.34, top - 7, c.w * 0.32, 7, (250, 250, 248), 3.2)
    c.box(c.w * 0.49, top - 15, 1.6, 8.4, (170, 172, 176), 0.6)
    c.box(c.w * 0.49, top - 15, 7, 1.6, (170, 172, 176), 0.6)
    things.plant(c, c.w * 0.12, top - 1, 22, look.accent)
    things.shelf(c, c.w * 0.74, top - 20, c.w * 0.22, things.WOOD, look.accent)


def office(c: Canvas, look: Look) -> None:
    """A tidy desk, books, a window to the side."""
    horizon = c.h * 0.70
    _room(c, look, horizon, things.PALE_WOOD)
    things.window(c, c.w * 0.58, c.h * 0.14, c.w * 0.34, c.h * 0.34, look.sky)
    for row in (0.22, 0.34, 0.46):
        things.shelf(c, c.w * 0.05, c.h * row, c.w * 0.44, things.WOOD, look.accent)
    things.chair(c, c.w * 0.40, c.h * 0.93, 46, (84, 88, 96))
    things.table(c, c.w * 0.08, c.h * 0.90, c.w * 0.84, 34, things.PALE_WOOD)
    foot = c.h * 0.90 - 34
    c.box(c.w * 0.36, foot - 17, 26, 16, (58, 60, 66), 1.0)
    c.fade(c.w * 0.36 + 0.9, foot - 16.1, 24.2, 13.8, mix(look.sky, (255, 255, 255), 0.3), look.sky)
    c.box(c.w * 0.34, foot - 1.4, 30, 1.4, (150, 152, 158), 0.6)
    things.plant(c, c.w * 0.84, foot, 20, look.accent)
    c.box(c.w * 0.16, foot - 6, 5, 6, look.accent, 0.9)


def gym(c: Canvas, look: Look) -> None:
    """A wooden floor, high windows, weights."""
    horizon = c.h * 0.66
    _room(c, look, horizon, things.PALE_WOOD)
    for at in (0.06, 0.38, 0.70):
        things.window(c, c.w * at, c.h * 0.08, c.w * 0.24, c.h * 0.20, look.sky)
    c.box(c.w * 0.06, c.h * 0.44, c.w * 0.50, 2, things.DARK)
    c.box(c.w * 0.06, c.h * 0.56, c.w * 0.50, 2, things.DARK)
    for row in (0.44, 0.56):
        for at in range(4):
            x = c.w * (0.10 + 0.12 * at)
            for side in (-1, 1):
                c.box(x + side * 3.2 - 1.6, c.h * row - 6, 3.2, 6, (70, 72, 78), 0.8)
            c.box(x - 3, c.h * row - 3.8, 6, 1.6, (150, 152, 156))
    c.round_shaded(c.w * 0.78, c.h * 0.66 + 3, 11, look.accent)
    c.poly(
        [
            (c.w * 0.18, c.h * 0.86),
            (c.w * 0.72, c.h * 0.86),
            (c.w * 0.80, c.h * 0.94),
            (c.w * 0.10, c.h * 0.94),
        ],
        shade(look.accent, -0.05),
    )


def photo_studio(c: Canvas, look: Look) -> None:
    """A seamless backdrop between two lights."""
    wall = look.wall
    c.fade(0, 0, c.w, c.h, shade(wall, -0.14), shade(wall, -0.20))
    c.fade(c.w * 0.10, c.h * 0.07, c.w * 0.80, c.h * 0.60, shade(wall, 0.03), shade(wall, -0.02))
    c.poly(
        [(c.w * 0.10, c.h * 0.66), (c.w * 0.90, c.h * 0.66), (c.w * 1.02, c.h), (-c.w * 0.02, c.h)],
        shade(wall, 0.02),
    )
    c.glow(c.w * 0.5, c.h * 0.46, 62, (255, 250, 240), 0.5)
    c.box(c.w * 0.08, c.h * 0.055, c.w * 0.84, 2.6, (110, 106, 104), 1.2)
    for side, x in ((1, c.w * 0.06), (-1, c.w * 0.94)):
        c.box(x - 0.5, c.h * 0.30, 1.0, c.h * 0.52, (52, 50, 52))
        c.glow(x + side * 5, c.h * 0.27, 26, (255, 246, 226), 0.55)
        c.poly(
            [
                (x - side * 3, c.h * 0.22),
                (x + side * 10, c.h * 0.19),
                (x + side * 10, c.h * 0.35),
                (x - side * 3, c.h * 0.32),
            ],
            (44, 42, 44),
        )
        c.poly(
            [
                (x + side * 10, c.h * 0.19),
                (x + side * 11.4, c.h * 0.19),
                (x + side * 11.4, c.h * 0.35),
                (x + side * 10, c.h * 0.35),
            ],
            (252, 248, 238),
        )
    things.table(c, c.w * 0.32, c.h * 0.84, c.w * 0.36, 22, look.accent)


def children(c: Canvas, look: Look) -> None:
    """A low shelf, a rug, paper stars."""
    horizon = c.h * 0.66
    _room(c, look, horizon, things.PALE_WOOD)
    things.window(c, c.w * 0.56, c.h * 0.16, c.w * 0.34, c.h * 0.28, look.sky)
    for at, y in enumerate((0.14, 0.20, 0.12, 0.24)):
        x = c.w * (0.08 + 0.11 * at)
        c.line([(x, 0), (x, c.h * y)], 0.2, shade(look.wall, -0.2))
        c.round_shaded(x, c.h * y, 3.2, (244, 204, 110) if at % 2 else look.accent)
    things.shelf(c, c.w * 0.06, c.h * 0.46, c.w * 0.40, things.WOOD, look.accent)
    things.shelf(c, c.w * 0.06, c.h * 0.62, c.w * 0.40, things.WOOD, (110, 160, 196))
    things.rug(c, c.w * 0.55, c.h * 0.84, c.w * 0.40, c.h * 0.07, (240, 206, 130))
    for at, tone in enumerate(((222, 110, 92), (110, 160, 196), (136, 176, 112))):
        c.box(c.w * 0.36 + 10 * at, c.h * 0.84 - 9 - (9 if at == 1 else 0), 9, 9, tone, 0.8)
        if at == 1:
            c.box(c.w * 0.36 + 10 * at, c.h * 0.84 - 9, 9, 9, shade(tone, 0.1), 0.8)
