"""Cutting a subject out of a plain background, only where that is safe.

Safe means: the border is one colour, the subject differs clearly, is one compact thing
and hardly touches the border. Everything else stays a photograph.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from PIL import Image, ImageChops, ImageFilter, ImageMath, ImageStat

from contentsvc_studio.images.color import RGB

WORK_SIDE = 300
CUT_SIDE = 1200


def cut_out(photo: Image.Image, person: bool = False) -> Image.Image | None:
    """The subject as RGBA, trimmed to its edges, or None where the photo isn't suited.

    A ``person`` is only cut along the photo's own transparency: clothes and hair meet
    backgrounds of their own colour too often, and a torn sleeve is worse than a frame.
    """
    if photo.mode == "RGBA":
        return _from_alpha(photo)
    ground = None if person else _plain_border(photo)
    if ground is None:
        return None
    if max(photo.size) > CUT_SIDE:
        photo = photo.copy()
        photo.thumbnail((CUT_SIDE, CUT_SIDE), Image.Resampling.LANCZOS)
    mask = _subject_mask(photo, ground)
    if mask is None:
        return None
    return _trim(_assemble(photo, mask, ground))


def _from_alpha(photo: Image.Image) -> Image.Image | None:
    alpha = photo.getchannel("A")
    share = ImageStat.Stat(alpha).mean[0] / 255
    return _trim(photo) if 0.03 < share < 0.97 else None


def _trim(cut: Image.Image) -> Image.Image | None:
    box = cut.getchannel("A").point(lambda value: 255 if value > 24 else 0).getbbox()
    if box is None or min(box[2] - box[0], box[3] - box[1]) < 12:
        return None
    return cut.crop(box)


def _plain_border(photo: Image.Image) -> RGB | None:
    """The colour of the border where nearly all of it is one colour."""
    small = photo.resize((64, 64), Image.Resampling.BOX)
    data = small.tobytes()
    border = [
        (data[at], data[at + 1], data[at + 2])
        for at in (3 * (y * 64 + x) for y in range(64) for x in range(64) if min(x, y, 63 - x, 63 - y) < 2)
    ]
    middle = [sorted(part)[len(border) // 2] for part in zip(*border, strict=True)]
    near = sum(
        max(abs(one - two) for one, two in zip(colour, middle, strict=True)) <= 14 for colour in border
    )
    return (middle[0], middle[1], middle[2]) if near >= 0.93 * len(border) else None


def _distance(photo: Image.Image, ground: RGB) -> Image.Image:
    """How far each pixel is from the background, the largest of the three channels."""
    red, green, blue = ImageChops.difference(photo, Image.new("RGB", photo.size, ground)).split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def _subject_mask(photo: Image.Image, ground: RGB) -> Image.Image | None:
    """A soft mask of the photo's size, or None where cutting is not safe."""
    scale = min(1.0, WORK_SIDE / max(photo.size))
    size = (max(8, round(photo.width * scale)), max(8, round(photo.height * scale)))
    distance = _distance(photo.resize(size, Image.Resampling.BOX), ground)
    outside = _flood(distance, threshold=20)
    inside = size[0] * size[1] - sum(outside)
    share = inside / (size[0] * size[1])
    if not 0.03 < share < 0.85 or _touches_border(outside, size) > 0.06:
        return None
    solid = Image.frombytes("L", size, bytes(0 if out else 255 for out in outside))
    # Specks of dust go, and a subject that is mostly faint is no subject to cut.
    solid = solid.filter(ImageFilter.MedianFilter(3))
    if ImageStat.Stat(distance, solid).mean[0] < 36:
        return None
    grown = solid.filter(ImageFilter.MaxFilter(3)).resize(photo.size, Image.Resampling.BICUBIC)
    core = solid.filter(ImageFilter.GaussianBlur(1)).resize(photo.size, Image.Resampling.BICUBIC)
    core = core.point(lambda value: max(0, min(255, (value - 112) * 4)))
    soft = _distance(photo, ground).point(lambda value: max(0, min(255, (value - 10) * 9)))
    edge = ImageChops.multiply(grown, soft.filter(ImageFilter.GaussianBlur(0.8)))
    return ImageChops.lighter(edge, core)


def _flood(distance: Image.Image, threshold: int) -> bytearray:
    """1 for every pixel that is joined to the border through background."""
    width, height = distance.size
    data = distance.tobytes()
    outside = bytearray(width * height)
    queue: deque[int] = deque()
    edge = [*range(width), *range(width * (height - 1), width * height)]
    edge += [row * width + column for row in range(height) for column in (0, width - 1)]
    for at in edge:
        if data[at] < threshold and not outside[at]:
            outside[at] = 1
            queue.append(at)
    while queue:
        at = queue.popleft()
        column = at % width
        for near, legal in (
            (at - 1, column > 0),
            (at + 1, column < width - 1),
            (at - width, at >= width),
            (at + width, at < width * (height - 1)),
        ):
            if legal and not outside[near] and data[near] < threshold:
                outside[near] = 1
                queue.append(near)
    return outside


def _touches_border(outside: bytearray, size: tuple[int, int]) -> float:
    """The share of the border that belongs to the subject."""
    width, height = size
    sides = [*outside[:width], *outside[width * (height - 1) :]]
    sides += [outside[row * width + column] for row in range(height) for column in (0, width - 1)]
    touching = sum(1 for out in sides if not out)
    return touching / len(sides)


def _assemble(photo: Image.Image, mask: Image.Image, ground: RGB) -> Image.Image:
    """Photo and mask; edge pixels lose the share of background they hold."""
    channels = [_without_ground(band, mask, base) for band, base in zip(photo.split(), ground, strict=True)]
    return Image.merge("RGBA", (*channels, mask))


def _without_ground(band: Image.Image, mask: Image.Image, base: int) -> Image.Image:
    """One channel's colour before the background shone through the mask's soft edge."""

    def solve(args: dict[str, Any]) -> Any:
        own = (args["band"] * 255 - (255 - args["mask"]) * base) / args["max"](args["mask"], 40)
        return args["convert"](args["min"](args["max"](own, 0), 255), "L")

    result: Image.Image = ImageMath.lambda_eval(solve, band=band, mask=mask)
    return result
