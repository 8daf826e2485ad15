"""Palettes: from the colours of a photograph, from a hue, from a colour somebody named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from contentsvc_studio.images.color import RGB, contrast, oklch, readable, to_oklch

SCHEMES = ("paper", "deep", "tint", "contrast", "bold", "neighbour")


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one picture.

    ``ground`` carries ``ink`` (text), ``muted`` (small text) and ``accent`` (display,
    rules); ``panel`` is a second ground for cards and carries ``panel_ink`` and
    ``panel_accent``; ``glow`` and ``dusk`` are the light and shadow tones of the ground.
    """

    name: str
    ground: RGB
    ink: RGB
    muted: RGB
    accent: RGB
    panel: RGB
    panel_ink: RGB
    panel_accent: RGB
    glow: RGB
    dusk: RGB
    hue: float
    chroma: float

    @property
    def dark(self) -> bool:
        """True where the ground is darker than its ink."""
        return to_oklch(self.ground)[0] < to_oklch(self.ink)[0]


def _palette(
    name: str,
    ground: tuple[float, float, float],
    panel: tuple[float, float, float],
    accent: tuple[float, float, float],
) -> Palette:
    ground_rgb, panel_rgb = oklch(*ground), oklch(*panel)

    def ink_for(base: RGB, hue: float) -> RGB:
        dark, light = oklch(0.23, 0.025, hue), oklch(0.975, 0.012, hue)
        return dark if contrast(dark, base) >= contrast(light, base) else light

    ink = ink_for(ground_rgb, ground[2])
    toward = 0.20 if to_oklch(ink)[0] < 0.5 else -0.14
    return Palette(
        name=name,
        ground=ground_rgb,
        ink=ink,
        muted=readable(oklch(to_oklch(ink)[0] + toward, 0.03, ground[2]), ground_rgb),
        accent=readable(oklch(*accent), ground_rgb),
        panel=panel_rgb,
        panel_ink=ink_for(panel_rgb, panel[2]),
        panel_accent=readable(oklch(*accent), panel_rgb),
        glow=oklch(min(0.99, ground[0] + 0.06), ground[1] * 0.8, ground[2]),
        dusk=oklch(max(0.08, ground[0] - 0.13), ground[1] * 1.25 + 0.006, ground[2]),
        hue=accent[2],
        chroma=accent[1],
    )


def from_hue(hue: float, chroma: float, scheme: str) -> Palette:
    """One of :data:`SCHEMES` built around a hue (degrees) and its chroma (0 to about 0.2)."""
    strength = min(1.0, chroma / 0.12)
    vivid = max(0.03, min(0.17, chroma)) if chroma > 0.025 else 0.012
    accent = (0.56, vivid, hue)
    pale = _pale_hue(hue)
    far = (hue + 165) % 360
    if scheme == "deep":
        return _palette(
            scheme,
            (0.27, 0.045 * strength + 0.004, hue),
            (0.945, 0.018 * strength + 0.004, pale),
            (0.76, min(0.12, vivid), hue + 18),
        )
    if scheme == "tint":
        return _palette(
            scheme,
            (0.895, 0.042 * strength + 0.004, pale),
            (0.975, 0.012 * strength + 0.002, pale),
            (0.50, vivid, hue),
        )
    if scheme == "contrast":
        return _palette(
            scheme,
            (0.40, 0.05 * strength + 0.006, far),
            (0.955, 0.016 * strength + 0.004, pale),
            (0.80, min(0.11, vivid), hue + 22),
        )
    if scheme == "bold":
        return _palette(
            scheme,
            (0.53, vivid * 0.92, hue),
            (0.965, 0.016 * strength + 0.003, pale),
            (0.93, 0.06 * strength, hue + 45),
        )
    if scheme == "neighbour":
        return _palette(
            scheme,
            (0.87, 0.05 * strength + 0.006, (hue + 48) % 360),
            (0.30, 0.05 * strength, hue),
            (0.46, vivid, hue),
        )
    return _palette(
        "paper",
        (0.962, 0.013 * strength + 0.002, pale),
        (0.90, 0.035 * strength + 0.003, pale),
        accent,
    )


def _pale_hue(hue: float) -> float:
    """The hue for light tints: reds and oranges turn to cream, as their tints are pink."""
    return hue + (75 - hue) * 0.8 if 10 < hue < 75 else hue


def dominant_hue(photo: Image.Image) -> tuple[float, float]:
    """Hue (degrees) and chroma of the colour a photograph is remembered by.

    The colour with the most area times colourfulness; greys give a chroma near 0.
    """
    small = photo.convert("RGB").resize((48, 48), Image.Resampling.BOX)
    colours = small.quantize(12, Image.Quantize.MEDIANCUT).convert("RGB").getcolors(48 * 48) or []
    best, best_weight = (60.0, 0.0), 0.0
    for count, value in sorted(colours, key=lambda entry: (-entry[0], str(entry[1]))):
        if not isinstance(value, tuple):
            continue
        lightness, chroma, hue = to_oklch((value[0], value[1], value[2]))
        weight = count**0.6 * chroma * (1.0 if 0.25 < lightness < 0.9 else 0.35)
        if chroma > 0.02 and weight > best_weight:
            best, best_weight = (hue, chroma), weight
    return best


def for_picture(
    hue: float, chroma: float, index: int, seed: int, schemes: Sequence[str] = SCHEMES
) -> Palette:
    """The palette of picture ``index`` of a batch: neighbours in a batch differ."""
    return from_hue(hue, chroma, schemes[(index + seed) % len(schemes)])
