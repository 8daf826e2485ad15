"""What a file is, told from its first bytes alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from contentsvc.storage.files import MediaKind

HEAD_BYTES = 4096


class Format(StrEnum):
    """The formats the service takes."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    GIF = "gif"
    MP4 = "mp4"
    MOV = "mov"
    WEBM = "webm"
    MP3 = "mp3"
    WAV = "wav"
    M4A = "m4a"
    AAC = "aac"
    OGG = "ogg"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """How a format is named: to people, in HTTP, in file names."""

    kind: MediaKind
    media_type: str
    extension: str


FACTS = {
    Format.PNG: FormatFacts(MediaKind.IMAGE, "image/png", ".png"),
    Format.JPEG: FormatFacts(MediaKind.IMAGE, "image/jpeg", ".jpg"),
    Format.WEBP: FormatFacts(MediaKind.IMAGE, "image/webp", ".webp"),
    Format.GIF: FormatFacts(MediaKind.IMAGE, "image/gif", ".gif"),
    Format.MP4: FormatFacts(MediaKind.VIDEO, "video/mp4", ".mp4"),
    Format.MOV: FormatFacts(MediaKind.VIDEO, "video/quicktime", ".mov"),
    Format.WEBM: FormatFacts(MediaKind.VIDEO, "video/webm", ".webm"),
    Format.MP3: FormatFacts(MediaKind.AUDIO, "audio/mpeg", ".mp3"),
    Format.WAV: FormatFacts(MediaKind.AUDIO, "audio/wav", ".wav"),
    Format.M4A: FormatFacts(MediaKind.AUDIO, "audio/mp4", ".m4a"),
    Format.AAC: FormatFacts(MediaKind.AUDIO, "audio/aac", ".aac"),
    Format.OGG: FormatFacts(MediaKind.AUDIO, "audio/ogg", ".ogg"),
    Format.PDF: FormatFacts(MediaKind.DOCUMENT, "application/pdf", ".pdf"),
}

# Major brands of ISO base media files (the registry at mp4ra.org); AVIF, HEIC and 3GP stay out.
_MP4_BRANDS = frozenset(
    {"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71"}
    | {"avc1", "dash", "msdh", "MSNV", "M4V ", "M4VH", "M4VP", "XAVC", "F4V "}
)
_M4A_BRANDS = frozenset({"M4A ", "M4B "})
_QUICKTIME_BRAND = "qt  "
# QuickTime files from before 2001 have no ftyp box and start with one of these.
_OLD_QUICKTIME = frozenset({b"moov", b"mdat", b"wide"})
_EBML = b"\x1aE\xdf\xa3"
_EBML_DOCTYPE = 0x4282
_PDF = re.compile(rb"%PDF-\d\.\d")


def sniff(path: Path) -> Format | None:
    """The format of a file; None for everything the service doesn't take."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(b"ID3"):
            head = _after_id3(file, head)
    return _image(head) or _container(head) or _elementary(head)


def _image(head: bytes) -> Format | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Format.PNG
    if head.startswith(b"\xff\xd8\xff"):
        return Format.JPEG
    if head.startswith((b"GIF87a", b"GIF89a")):
        return Format.GIF
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Format.WEBP
    return None


def _container(head: bytes) -> Format | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return Format.WAV
    if head.startswith(b"OggS\x00"):
        return Format.OGG
    if head.startswith(_EBML):
        return Format.WEBM if _doctype(head) == b"webm" else None
    return Format.PDF if _PDF.match(head) else _iso_media(head)


def _iso_media(head: bytes) -> Format | None:
    if head[4:8] != b"ftyp":
        return Format.MOV if head[4:8] in _OLD_QUICKTIME else None
    brand = head[8:12].decode("latin-1")
    if brand == _QUICKTIME_BRAND:
        return Format.MOV
    if brand in _M4A_BRANDS:
        return Format.M4A
    return Format.MP4 if brand in _MP4_BRANDS else None


def _elementary(head: bytes) -> Format | None:
    """MPEG audio frames: 11 or 12 set bits, then fields with reserved values that rule chance out."""
    if len(head) < 4 or head[0] != 0xFF:
        return None
    second, third = head[1], head[2]
    if second & 0xF6 == 0xF0:
        return Format.AAC if (third >> 2) & 0x0F < 13 else None
    is_layer_three = second & 0xE6 == 0xE2 and (second >> 3) & 3 != 1
    is_sampled = third >> 4 not in (0, 15) and (third >> 2) & 3 != 3
    return Format.MP3 if is_layer_three and is_sampled else None


def _after_id3(file: BinaryIO, head: bytes) -> bytes:
    """What follows an ID3v2 tag, whose length has seven bits a byte; only frames may."""
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 0x7F
    footer = 10 if len(head) > 5 and head[5] & 0x10 else 0
    file.seek(10 + size + footer)
    frames = file.read(HEAD_BYTES).lstrip(b"\x00")
    return frames if frames[:1] == b"\xff" and frames[1:2] != b"\xd8" else b""


def _doctype(head: bytes) -> bytes | None:
    """The DocType element of an EBML header (RFC 8794)."""
    position = 4
    size, position = _vint(head, position, keep_marker=False)
    end = min(position + size, len(head))
    while position < end:
        element, position = _vint(head, position, keep_marker=True)
        length, position = _vint(head, position, keep_marker=False)
        if element == _EBML_DOCTYPE:
            return head[position : position + length].rstrip(b"\x00")
        position += length
    return None


def _vint(data: bytes, position: int, *, keep_marker: bool) -> tuple[int, int]:
    """A variable-length number and where it ends; the place of its first set bit tells its length."""
    first = data[position] if position < len(data) else 0
    length = 9 - first.bit_length()
    value = first if keep_marker else first & (0xFF >> length)
    for byte in data[position + 1 : position + length]:
        value = value << 8 | byte
    return value, position + length
