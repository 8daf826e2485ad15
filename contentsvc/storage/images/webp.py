"""Chunks of a WebP file (RFC 9649)."""

from __future__ import annotations

import mmap
import struct

from contentsvc.storage.images import Layout, Piece, broken

_PICTURE = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_HAS_EXIF_OR_XMP = 0x0C
_HEADER_BYTES = 12
_EXIF = b"Exif\x00\x00"


def read(data: mmap.mmap) -> Layout:
    """Size, frames, EXIF and public copy: only chunks that make the picture. Raises MediaRejected."""
    layout = Layout()
    body = Layout()
    frames = 0
    (declared,) = struct.unpack_from("<I", data, 4)
    size = declared + 8
    if size > len(data):
        raise broken()
    position = _HEADER_BYTES
    while position + 8 <= size:
        name, length = struct.unpack_from("<4sI", data, position)
        start, end = position + 8, position + 8 + length + length % 2
        if start + length > len(data):
            raise broken()
        if not layout.width:
            layout.width, layout.height = _size(name, data[start : start + min(length, 16)])
        if name == b"ANMF":
            frames += 1
        if name == b"EXIF":
            layout.exif = data[start : start + length].removeprefix(_EXIF)
        if name in _PICTURE:
            _take(body, data, (position, min(end, len(data))), name)
        position = end
    layout.frames = max(1, frames)
    layout.pieces = _framed(data, body.pieces)
    return layout


def _size(name: bytes, head: bytes) -> tuple[int, int]:
    """The canvas, as the first chunk tells it."""
    if name == b"VP8X" and len(head) >= 10:
        return 1 + int.from_bytes(head[4:7], "little"), 1 + int.from_bytes(head[7:10], "little")
    if name == b"VP8L" and len(head) >= 5 and head[0] == 0x2F:
        bits = int.from_bytes(head[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if name == b"VP8 " and len(head) >= 10 and head[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", head, 6)
        return width & 0x3FFF, height & 0x3FFF
    raise broken()


def _take(body: Layout, data: mmap.mmap, span: tuple[int, int], name: bytes) -> None:
    start, end = span
    flags = data[start + 8] if name == b"VP8X" else 0
    if flags & _HAS_EXIF_OR_XMP:
        body.keep(start, start + 8)
        body.pieces.append(bytes([flags & ~_HAS_EXIF_OR_XMP]))
        start += 9
    body.keep(start, end)


def _framed(data: mmap.mmap, pieces: list[Piece]) -> list[Piece]:
    """The chunks behind a RIFF header that tells their length."""
    size = sum(len(piece) if isinstance(piece, bytes) else piece[1] - piece[0] for piece in pieces)
    if pieces == [(_HEADER_BYTES, len(data))] and struct.unpack_from("<I", data, 4)[0] == size + 4:
        return [(0, len(data))]
    return [b"RIFF" + struct.pack("<I", size + 4) + b"WEBP", *pieces]
