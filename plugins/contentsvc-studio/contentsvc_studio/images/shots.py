"""A reference picture as layouts use it: cropped photograph, or cut-out subject in a set."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageFilter

from contentsvc_studio.images.cutout import cut_out
from contentsvc_studio.images.palette import dominant_hue
from contentsvc_studio.images.saliency import Focus, find_focus

MOST_ENLARGEMENT = 3.8
LEAST_KEPT = 0.20


@dataclass(frozen=True, slots=True)
class Shot:
    """One reference. ``photo`` is RGB; ``cut`` the subject as RGBA where it could be cut."""

    photo: Image.Image
    cut: Image.Image | None
    focus: Focus
    hue: float
    chroma: float
    person: bool = False

    def crop(self, width: int, height: int, zoom: float = 1.0) -> Image.Image:
        """A part of the photograph of that ratio around its subject, at that size (RGB).

        ``zoom`` above 1 shows less. The subject stays inside wherever the ratio allows.
        """
        across, down = self._window(width, height)
        across, down = across / zoom, down / zoom
        x, y = self._anchor(down)
        left = min(max(0.0, x - across / 2), self.photo.width - across)
        top = min(max(0.0, y - down / 2), self.photo.height - down)
        return enlarge(self.photo, (left, top, left + across, top + down), (width, height))

    def detail(self, width: int, height: int, spot: tuple[float, float], share: float) -> Image.Image:
        """A close-up: ``spot`` in fractions of the subject's box, ``share`` of the photo's
        short side that is shown."""
        x, y = self.spot(spot)
        side = share * min(self.photo.size)
        across, down = (side, side * height / width) if width <= height else (side * width / height, side)
        fit = min(1.0, self.photo.width / across, self.photo.height / down)
        across, down = across * fit, down * fit
        left = min(max(0.0, x * self.photo.width - across / 2), self.photo.width - across)
        top = min(max(0.0, y * self.photo.height - down / 2), self.photo.height - down)
        return enlarge(self.photo, (left, top, left + across, top + down), (width, height))

    def spot(self, spot: tuple[float, float]) -> tuple[float, float]:
        """A point of the subject's box, as fractions of the photograph."""
        focus = self.focus
        return (
            focus.left + spot[0] * (focus.right - focus.left),
            focus.top + spot[1] * (focus.bottom - focus.top),
        )

    def fills(self, width: int, height: int) -> bool:
        """Whether a crop of that size keeps enough of the photo and isn't blown up too far."""
        across, down = self._window(width, height)
        kept = across * down / (self.photo.width * self.photo.height)
        return kept >= LEAST_KEPT and width / across <= MOST_ENLARGEMENT

    def contain(self, width: int, height: int) -> Image.Image:
        """The whole photograph inside that area; never enlarged beyond reason unless tiny."""
        photo = self.photo
        scale = min(width / photo.width, height / photo.height)
        least = 0.45 * min(width / photo.width, height / photo.height)
        scale = max(least, min(scale, 5.0))
        size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
        return enlarge(photo, (0, 0, photo.width, photo.height), size)

    def _window(self, width: int, height: int) -> tuple[float, float]:
        scale = min(self.photo.width / width, self.photo.height / height)
        return width * scale, height * scale

    def _anchor(self, down: float) -> tuple[float, float]:
        focus = self.focus
        x = focus.x * 0.5 + (focus.left + focus.right) * 0.25
        y = focus.y * 0.5 + (focus.top + focus.bottom) * 0.25
        if self.person:
            # Faces sit high in portraits; a crop may lose the chest, not the forehead.
            return (x + 0.5) / 2 * self.photo.width, down / 2 + (self.photo.height - down) * 0.22
        return x * self.photo.width, y * self.photo.height


def enlarge(photo: Image.Image, box: tuple[float, float, float, float], size: tuple[int, int]) -> Image.Image:
    """``box`` of the photograph at ``size``, sharpened a little where it is blown up."""
    # Rounding may leave the box a hair outside of the photograph.
    inside = (
        max(0.0, box[0]),
        max(0.0, box[1]),
        min(float(photo.width), box[2]),
        min(float(photo.height), box[3]),
    )
    result = photo.resize(size, Image.Resampling.LANCZOS, box=inside, reducing_gap=3.0)
    factor = size[0] / max(1.0, box[2] - box[0])
    if factor > 1.25:
        radius = min(3.2, 0.9 * factor)
        result = result.filter(ImageFilter.UnsharpMask(radius, 70, 2))
    return result


def make_shot(picture: Image.Image, person: bool = False) -> Shot:
    """Everything layouts want to know of a reference picture (RGB or RGBA)."""
    cut = cut_out(picture, person)
    flat = picture
    if picture.mode == "RGBA":
        flat = Image.new("RGB", picture.size, (244, 243, 241))
        flat.paste(picture, mask=picture.getchannel("A"))
    hue, chroma = dominant_hue(_subject_colours(cut) if cut is not None else flat)
    return Shot(flat, cut, find_focus(flat), hue, chroma, person)


def _subject_colours(cut: Image.Image) -> Image.Image:
    """The cut's own colours: transparent parts become a neutral grey, which has no hue."""
    small = cut.resize((96, 96), Image.Resampling.BOX)
    plain = Image.new("RGB", small.size, (128, 128, 128))
    plain.paste(small, mask=small.getchannel("A"))
    return plain
