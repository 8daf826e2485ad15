"""The head of a figure: face, features, hair. Drawn around (50, 33) on the sheet."""

from __future__ import annotations

from contentsvc_studio.images.color import RGB, mix, shade
from contentsvc_studio.images.figure.sheet import Sheet, mirrored
from contentsvc_studio.images.figure.traits import Traits

FACE = mirrored(
    [(50, 17.2), (56.6, 18.6), (61.2, 24.5), (61.8, 32), (60.6, 39), (57.2, 45), (53.2, 48.4), (50, 49)]
)
SLIM_FACE = mirrored(
    [
        (50, 17.2),
        (56.4, 18.6),
        (60.8, 24.5),
        (61.2, 31.5),
        (59.6, 38.6),
        (55.8, 44.8),
        (52.4, 48.2),
        (50, 48.9),
    ]
)


def draw_hair_behind(sheet: Sheet, traits: Traits) -> None:
    """What falls behind neck and shoulders."""
    dark = shade(traits.hair, -0.06)
    if traits.style == "long":
        sheet.blob(
            mirrored(
                [(50, 12), (60, 14.5), (65.5, 24), (66, 40), (67.5, 56), (69.5, 69), (62, 75), (50, 74)]
            ),
            dark,
        )
    elif traits.style == "waves":
        sheet.blob(
            mirrored(
                [
                    (50, 12),
                    (60.5, 14.5),
                    (66, 24),
                    (65, 33),
                    (68.6, 42),
                    (66.8, 51),
                    (69.6, 60),
                    (66, 67.5),
                    (58, 66),
                    (50, 64),
                ]
            ),
            dark,
        )
    elif traits.style == "bob":
        sheet.blob(
            mirrored(
                [(50, 12.4), (60, 14.6), (65.4, 24), (66, 36), (66.6, 47), (62, 52.5), (54, 51), (50, 50)]
            ),
            dark,
        )
    elif traits.style == "curls":
        reach = 1.0 if traits.woman else 0.78
        for x, y, radius in (
            (50, 15, 11),
            (39, 19, 9.5),
            (61, 19, 9.5),
            (34.5, 28, 8.5),
            (65.5, 28, 8.5),
            (35, 38, 8),
            (65, 38, 8),
        ):
            sheet.oval(
                50 + (x - 50) * (0.86 + 0.14 * reach),
                y + (1 - reach) * 6,
                radius * reach,
                radius * reach,
                dark,
            )
        if traits.woman:
            for x, y, radius in ((37.5, 46, 7), (62.5, 46, 7)):
                sheet.oval(x, y, radius, radius, dark)
    elif traits.style == "bun":
        sheet.oval(50, 10.2, 7.2, 6.6, dark)
        sheet.oval(49, 9.4, 5.6, 5.0, traits.hair)
    elif traits.style == "pony":
        sheet.blob(
            [(58, 15), (66, 17), (71, 26), (71.5, 40), (69, 53), (65.5, 60), (64.6, 48), (64, 34), (60, 24)],
            dark,
        )


def draw_head(sheet: Sheet, traits: Traits, features: bool = True) -> None:
    """Ears, face, features, then the hair that falls on the face."""
    face = SLIM_FACE if traits.woman else FACE
    skin, dark = traits.skin, _skin_shade(traits.skin)
    for side in (-1, 1):
        sheet.oval(50 + side * 11.4, 34.2, 2.3, 3.5, skin)
        sheet.oval(50 + side * 11.5, 34.4, 1.1, 2.0, dark)
    sheet.blob(face, skin)
    sheet.within(
        face,
        [(56.5, 14), (70, 14), (70, 54), (50, 54), (55, 46), (58.6, 40), (58.8, 30), (57.4, 22)],
        dark,
        0.5,
    )
    if traits.style != "shaved":
        sheet.within(
            face, [(36, 14), (64, 14), (64, 26.5), (57, 24.4), (50, 24), (43, 24.8), (36, 28)], dark, 0.38
        )
    if traits.beard and not traits.woman:
        _beard(sheet, traits, face)
    if features:
        draw_features(sheet, traits)
    _hair_front(sheet, traits)
    if features and traits.glasses:
        draw_glasses(sheet)
    if traits.earrings and traits.style in ("bun", "pony", "crop", "bob"):
        for side in (-1, 1):
            sheet.oval(50 + side * 11.6, 39.6, 1.0, 1.0, (224, 184, 96))


def _skin_shade(skin: RGB) -> RGB:
    return mix(shade(skin, -0.085), (176, 74, 52), 0.13)


def draw_features(sheet: Sheet, traits: Traits) -> None:
    """Brows, eyes, nose and mouth."""
    dark = _skin_shade(traits.skin)
    line = mix(shade(traits.skin, -0.36), (60, 26, 22), 0.5)
    brow = mix(traits.hair, line, 0.45) if not traits.old else (150, 146, 144)
    for side in (-1, 1):
        x = 50 + side * 5.2
        weight = 0.95 if traits.woman else 1.35
        sheet.stroke(
            [(x - side * 2.4, 29.4), (x + side * 0.4, 28.3), (x + side * 2.9, 29.5)],
            weight,
            brow,
            weight * 0.6,
        )
        sheet.oval(x, 33.6, 1.95, 1.35, (250, 247, 243))
        sheet.oval(x + 0.12, 33.6, 1.22, 1.38, (58, 40, 34))
        sheet.oval(x + 0.55, 33.1, 0.4, 0.4, (255, 255, 255))
        sheet.stroke([(x - side * 2.1, 33.4), (x, 32.0), (x + side * 2.35, 33.0)], 0.55, line)
        if traits.woman:
            sheet.stroke([(x + side * 1.9, 32.7), (x + side * 2.9, 32.1)], 0.5, line)
        if traits.old:
            sheet.stroke([(x + side * 3.6, 34.6), (x + side * 4.6, 35.4)], 0.32, dark)
    blush = mix(traits.skin, (222, 88, 82), 0.5)
    for side in (-1, 1):
        sheet.soft_oval(50 + side * 6.6, 38.6, 2.5, 1.6, blush, 0.34)
    sheet.stroke([(50.6, 33.6), (51.3, 37.0), (51.7, 38.7), (50.3, 39.5), (49.2, 39.3)], 0.55, dark, 0.7)
    lip = mix(traits.skin, (176, 44, 52), 0.62 if traits.woman else 0.34)
    sheet.blob(
        [
            (46.4, 42.6),
            (48.4, 42.9),
            (50, 43.1),
            (51.6, 42.9),
            (53.6, 42.6),
            (52.2, 44.5),
            (50, 45.2),
            (47.8, 44.5),
        ],
        lip,
    )
    sheet.blob(
        [(47.0, 42.85), (50, 43.2), (53.0, 42.85), (51.6, 43.9), (50, 44.15), (48.4, 43.9)], (252, 248, 244)
    )
    sheet.stroke(
        [(46.1, 42.4), (48, 42.95), (50, 43.1), (52, 42.95), (53.9, 42.4)], 0.5, mix(lip, line, 0.45)
    )


def _beard(sheet: Sheet, traits: Traits, face: list[tuple[float, float]]) -> None:
    jaw = [
        (37.6, 34),
        (39.8, 38.6),
        (44, 40.2),
        (47, 40.0),
        (50, 40.4),
        (53, 40.0),
        (56, 40.2),
        (60.2, 38.6),
        (62.4, 34),
        (61.5, 42),
        (57.6, 47.6),
        (50, 50.6),
        (42.4, 47.6),
        (38.5, 42),
    ]
    sheet.within(face, jaw, traits.hair, 0.96)


def draw_glasses(sheet: Sheet) -> None:
    """Thin round frames."""
    tone = (52, 44, 44)
    for side in (-1, 1):
        sheet.ring(50 + side * 5.3, 33.7, 3.7, 3.3, 0.55, tone)
        sheet.stroke([(50 + side * 8.9, 33.2), (50 + side * 11.2, 32.8)], 0.5, tone)
    sheet.stroke([(48.4, 33.1), (50, 32.5), (51.6, 33.1)], 0.5, tone)


def _hair_front(sheet: Sheet, traits: Traits) -> None:
    hair, light, style = traits.hair, shade(traits.hair, 0.07), traits.style
    if style in ("long", "waves"):
        sheet.blob(
            [
                (48, 12),
                (58, 13),
                (64.4, 20),
                (65.4, 31),
                (64.8, 44),
                (62.2, 43),
                (61.6, 32),
                (58.6, 25.4),
                (51, 20.4),
                (45.4, 18.2),
            ],
            hair,
        )
        sheet.blob(
            [
                (51.5, 12.3),
                (42, 12.6),
                (35.8, 20),
                (34.6, 31),
                (35.2, 44),
                (37.8, 43),
                (38.4, 32),
                (41, 25.6),
                (46, 20.6),
                (51, 17.8),
            ],
            hair,
        )
        sheet.stroke([(53, 15.2), (58.6, 18), (61.8, 24)], 0.7, light, 0.3)
        sheet.stroke([(46.4, 15.2), (40.6, 18.6), (37.8, 25)], 0.7, light, 0.3)
    elif style == "bob":
        sheet.blob(
            [
                (50, 12.2),
                (59.6, 13.8),
                (64.8, 21),
                (65.6, 34),
                (64.6, 46),
                (61, 45.6),
                (61, 34),
                (59.6, 27.6),
                (50, 26),
                (40.4, 27.6),
                (39, 34),
                (39, 45.6),
                (35.4, 46),
                (34.4, 34),
                (35.2, 21),
                (40.4, 13.8),
            ],
            hair,
        )
        sheet.stroke([(42, 17.4), (47, 15.4), (54, 15.4)], 0.8, light, 0.3)
    elif style in ("bun", "pony"):
        sheet.blob(
            [
                (50, 13.2),
                (58.6, 14.8),
                (62.6, 22),
                (62.4, 31.4),
                (60.6, 28),
                (57, 22.8),
                (50, 20.6),
                (43, 22.8),
                (39.4, 28),
                (37.6, 31.4),
                (37.4, 22),
                (41.4, 14.8),
            ],
            hair,
        )
        sheet.stroke([(44, 17.6), (48.6, 15.6), (54, 16)], 0.7, light, 0.3)
    elif style == "curls":
        for x, y, radius in (
            (41, 20, 4.6),
            (46, 17.8, 4.8),
            (51.4, 17.2, 4.8),
            (56.6, 18.6, 4.6),
            (60.4, 22.6, 3.6),
            (39, 24.4, 3.4),
        ):
            sheet.oval(x, y, radius, radius, hair)
        for x, y in ((44, 15.4), (51.6, 13.6), (58.2, 16.4)):
            sheet.ring(x, y, 2.3, 2.1, 0.4, light)
    elif style == "shaved":
        cap = mix(traits.skin, traits.hair, 0.38)
        sheet.within(
            FACE,
            [
                (34, 14),
                (66, 14),
                (65, 29),
                (61.5, 27),
                (58.6, 22.8),
                (50, 20.8),
                (41.4, 22.8),
                (38.5, 27),
                (35, 29),
            ],
            cap,
            0.9,
        )
    else:
        _short_hair(sheet, traits, light)


def _short_hair(sheet: Sheet, traits: Traits, light: RGB) -> None:
    hair = traits.hair
    for side in (-1, 1):
        sheet.blob(
            [
                (50 + side * x, y)
                for x, y in ((11.2, 20), (12.7, 25), (12.4, 33), (11.0, 33.6), (10.8, 28), (8.6, 22))
            ],
            hair,
        )
    if traits.style == "side":
        sheet.blob(
            [
                (40, 25.2),
                (37.6, 24),
                (38, 17),
                (43, 12.2),
                (52, 10.8),
                (60, 13.6),
                (63, 20.6),
                (62, 27),
                (60, 22.4),
                (53, 22.6),
                (46.4, 19.4),
                (43.2, 22),
            ],
            hair,
        )
        sheet.stroke([(45.6, 17), (51.6, 14), (58.4, 16.2)], 0.8, light, 0.3)
    elif traits.style == "quiff":
        sheet.blob(
            [
                (38.4, 25.6),
                (37.6, 18.6),
                (41.4, 12.6),
                (47, 11.4),
                (53, 8.2),
                (60.6, 11.2),
                (63, 18),
                (61.8, 25.6),
                (59.2, 21.4),
                (50, 20.4),
                (41.4, 21.8),
            ],
            hair,
        )
        sheet.stroke([(46, 15.2), (52, 12), (58, 13.4)], 0.9, light, 0.3)
    else:
        sheet.blob(
            [
                (38.6, 26),
                (37.4, 20),
                (40.6, 14.4),
                (50, 11.8),
                (59.4, 14.4),
                (62.6, 20),
                (61.4, 26),
                (58.6, 21.8),
                (50, 20.2),
                (41.4, 21.8),
            ],
            hair,
        )
        sheet.stroke([(44, 16.4), (49, 14.6), (55, 15.2)], 0.8, light, 0.3)
