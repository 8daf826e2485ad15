"""What is published of a file: the copy without metadata, and the thumbnail."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import imageio_ffmpeg
import pytest
from PIL import Image, ImageChops, ImageCms, ImageOps

from tests.functional.storages import Intake
from tests.media_samples import (
    ORIENTATION_TAG,
    SECRET,
    TONE,
    animation,
    exif,
    gradient,
    image,
    media,
    opened,
    png_with_text,
    video,
)

HIDDEN = SECRET.encode()


@pytest.fixture
def intake(tmp_path: Path) -> Intake:
    return Intake(tmp_path)


class TestMetadata:
    """What the public copy is freed of, and what stays."""

    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
    def test_place_is_gone_from_the_public_copy(self, intake: Intake, kind: str) -> None:
        stored = intake.take(image(kind, exif=exif()))
        assert dict(opened(intake.read(stored.public)).getexif()) == {}
        assert opened(intake.read(stored.original)).getexif().get_ifd(0x8825)[1] == "N"

    def test_texts_of_a_png_are_gone(self, intake: Intake) -> None:
        stored = intake.take(png_with_text())
        assert opened(intake.read(stored.public)).text == {}

    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
    def test_clean_file_is_stored_once(self, intake: Intake, kind: str) -> None:
        stored = intake.take(image(kind))
        assert stored.original is None
        assert len(intake.files()) == 2  # the file and its thumbnail

    @pytest.mark.parametrize("orientation", range(2, 9))
    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
    def test_turned_picture_is_published_upright(self, intake: Intake, kind: str, orientation: int) -> None:
        data = image(kind, 64, 48, exif=exif(orientation))
        expected = ImageOps.exif_transpose(opened(data))
        stored = intake.take(data)
        public = opened(intake.read(stored.public))
        assert public.size == expected.size == (stored.width, stored.height)
        assert ORIENTATION_TAG not in public.getexif()
        assert close_to(public, expected)

    def test_turned_jpeg_keeps_its_quality(self, intake: Intake) -> None:
        data = image("JPEG", 640, 480, quality=97, subsampling=0, exif=exif(6))
        public = opened(intake.read(intake.take(data).public))
        assert public.quantization == opened(data).quantization

    def test_turned_picture_keeps_its_colour_profile(self, intake: Intake) -> None:
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        stored = intake.take(image("JPEG", exif=exif(6), icc_profile=profile))
        assert opened(intake.read(stored.public)).info["icc_profile"] == profile

    def test_animation_stays_animated(self, intake: Intake) -> None:
        stored = intake.take(animation("WEBP", frames=4, exif=exif()))
        assert opened(intake.read(stored.public)).n_frames == 4

    def test_broken_exif_turns_nothing(self, intake: Intake) -> None:
        stored = intake.take(image("JPEG", exif=b"Exif\x00\x00garbage"))
        assert (stored.width, stored.height) == (64, 48)

    @pytest.mark.parametrize("extension", ["mp4", "mov", "webm"])
    def test_streams_of_a_video_are_copied_bit_for_bit(self, intake: Intake, extension: str) -> None:
        data = video(extension)
        public = intake.read(intake.take(data).public)
        assert stream_digest(intake.folder, public) == stream_digest(intake.folder, data)

    def test_turned_video_is_measured_upright(self, intake: Intake) -> None:
        path = intake.folder / "flat.mp4"
        path.write_bytes(video("mp4"))
        data = media("mp4", ("-display_rotation:v:0", "90", "-i", str(path)), "-c", "copy")
        stored = intake.take(data)
        assert (stored.width, stored.height) == (48, 64)

    def test_cover_of_a_sound_file_is_left_out(self, intake: Intake) -> None:
        cover = intake.folder / "cover.png"
        cover.write_bytes(image("PNG", exif=exif()))
        maps = ("-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v:0", "attached_pic")
        data = media("m4a", (*TONE, "-i", str(cover)), *maps)
        stored = intake.take(data)
        assert (stored.kind, b"\x89PNG" in data) == ("audio", True)
        assert b"\x89PNG" not in intake.read(stored.public)

    def test_own_video_stays_in_its_container(self, intake: Intake) -> None:
        data = video("mp4")
        stored = intake.take(data, trusted=True)
        assert stored.original is None
        assert (intake.read(stored.public), stored.width) == (data, 64)


class TestThumbnails:
    """WebP, at most 512 long."""

    def thumbnail(self, intake: Intake, data: bytes) -> Image.Image:
        stored = intake.take(data)
        assert stored.thumbnail is not None
        assert stored.thumbnail.media_type == "image/webp"
        return opened(intake.read(stored.thumbnail))

    @pytest.mark.parametrize(
        ("size", "expected"),
        [
            ((3000, 1000), (512, 171)),
            ((600, 1200), (256, 512)),
            ((512, 512), (512, 512)),
            ((20, 10), (20, 10)),
            ((5000, 3), (512, 1)),
        ],
    )
    @pytest.mark.parametrize("kind", ["PNG", "JPEG"])
    def test_size(self, intake: Intake, kind: str, size: tuple[int, int], expected: tuple[int, int]) -> None:
        thumbnail = self.thumbnail(intake, image(kind, *size))
        assert (thumbnail.format, thumbnail.size) == ("WEBP", expected)

    @pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
    def test_every_kind_of_png_has_one(self, intake: Intake, mode: str) -> None:
        assert self.thumbnail(intake, image("PNG", 700, 500, mode=mode)).size == (512, 366)

    def test_print_colours_become_screen_colours(self, intake: Intake) -> None:
        thumbnail = self.thumbnail(intake, image("JPEG", 100, 80, mode="CMYK"))
        assert close_to(thumbnail, gradient(100, 80), within=12)

    def test_sixteen_bits_keep_their_brightness(self, intake: Intake) -> None:
        buffer = io.BytesIO()
        Image.new("I;16", (40, 40), 0x8000).save(buffer, "PNG")
        [low, *_rest] = self.thumbnail(intake, buffer.getvalue()).convert("L").getextrema()
        assert 120 <= low <= 136

    def test_transparency_stays(self, intake: Intake) -> None:
        buffer = io.BytesIO()
        Image.new("RGBA", (40, 40), (200, 0, 0, 0)).save(buffer, "PNG")
        assert self.thumbnail(intake, buffer.getvalue()).getpixel((20, 20))[3] == 0

    def test_of_a_video_shows_it(self, intake: Intake) -> None:
        assert self.thumbnail(intake, video("mp4")).size == (64, 48)

    def test_carries_no_metadata(self, intake: Intake) -> None:
        stored = intake.take(image("JPEG", exif=exif(), comment=SECRET))
        assert HIDDEN not in intake.read(stored.thumbnail)


def close_to(left: Image.Image, right: Image.Image, within: int = 8) -> bool:
    """Whether two pictures look alike; encoders lose a little."""
    difference = ImageChops.difference(left.convert("RGB"), right.convert("RGB").resize(left.size))
    return max(high for _, high in difference.getextrema()) <= within


def stream_digest(folder: Path, data: bytes) -> bytes:
    """A digest of the packets of all streams, whatever the container."""
    path = folder / "digested"
    path.write_bytes(data)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path)]
    command += ["-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "streamhash", "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout
