"""Segments of a JPEG file (ITU-T T.81, annex B)."""

from __future__ import annotations

import mmap
import struct

from contentsvc.storage.images import Layout, broken

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_APP0, _APP1, _APP2, _APP14, _APP15, _COM = 0xE0, 0xE1, 0xE2, 0xEE, 0xEF, 0xFE
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_EXIF = b"Exif\x00\x00"
_PROFILE = b"ICC_PROFILE\x00"
_JFIF = b"JFIF\x00"
_JFIF_BYTES = 14


def read(data: mmap.mmap) -> Layout:
    """Size, EXIF and public copy: no application data but JFIF, Adobe's marker and colour profile.

    Raises MediaRejected.
    """
    layout = Layout()
    layout.keep(0, 2)
    position = 2
    while True:
        start, code, position = _marker(data, position)
        if code == _EOI:
            break
        if code in _ALONE:
            layout.keep(start, position)
            continue
        end = _segment_end(data, position)
        _take(layout, data, (start, position + 2, end), code)
        position = end
        if code == _SOS:
            position = _scan_end(data, end)
            layout.keep(end, position)
    if not layout.width:
        raise broken()
    # An end that is missing isn't made up for: only decoding shows whether it is all that is.
    if start < len(data):
        layout.keep(start, position)
    return layout


def _marker(data: mmap.mmap, position: int) -> tuple[int, int, int]:
    """Where a marker starts, its code, and where it ends; the file's end counts as EOI."""
    if position >= len(data):
        return len(data), _EOI, len(data)
    if data[position] != 0xFF:
        raise broken()
    while position + 1 < len(data) and data[position + 1] == 0xFF:
        position += 1
    if position + 1 >= len(data):
        return len(data), _EOI, len(data)
    return position, data[position + 1], position + 2


def _segment_end(data: mmap.mmap, position: int) -> int:
    if position + 2 > len(data):
        raise broken()
    (length,) = struct.unpack_from(">H", data, position)
    end: int = position + length
    if length < 2 or end > len(data):
        raise broken()
    return end


def _take(layout: Layout, data: mmap.mmap, span: tuple[int, int, int], code: int) -> None:
    start, body, end = span
    if code in _FRAMES:
        if end - body < 6:
            raise broken()
        layout.height, layout.width = struct.unpack_from(">HH", data, body + 1)
    if code == _COM or _APP0 <= code <= _APP15:
        _take_application(layout, data, span, code)
    else:
        layout.keep(start, end)


def _take_application(layout: Layout, data: mmap.mmap, span: tuple[int, int, int], code: int) -> None:
    start, body, end = span
    head = data[body : min(body + 16, end)]
    if code == _APP1 and head.startswith(_EXIF) and not layout.exif:
        layout.exif = data[body + len(_EXIF) : end]
    elif code == _APP0 and head.startswith(_JFIF) and end - body == _JFIF_BYTES:
        layout.keep(start, end)
    elif code == _APP0 and head.startswith(_JFIF):
        # A preview of the picture follows, perhaps of what was later cut away.
        layout.pieces.append(b"\xff\xe0\x00\x10" + head[: _JFIF_BYTES - 2] + b"\x00\x00")
    elif code == _APP14 or (code == _APP2 and head.startswith(_PROFILE)):
        layout.keep(start, end)


def _scan_end(data: mmap.mmap, position: int) -> int:
    """Where the entropy-coded data ends: at a marker that is neither stuffing nor a restart."""
    while True:
        position = data.find(b"\xff", position)
        if position < 0 or position + 1 >= len(data):
            return len(data)
        code = data[position + 1]
        if code == 0xFF:
            position += 1
        elif code == 0 or code in _ALONE:
            position += 2
        else:
            return position
