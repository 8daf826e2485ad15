"""Types are told from bytes: what is taken, and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contentsvc.storage.sniffing import Format, sniff
from tests.media_samples import HTML, PDF, SVG, image, sound_wav

EBML = b"\x1aE\xdf\xa3"


def ftyp(brand: bytes) -> bytes:
    return b"\x00\x00\x00\x18ftyp" + brand + b"\x00\x00\x02\x00isomiso2"


def id3(payload: bytes, tag_bytes: int = 300) -> bytes:
    size = bytes([0, 0, tag_bytes >> 7, tag_bytes & 0x7F])
    return b"ID3\x04\x00\x00" + size + b"\x00" * tag_bytes + payload


MP3_FRAME = b"\xff\xfb\x90\x64" + b"\x00" * 413
AAC_FRAME = b"\xff\xf1\x50\x80\x01\x7f\xfc" + b"\x00" * 20


@pytest.fixture
def sniffed(tmp_path: Path):
    def sniffed(data: bytes) -> Format | None:
        path = tmp_path / "file.jpg"
        path.write_bytes(data)
        return sniff(path)

    return sniffed


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (image("PNG"), Format.PNG),
        (image("JPEG"), Format.JPEG),
        (image("WEBP"), Format.WEBP),
        (image("GIF"), Format.GIF),
        (ftyp(b"isom"), Format.MP4),
        (ftyp(b"mp42"), Format.MP4),
        (ftyp(b"qt  "), Format.MOV),
        (b"\x00\x00\x00\x08wide\x00\x00\x00\x00mdat", Format.MOV),
        (ftyp(b"M4A "), Format.M4A),
        (EBML + b"\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm" + b"\x00" * 20, Format.WEBM),
        (MP3_FRAME, Format.MP3),
        (id3(MP3_FRAME), Format.MP3),
        (id3(b"\x00" * 50 + MP3_FRAME), Format.MP3),
        (AAC_FRAME, Format.AAC),
        (id3(AAC_FRAME), Format.AAC),
        (sound_wav(0.1), Format.WAV),
        (b"OggS\x00\x02" + b"\x00" * 22, Format.OGG),
        (PDF, Format.PDF),
    ],
)
def test_accepted_types_are_told_apart(sniffed, data: bytes, expected: Format) -> None:
    assert sniffed(data) is expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        SVG,
        HTML,
        image("BMP"),
        image("TIFF"),
        image("ICO"),
        ftyp(b"avif"),
        ftyp(b"heic"),
        ftyp(b"mif1"),
        ftyp(b"3gp4"),
        EBML + b"\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x88matroska" + b"\x00" * 20,
        EBML,
        EBML + b"\x00" * 40,
        b"RIFF\x24\x00\x00\x00AVI LIST",
        b"\xff\xfeh\x00e\x00l\x00l\x00o\x00",
        id3(b"fLaC\x00\x00\x00\x22"),
        id3(image("PNG")),
        id3(image("JPEG")),
        b"ID3\x04\x00\x00",
        b"#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\nhttp://127.0.0.1/x.ts\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
        b"%PDF",
        b" %PDF-1.4\n%%EOF",
        b"PK\x03\x04" + b"\x00" * 30,
        b"MZ" + b"\x00" * 60,
    ],
)
def test_everything_else_is_nothing(sniffed, data: bytes) -> None:
    assert sniffed(data) is None
