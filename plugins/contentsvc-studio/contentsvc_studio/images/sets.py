"""A studio for a cut-out subject: wall, floor, light and the shadow it casts."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light
from contentsvc_studio.images.color import mix, shade
from contentsvc_studio.images.palette import Palette
from contentsvc_studio.images.shots import Shot


def studio_set(size: tuple[int, int], shot: Shot, palette: Palette) -> Image.Image:
    """The cut-out subject of a shot in a set of that size (RGB): things stand on a floor,
    people grow from the lower edge."""
    wall = palette.panel if not palette.dark else shade(palette.ground, 0.10)
    picture = light.gradient(size, shade(wall, 0.03), shade(wall, -0.05))
    width, height = size
    light.glow(picture, (width * 0.5, height * 0.38), max(size) * 0.62, shade(wall, 0.12), 0.75)
    if shot.person:
        place_person(picture, shot, (0, 0, width, height), 0.94)
        return picture
    floor(picture, round(height * 0.70), wall)
    place_product(picture, shot, (width * 0.5, height * 0.89), width * 0.78, height * 0.77)
    light.vignette(picture, shade(wall, -0.35), 0.18)
    return picture


def floor(picture: Image.Image, horizon: int, wall: tuple[int, int, int]) -> None:
    """A floor whose far edge melts into the wall, lighter towards the viewer."""
    height = picture.height - horizon
    ground = light.gradient((picture.width, height), shade(wall, -0.075), shade(wall, 0.02))
    mask = light.ramp((picture.width, height), "bottom", 0.0, 0.10)
    picture.paste(ground, (0, horizon), mask)


def place_product(
    picture: Image.Image, shot: Shot, foot: tuple[float, float], width: float, height: float
) -> tuple[int, int, int, int]:
    """Stand the cut-out subject on a point (middle of its lower edge), no larger than
    ``width`` by ``height`` pixels, with contact and cast shadow. Its box in pixels."""
    cut = shot.cut
    if cut is None:
        raise ValueError("the shot has no cut-out subject")
    scale = min(width / cut.width, height / cut.height)
    size = (max(2, round(cut.width * scale)), max(2, round(cut.height * scale)))
    sized = cut.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    at = (round(foot[0] - size[0] / 2), round(foot[1] - size[1]))
    _floor_shadow(picture, sized, at)
    picture.paste(sized.convert("RGB"), at, sized.getchannel("A"))
    return (at[0], at[1], size[0], size[1])


def _floor_shadow(picture: Image.Image, sized: Image.Image, at: tuple[int, int]) -> None:
    """The subject's outline laid flat on the floor, once wide and soft, once tight."""
    alpha = sized.getchannel("A")
    low = at[1] + sized.height
    lower = alpha.crop((0, round(sized.height * 0.72), sized.width, sized.height))
    flat = alpha.resize(
        (round(sized.width * 1.06), max(4, round(sized.height * 0.20))), Image.Resampling.BICUBIC
    )
    flat = flat.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    tone = mix((20, 14, 10), (0, 0, 0), 0.3)
    base = (at[0] - 0.03 * sized.width, low - flat.height * 0.62)
    light.shadow(
        picture, flat, base, sized.width * 0.045, (sized.width * 0.03, flat.height * 0.10), 0.34, tone
    )
    contact = lower.resize((sized.width, max(3, round(sized.height * 0.05))), Image.Resampling.BICUBIC)
    light.shadow(
        picture,
        contact,
        (at[0], low - contact.height * 0.75),
        max(2.0, sized.width * 0.012),
        (0, contact.height * 0.2),
        0.5,
        tone,
    )


def place_person(picture: Image.Image, shot: Shot, box: tuple[int, int, int, int], share: float) -> None:
    """The cut-out person at the lower edge of a box, at most ``share`` of its height and
    inside its width, with a soft shadow on the wall behind."""
    cut = shot.cut
    if cut is None:
        raise ValueError("the shot has no cut-out subject")
    left, top, width, height = box
    scale = min(height * share / cut.height, width * 1.04 / cut.width)
    size = (max(2, round(cut.width * scale)), max(2, round(cut.height * scale)))
    sized = cut.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    at = (round(left + (width - size[0]) / 2), top + height - size[1])
    alpha = sized.getchannel("A")
    light.shadow(picture, alpha, at, width * 0.05, (width * 0.035, width * 0.02), 0.16)
    inner = picture.crop((left, top, left + width, top + height))
    inner.paste(sized.convert("RGB"), (at[0] - left, at[1] - top), alpha)
    picture.paste(inner, (left, top))
