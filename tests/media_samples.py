"""Small media of every kind, made on the spot: nothing binary lies in the repository."""

from __future__ import annotations

import functools
import io
import math
import struct
import subprocess
import wave
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import imageio_ffmpeg
from PIL import Image, PngImagePlugin

GPS_TAG = 0x8825
ORIENTATION_TAG = 0x0112
SECRET = "taken at the founder's home"
"""A text hidden in the metadata of samples that have some."""

PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
HTML = b"<!doctype html><title>x</title><script>alert(1)</script>"


def gradient(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """A picture whose left is black and whose right is bright, so that a turn shows."""
    return Image.linear_gradient("L").rotate(90).resize((width, height)).convert(mode)


def image(kind: str, width: int = 64, height: int = 48, **options: Any) -> bytes:
    """An image file; ``kind`` is Pillow's name of the format."""
    buffer = io.BytesIO()
    mode = options.pop("mode", "P" if kind == "GIF" else "RGB")
    gradient(width, height, mode).save(buffer, kind, **options)
    return buffer.getvalue()


def noise(kind: str, width: int = 300, height: int = 300) -> bytes:
    """An image that doesn't compress, so that half of its file is half of its data."""
    buffer = io.BytesIO()
    Image.effect_noise((width, height), 90).save(buffer, kind)
    return buffer.getvalue()


def exif(orientation: int = 1) -> bytes:
    """EXIF with a place, a text and an orientation."""
    tags = Image.Exif()
    tags[ORIENTATION_TAG] = orientation
    tags[0x010E] = SECRET
    tags.get_ifd(GPS_TAG)[1] = "N"
    tags.get_ifd(GPS_TAG)[2] = (48.0, 8.0, 14.0)
    return tags.tobytes()


def png_with_text(**options: Any) -> bytes:
    """A PNG with plain, compressed and international text, and EXIF."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", SECRET)
    info.add_text("Author", SECRET * 40, zip=True)
    info.add_itxt("Title", SECRET)
    return image("PNG", pnginfo=info, exif=exif(), **options)


def animation(kind: str, frames: int = 3, width: int = 32, height: int = 24, **options: Any) -> bytes:
    """An animated image whose frames differ."""
    buffer = io.BytesIO()
    pictures = [Image.new("RGB", (width, height), (20 * n % 256, 7 * n % 256, 90)) for n in range(frames)]
    pictures[0].save(buffer, kind, save_all=True, append_images=pictures[1:], duration=40, loop=0, **options)
    return buffer.getvalue()


def png_chunk(name: bytes, body: bytes) -> bytes:
    """A PNG chunk with its length and checksum."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_that_declares(width: int, height: int) -> bytes:
    """A PNG of about a hundred bytes, whose header declares any size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\x00" * 64)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(name, body) for name, body in chunks)


def sound_wav(seconds: float = 1.0) -> bytes:
    """A tone, as a WAV file."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        tone = (int(8000 * math.sin(n / 3)) for n in range(int(8000 * seconds)))
        file.writeframes(b"".join(struct.pack("<h", value) for value in tone))
    return buffer.getvalue()


_TAGS = (
    "-metadata",
    f"title={SECRET}",
    "-metadata",
    f"comment={SECRET}",
    "-metadata",
    "location=+48.1+011.5/",
)
MOVING = ("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1")
TONE = ("-f", "lavfi", "-i", "sine=duration=1")


@functools.cache
def media(extension: str, inputs: tuple[str, ...], *options: str) -> bytes:
    """A file that ffmpeg makes of the inputs for the extension, with telling metadata."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sample.{extension}"
        run_ffmpeg(*inputs, *_TAGS, *options, str(path))
        return path.read_bytes()


def video(extension: str, *options: str) -> bytes:
    """A second of moving picture, 64 by 48 pixels."""
    pixels = ("-pix_fmt", "yuv420p", "-map", "0:v", "-map", "1:a")
    return media(extension, (*MOVING, *TONE), *pixels, *options)


def sound(extension: str, *options: str) -> bytes:
    """A second of a tone."""
    return media(extension, TONE, *options)


def run_ffmpeg(*arguments: str) -> None:
    """The ffmpeg of the wheel; raises when it fails."""
    subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-nostdin", "-y", *arguments], check=True
    )


def opened(data: bytes) -> Image.Image:
    """The image of a file's bytes, decoded."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture
