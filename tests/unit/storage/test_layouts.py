"""Image files taken apart without decoding: sizes, frames, and what stays out of the public copy."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from PIL import Image, ImageCms

from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.images import Layout, write_pieces
from contentsvc.storage.images.process import read_layout
from contentsvc.storage.sniffing import Format
from tests.media_samples import (
    SECRET,
    animation,
    exif,
    image,
    opened,
    png_chunk,
    png_that_declares,
    png_with_text,
)

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
HIDDEN = SECRET.encode()
IMAGES = (Format.PNG, Format.JPEG, Format.WEBP, Format.GIF)


class Taken:
    """A file's layout and its public copy."""

    def __init__(self, folder: Path, data: bytes, image_format: Format) -> None:
        self.source = folder / "source"
        self.source.write_bytes(data)
        self.layout: Layout = read_layout(self.source, image_format)
        copy = folder / "copy"
        write_pieces(self.source, self.layout.pieces, copy)
        self.copy = copy.read_bytes()
        self.is_whole = self.layout.is_whole(len(data))


@pytest.mark.parametrize("image_format", IMAGES)
def test_size_is_read_from_the_header(tmp_path: Path, image_format: Format) -> None:
    taken = Taken(tmp_path, image(image_format.upper(), 321, 123), image_format)
    assert (taken.layout.width, taken.layout.height, taken.layout.frames) == (321, 123, 1)


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 50}, {"icc_profile": PROFILE}])
def test_size_of_each_flavour_of_webp(tmp_path: Path, options: dict[str, object]) -> None:
    taken = Taken(tmp_path, image("WEBP", 321, 123, **options), Format.WEBP)
    assert (taken.layout.width, taken.layout.height) == (321, 123)


@pytest.mark.parametrize(
    ("image_format", "options"),
    [
        (Format.PNG, {}),
        (Format.PNG, {"mode": "RGBA"}),
        (Format.PNG, {"icc_profile": PROFILE, "dpi": (300, 300)}),
        (Format.JPEG, {}),
        (Format.JPEG, {"progressive": True, "icc_profile": PROFILE}),
        (Format.JPEG, {"mode": "CMYK"}),
        (Format.JPEG, {"restart_marker_blocks": 1}),
        (Format.WEBP, {}),
        (Format.WEBP, {"lossless": True, "mode": "RGBA"}),
        (Format.WEBP, {"icc_profile": PROFILE}),
        (Format.GIF, {}),
    ],
)
def test_file_without_metadata_is_its_own_public_copy(
    tmp_path: Path, image_format: Format, options: dict[str, object]
) -> None:
    assert Taken(tmp_path, image(image_format.upper(), **options), image_format).is_whole


@pytest.mark.parametrize("image_format", [Format.PNG, Format.WEBP, Format.GIF])
def test_animation_without_metadata_is_its_own_public_copy(tmp_path: Path, image_format: Format) -> None:
    assert Taken(tmp_path, animation(image_format.upper(), frames=4), image_format).is_whole


@pytest.mark.parametrize("image_format", [Format.PNG, Format.WEBP, Format.GIF])
def test_frames_are_counted(tmp_path: Path, image_format: Format) -> None:
    taken = Taken(tmp_path, animation(image_format.upper(), frames=7), image_format)
    assert taken.layout.frames == 7


@pytest.mark.parametrize(
    ("image_format", "data"),
    [
        (Format.PNG, png_with_text()),
        (Format.JPEG, image("JPEG", exif=exif(), comment=SECRET)),
        (Format.JPEG, image("JPEG", exif=exif(), progressive=True)),
        (Format.JPEG, image("JPEG", xmp=HIDDEN)),
        (Format.WEBP, image("WEBP", exif=exif(), xmp=HIDDEN)),
        (Format.WEBP, image("WEBP", exif=exif(), lossless=True)),
        (Format.WEBP, animation("WEBP", exif=exif())),
        (Format.GIF, image("GIF", comment=HIDDEN)),
        (Format.GIF, animation("GIF", comment=HIDDEN)),
        *[(kind, image(kind.upper()) + HIDDEN) for kind in IMAGES],
    ],
)
def test_public_copy_has_the_same_pixels_and_no_metadata(
    tmp_path: Path, image_format: Format, data: bytes
) -> None:
    assert HIDDEN in data
    taken = Taken(tmp_path, data, image_format)
    assert not taken.is_whole
    assert HIDDEN not in taken.copy
    assert opened(taken.copy).tobytes() == opened(data).tobytes()
    assert dict(opened(taken.copy).getexif()) == {}


@pytest.mark.parametrize("image_format", [Format.PNG, Format.JPEG, Format.WEBP])
def test_colour_profile_stays(tmp_path: Path, image_format: Format) -> None:
    taken = Taken(tmp_path, image(image_format.upper(), icc_profile=PROFILE, exif=exif()), image_format)
    assert opened(taken.copy).info["icc_profile"] == PROFILE


@pytest.mark.parametrize("image_format", [Format.WEBP, Format.GIF])
def test_animation_stays_animated(tmp_path: Path, image_format: Format) -> None:
    data = animation(image_format.upper(), frames=5) + HIDDEN
    copy = opened(Taken(tmp_path, data, image_format).copy)
    assert (copy.n_frames, copy.info["loop"], copy.info["duration"]) == (5, 0, 40)


@pytest.mark.parametrize("image_format", [Format.PNG, Format.JPEG, Format.WEBP])
def test_exif_is_found(tmp_path: Path, image_format: Format) -> None:
    taken = Taken(tmp_path, image(image_format.upper(), exif=exif(6)), image_format)
    tags = Image.Exif()
    tags.load(taken.layout.exif)
    assert tags[0x0112] == 6


def test_preview_inside_a_jfif_header_is_left_out(tmp_path: Path) -> None:
    data = image("JPEG")
    assert data[2:4] == b"\xff\xe0"
    preview = b"\x01\x01" + b"\xaa\xbb\xcc"
    header = b"\xff\xe0" + struct.pack(">H", 2 + 12 + len(preview)) + data[6:18] + preview
    taken = Taken(tmp_path, data[:2] + header + data[20:], Format.JPEG)
    assert taken.copy == data


def test_jpeg_without_an_end_stays_without(tmp_path: Path) -> None:
    assert Taken(tmp_path, image("JPEG")[:-2], Format.JPEG).is_whole


def test_gif_size_includes_frames_beyond_the_screen(tmp_path: Path) -> None:
    data = bytearray(image("GIF", 40, 30))
    data[6:10] = struct.pack("<HH", 1, 1)
    layout = Taken(tmp_path, bytes(data), Format.GIF).layout
    assert (layout.width, layout.height) == (40, 30)


def test_header_of_a_giant_is_read_from_a_hundred_bytes(tmp_path: Path) -> None:
    data = png_that_declares(60000, 60000)
    assert len(data) < 110
    layout = Taken(tmp_path, data, Format.PNG).layout
    assert (layout.width, layout.height) == (60000, 60000)


@pytest.mark.parametrize("image_format", IMAGES)
@pytest.mark.parametrize("length", [14, 20, 30, 40])
def test_file_cut_within_its_header_is_refused(tmp_path: Path, image_format: Format, length: int) -> None:
    with pytest.raises(MediaRejected):
        Taken(tmp_path, image(image_format.upper())[:length], image_format)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IDAT", b"") + png_chunk(b"IEND", b""),
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", b"\x00" * 5) + png_chunk(b"IEND", b""),
        b"\x89PNG\r\n\x1a\n" + b"\xff\xff\xff\xffIHDR" + b"\x00" * 40,
    ],
)
def test_png_with_impossible_chunks_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(MediaRejected):
        Taken(tmp_path, data, Format.PNG)


def test_refusal_is_a_field_error_on_file() -> None:
    error = MediaRejected("No.")
    assert (error.status, error.body(), str(error)) == (400, {"file": ["No."]}, "No.")


def test_copies_open_as_the_same_format(tmp_path: Path) -> None:
    copy = Taken(tmp_path, image("JPEG", exif=exif()), Format.JPEG).copy
    assert Image.open(io.BytesIO(copy)).format == "JPEG"
