"""Blocks of a GIF file (GIF89a)."""

from __future__ import annotations

import mmap
import struct

from contentsvc.storage.images import Layout, broken

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_GRAPHIC_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def read(data: mmap.mmap) -> Layout:
    """Size, frames and public copy: no comments, no text, no application data but the loop count.

    Raises MediaRejected.
    """
    layout = Layout(frames=0)
    try:
        layout.width, layout.height, flags = struct.unpack_from("<HHB", data, 6)
        position = 13 + _palette_bytes(flags)
        layout.keep(0, position)
        while (kind := data[position]) != _TRAILER:
            if kind == _IMAGE:
                end = _take_image(layout, data, position)
            elif kind == _EXTENSION:
                end = _blocks_end(data, position + 2)
                if _is_needed(data, position):
                    layout.keep(position, end)
            else:
                raise broken()
            position = end
    except (struct.error, IndexError) as error:
        raise broken() from error
    if not layout.frames:
        raise broken()
    layout.keep(position, position + 1)
    return layout


def _take_image(layout: Layout, data: mmap.mmap, position: int) -> int:
    left, top, width, height, flags = struct.unpack_from("<HHHHB", data, position + 1)
    # Decoders let frames reach beyond the declared screen.
    layout.width = max(layout.width, left + width)
    layout.height = max(layout.height, top + height)
    layout.frames += 1
    end = _blocks_end(data, position + 10 + _palette_bytes(flags) + 1)
    layout.keep(position, end)
    return end


def _is_needed(data: mmap.mmap, position: int) -> bool:
    label = data[position + 1]
    return label == _GRAPHIC_CONTROL or (
        label == _APPLICATION and data[position + 3 : position + 14] in _LOOPS
    )


def _palette_bytes(flags: int) -> int:
    return 3 * (2 << (flags & 7)) if flags & 0x80 else 0


def _blocks_end(data: mmap.mmap, position: int) -> int:
    while size := data[position]:
        position += size + 1
    return position + 1
