"""Chunks of a PNG file (W3C PNG, third edition; APNG included)."""

from __future__ import annotations

import mmap
import struct

from contentsvc.storage.images import Layout, broken

_SIGNATURE_BYTES = 8
_PICTURE = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT"}
    | {b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs", b"cICP", b"mDCV", b"cLLI"}
)


def read(data: mmap.mmap) -> Layout:
    """Size, frames, EXIF and public copy: only chunks that make the picture. Raises MediaRejected."""
    layout = Layout()
    layout.keep(0, _SIGNATURE_BYTES)
    position = _SIGNATURE_BYTES
    name = b""
    while name != b"IEND":
        if position + 12 > len(data):
            raise broken()
        length, name = struct.unpack_from(">I4s", data, position)
        body, end = position + 8, position + 12 + length
        if end > len(data) or (position == _SIGNATURE_BYTES) != (name == b"IHDR"):
            raise broken()
        if name == b"IHDR":
            if length != 13:
                raise broken()
            layout.width, layout.height = struct.unpack_from(">II", data, body)
        elif name == b"acTL" and length == 8:
            layout.frames = max(1, struct.unpack_from(">I", data, body)[0])
        elif name == b"eXIf":
            layout.exif = data[body : body + length]
        if name in _PICTURE:
            layout.keep(position, end)
        position = end
    return layout
