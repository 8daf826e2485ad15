"""The body of a figure: neck, clothes, arms and hands."""

from __future__ import annotations

from contentsvc_studio.images.color import RGB, mix, shade
from contentsvc_studio.images.figure.sheet import Sheet, mirrored
from contentsvc_studio.images.figure.traits import Traits
from contentsvc_studio.images.masks import curve

BROAD = mirrored([(55, 57.5), (62, 61), (72, 64), (79, 69.5), (81, 80), (79, 100), (78, 124), (50, 126)])
NARROW = mirrored(
    [(54.5, 57.5), (60.5, 61.4), (68.5, 64.4), (74.6, 69.8), (76, 80), (73.5, 98), (74, 124), (50, 126)]
)

# The card the figure holds, in sheet units: left, top, width, height.
CARD = (32.0, 76.0, 36.0, 36.0)


def draw_body(sheet: Sheet, traits: Traits, holding: bool) -> None:
    """Neck, torso and sleeves; the hands' backs where the figure holds something."""
    skin = traits.skin
    shadow = mix(shade(skin, -0.085), (176, 74, 52), 0.13)
    wide = 4.7 if traits.woman else 5.8
    neck = [
        (50 - wide, 42),
        (50 + wide, 42),
        (50 + wide, 56),
        (50 + wide + 1.6, 60.5),
        (50, 66),
        (50 - wide - 1.6, 60.5),
        (50 - wide, 56),
    ]
    torso = NARROW if traits.woman else BROAD
    if traits.garment != "roll":
        sheet.blob([(43, 60.5), (46, 57), (54, 57), (57, 60.5), (55, 72), (50, 77), (45, 72)], skin)
    sheet.shape(neck, skin)
    sheet.shape([(50 - wide, 44), (50 + wide, 44), (50 + wide, 55.4), (51, 58.2), (50 - wide, 54)], shadow)
    _garment(sheet, traits, torso)
    _sleeves(sheet, traits, holding)


def _garment(sheet: Sheet, traits: Traits, torso: list[tuple[float, float]]) -> None:
    cloth, dark = traits.cloth, shade(traits.cloth, -0.07)
    if traits.garment == "roll":
        sheet.blob(torso, cloth)
        _fold(sheet, torso, dark)
        sheet.blob(
            [
                (43.6, 51.5),
                (50, 53),
                (56.4, 51.5),
                (57.2, 57),
                (58, 61.4),
                (50, 63.6),
                (42, 61.4),
                (42.8, 57),
            ],
            shade(cloth, 0.025),
        )
        sheet.stroke([(43.4, 60.4), (50, 62.4), (56.6, 60.4)], 0.5, dark)
        return
    depth = {"crew": 63.5, "vneck": 73.0, "shirt": 67.0, "blazer": 80.0}[traits.garment]
    if traits.garment == "blazer":
        _body_with_neckline(sheet, torso, traits.inner, 64.5)
        _body_with_neckline(sheet, torso, cloth, 96.0)
        _fold(sheet, torso, dark)
        for side in (-1, 1):
            sheet.shape(
                [
                    (50 + side * x, y)
                    for x, y in (
                        (6.4, 58.6),
                        (12.4, 62),
                        (13.6, 72),
                        (10.2, 73),
                        (11, 76.4),
                        (1.2, 98),
                        (5.4, 72),
                    )
                ],
                shade(cloth, 0.035),
            )
        return
    _body_with_neckline(sheet, torso, cloth, depth)
    _fold(sheet, torso, dark)
    if traits.garment == "crew":
        sheet.stroke([(43.0, 58.6), (45, 62.2), (50, 63.9), (55, 62.2), (57.0, 58.6)], 1.1, dark)
    elif traits.garment == "vneck":
        for side in (-1, 1):
            sheet.stroke([(50 + side * 7.2, 58.4), (50 + side * 0.4, 73.2)], 1.1, dark)
    else:
        sheet.stroke([(50, 66.5), (50, 124)], 0.45, dark)
        for side in (-1, 1):
            sheet.shape(
                [(50 + side * x, y) for x, y in ((5.6, 55.8), (9.0, 59.6), (7.6, 67.6), (0.0, 66.4))],
                shade(cloth, 0.04),
            )
        for y in (74, 83, 92, 101):
            sheet.oval(50.0, y, 0.7, 0.7, shade(cloth, 0.10))


def _body_with_neckline(sheet: Sheet, torso: list[tuple[float, float]], colour: RGB, depth: float) -> None:
    """The torso with an opening from the shoulders' base down to ``depth``."""
    half = torso[: len(torso) // 2]
    start = (57.4, 58.2)
    right = [start, *half[1:]]
    left = [(100 - x, y) for x, y in reversed(right)]
    edge = curve([*right, *left], closed=False)
    if depth < 66:
        opening = curve([(42.6, 58.2), (44.8, 62), (50, depth), (55.2, 62), start], closed=False)
    else:
        opening = [(42.6, 58.2), (50.0, depth), start]
    sheet.shape([*edge, *opening], colour)


def _fold(sheet: Sheet, torso: list[tuple[float, float]], dark: RGB) -> None:
    sheet.within(torso, [(66, 58), (84, 62), (84, 126), (60, 126), (66, 104), (68.5, 84)], dark, 0.7)


def _sleeves(sheet: Sheet, traits: Traits, holding: bool) -> None:
    cloth, dark = traits.cloth, shade(traits.cloth, -0.07)
    reach = 24.4 if traits.woman else 28.6
    width = 11.0 if traits.woman else 13.4
    for side in (-1, 1):
        tone = shade(cloth, -0.035) if side > 0 else shade(cloth, 0.012)
        shoulder = (50 + side * (reach - width * 0.42), 70.5)
        if holding:
            elbow, wrist = (50 + side * (reach + 3.0), 106), (50 + side * 20.6, 100.5)
            _hand_behind(sheet, traits, side)
            sheet.stroke([shoulder, (50 + side * (reach + 0.4), 88), elbow], width, tone, width * 0.86)
            sheet.stroke([elbow, (50 + side * (reach - 1.5), 107.5), wrist], width * 0.84, tone, width * 0.58)
            sheet.stroke(
                [(50 + side * (reach - 4.4), 100.5), (50 + side * (reach - 1.6), 95)], 0.5, dark, 0.3
            )
        else:
            hand = (50 + side * (reach - 2.4), 128)
            sheet.stroke([shoulder, (50 + side * (reach - 1.0), 94), hand], width, tone, width * 0.86)
            inner = 50 + side * (reach - width * 0.86)
            sheet.stroke([(inner, 86), (inner + side * 0.6, 104), (inner, 124)], 0.5, dark, 0.4)


def _hand_behind(sheet: Sheet, traits: Traits, side: int) -> None:
    sheet.oval(50 + side * 18.6, 98.4, 4.3, 4.7, traits.skin)


def draw_thumbs(sheet: Sheet, traits: Traits) -> None:
    """What lies before the card: the thumbs."""
    shadow = mix(shade(traits.skin, -0.085), (176, 74, 52), 0.13)
    for side in (-1, 1):
        base, tip = (50 + side * 18.4, 99.6), (50 + side * 13.6, 95.6)
        sheet.stroke([(base[0], base[1] + 0.5), (tip[0], tip[1] + 0.6)], 4.0, shadow, 3.0)
        sheet.stroke([base, tip], 3.9, traits.skin, 2.9)
        sheet.oval(tip[0] + side * 0.2, tip[1] - 0.15, 0.85, 0.75, mix(traits.skin, (255, 244, 238), 0.5))
