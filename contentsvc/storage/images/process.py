"""Images made fit for the public: checked, decoded, stripped, turned upright, made small."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Any

from PIL import Image, ImageCms, ImageOps
from PIL.JpegImagePlugin import get_sampling

from contentsvc.settings import UploadSettings
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.images import Layout, broken, gif, jpeg, mapped, png, webp, write_pieces
from contentsvc.storage.sniffing import Format

THUMBNAIL_SIDE = 512
THUMBNAIL_QUALITY = 80
SQUARE_QUALITY = 90
_UPRIGHT = 1
_ORIENTATION_TAG = 0x0112

_READERS: Mapping[Format, Callable[[mmap], Layout]] = {
    Format.PNG: png.read,
    Format.JPEG: jpeg.read,
    Format.WEBP: webp.read,
    Format.GIF: gif.read,
}
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@dataclass(frozen=True, slots=True)
class ProcessedImage:
    """``public`` is the source itself where nothing had to be taken out of it."""

    public: Path
    thumbnail: Path
    width: int
    height: int


def process(source: Path, image_format: Format, folder: Path, limits: UploadSettings) -> ProcessedImage:
    """Check, decode and strip an image; new files go to ``folder``.

    The size in pixels is checked before anything is decoded. Raises MediaRejected.
    """
    layout = read_layout(source, image_format)
    check_size(layout, limits)
    public = source
    if not layout.is_whole(source.stat().st_size):
        public = folder / "public"
        write_pieces(source, layout.pieces, public)
    turn = _TURNS.get(_orientation(layout.exif)) if layout.frames == 1 else None
    if turn is not None:
        upright = folder / "upright"
        _rewrite_turned(public, image_format, turn, upright)
        public = upright
    thumbnail = folder / "thumbnail"
    width, height = _decode(public, image_format, layout.frames, thumbnail)
    return ProcessedImage(public, thumbnail, width, height)


def read_layout(source: Path, image_format: Format) -> Layout:
    """The structure of an image file, without decoding it. Raises MediaRejected."""
    with mapped(source) as data:
        return _READERS[image_format](data)


def check_size(layout: Layout, limits: UploadSettings) -> None:
    """Raises MediaRejected for an image whose decoding would cost too much."""
    pixels = layout.width * layout.height
    if not pixels:
        raise broken()
    if pixels > limits.image_max_pixels:
        raise MediaRejected(
            f"The image has {layout.width}×{layout.height} pixels;"
            f" at most {limits.image_max_pixels} are taken."
        )
    if layout.frames > limits.image_max_frames:
        raise MediaRejected(f"The image has more than {limits.image_max_frames} frames.")
    if layout.frames > 1 and pixels * layout.frames > limits.animation_max_pixels:
        raise MediaRejected(
            f"The frames of the image have more than {limits.animation_max_pixels} pixels together."
        )


def write_thumbnail(picture: Image.Image, target: Path) -> None:
    """A WebP of the picture, its longest side at most 512, never enlarged, in sRGB."""
    small = _reduced(picture, max(picture.size), THUMBNAIL_SIDE)
    small = _in_srgb(_in_eight_bits(small), picture.info.get("icc_profile"))
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    small.save(target, "WEBP", quality=THUMBNAIL_QUALITY, method=4)


def write_square(source: Path, image_format: Format, target: Path, side: int, limits: UploadSettings) -> None:
    """A WebP of ``side`` pixels each way: the middle of the picture, upright, without metadata.

    Of an animation the first frame. Raises MediaRejected.
    """
    layout = read_layout(source, image_format)
    check_size(layout, limits)
    turn = _TURNS.get(_orientation(layout.exif))
    with _decoding(source, image_format) as picture:
        if image_format is Format.JPEG:
            picture.draft("RGB" if picture.mode != "L" else "L", (2 * side, 2 * side))
        picture.load()
        small = _reduced(picture, min(picture.size), side)
        small = _in_srgb(_in_eight_bits(small), picture.info.get("icc_profile"))
        square = ImageOps.fit(small, (side, side), Image.Resampling.LANCZOS)
        square = square if turn is None else square.transpose(turn)
        square.info.clear()
        square.save(target, "WEBP", quality=SQUARE_QUALITY, method=4)


def _reduced(picture: Image.Image, length: int, wanted: int) -> Image.Image:
    """The picture roughly shrunk, if ``length`` is far more than ``wanted``; the rest is for the caller."""
    factor = length // (2 * wanted)
    if factor > 1 and picture.mode in {"L", "LA", "RGB", "RGBA", "CMYK"}:
        # Shrinking comes first: the conversions that follow would double a large picture's memory.
        return picture.reduce(factor)
    return picture


def _decode(path: Path, image_format: Format, frames: int, thumbnail: Path) -> tuple[int, int]:
    """Decode every frame, write the thumbnail of the first; the size as shown."""
    with _decoding(path, image_format) as picture:
        size: tuple[int, int] = picture.size
        if image_format is Format.JPEG:
            # Reads all of the data, and keeps a picture of about the size that is needed.
            picture.draft("RGB" if picture.mode != "L" else "L", (2 * THUMBNAIL_SIDE, 2 * THUMBNAIL_SIDE))
        picture.load()
        write_thumbnail(picture, thumbnail)
        for frame in range(1, frames):
            picture.seek(frame)
            picture.load()
    return size


def _rewrite_turned(path: Path, image_format: Format, turn: Image.Transpose, target: Path) -> None:
    with _decoding(path, image_format) as picture:
        options: dict[str, Any] = {"icc_profile": picture.info.get("icc_profile")}
        if image_format is Format.JPEG:
            # The file's own tables lose next to nothing; a fixed quality would, or bloat it.
            options |= {"qtables": picture.quantization, "subsampling": get_sampling(picture)}
        elif image_format is Format.WEBP:
            options |= {"quality": 95, "method": 4}
        picture.transpose(turn).save(target, image_format.upper(), **options)


@contextmanager
def _decoding(path: Path, image_format: Format) -> Iterator[Any]:
    """A picture opened by the one decoder its bytes ask for; whatever fails is a MediaRejected."""
    try:
        with Image.open(path, formats=[image_format.upper()]) as picture:
            yield picture
    except Exception as error:  # Decoders meet a hostile file with any exception there is.
        raise broken() from error


def _orientation(exif: bytes) -> int:
    if not exif:
        return _UPRIGHT
    tags = Image.Exif()
    try:
        tags.load(exif)
        return int(tags.get(_ORIENTATION_TAG, _UPRIGHT))
    except Exception:  # noqa: BLE001  # EXIF that can't be read turns nothing; it is left out anyway.
        return _UPRIGHT


def _in_eight_bits(picture: Image.Image) -> Image.Image:
    """The picture as RGB, RGBA, L or CMYK."""
    if picture.mode.startswith("I"):
        return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if picture.has_transparency_data:
        return picture.convert("RGBA")
    if picture.mode in {"RGB", "L", "CMYK"}:
        return picture.copy()
    return picture.convert("RGB")


def _in_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            target = ImageCms.createProfile("sRGB")
            mode = "RGBA" if picture.mode == "RGBA" else "RGB"
            turned = ImageCms.profileToProfile(picture, source, target, outputMode=mode)
        except (ImageCms.PyCMSError, OSError, ValueError):
            turned = None  # A profile that doesn't fit the picture is not worth a refusal.
        if turned is not None:
            turned.info.pop("icc_profile", None)
            return turned
    picture.info.pop("icc_profile", None)
    return picture if picture.mode in {"RGB", "RGBA"} else picture.convert("RGB")
