"""Image files taken apart without decoding them: size, frames, metadata.

Each format's module reads a file's structure into a :class:`Layout`: what a picture
needs is kept, byte for byte, and everything else (EXIF, GPS, comments, text, unknown
blocks, whatever follows the end) is left out of the public copy.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from contentsvc.storage.errors import MediaRejected

Piece: TypeAlias = bytes | tuple[int, int]
"""Part of a public copy: new bytes, or a range (start, end) of the file."""


@dataclass(slots=True)
class Layout:
    """A file's structure. ``exif`` is the TIFF block of its EXIF, empty without any."""

    width: int = 0
    height: int = 0
    frames: int = 1
    exif: bytes = b""
    pieces: list[Piece] = field(default_factory=list)

    def keep(self, start: int, end: int) -> None:
        """Add a range of the file to the public copy; neighbours become one."""
        last = self.pieces[-1] if self.pieces else None
        if isinstance(last, tuple) and last[1] == start:
            self.pieces[-1] = (last[0], end)
        else:
            self.pieces.append((start, end))

    def is_whole(self, size: int) -> bool:
        """Whether the public copy would be the file itself."""
        return self.pieces == [(0, size)]


def broken() -> MediaRejected:
    """A structure that can't be followed."""
    return MediaRejected("The image is damaged and can't be read.")


def write_pieces(source: Path, pieces: Sequence[Piece], target: Path) -> None:
    """Write the public copy that the pieces describe."""
    with mapped(source) as data, target.open("wb") as copy:
        for piece in pieces:
            copy.write(piece if isinstance(piece, bytes) else data[piece[0] : piece[1]])


def mapped(path: Path) -> mmap.mmap:
    """A file's bytes, mapped and not read; a context manager. Raises MediaRejected when empty."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            raise broken()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
