"""What is known of stored files: plain values that travel between ingest, rows and replies."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class MediaKind(StrEnum):
    """The four kinds of files the service takes."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that lies in storage; ``etag`` is the SHA-256 of its bytes, hex."""

    key: str
    filename: str
    media_type: str
    size_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class StoredMedia:
    """A file the service has taken in.

    ``public`` is the copy without metadata; ``original`` the bytes as they came, None
    when these are the same bytes; ``thumbnail`` a WebP for images and videos. ``width``
    and ``height`` are pixels as shown (orientation applied), None for sound and
    documents; ``duration_seconds`` is None for what doesn't last.
    """

    public: FileFacts
    original: FileFacts | None
    thumbnail: FileFacts | None
    kind: MediaKind
    media_type: str
    width: int | None
    height: int | None
    duration_seconds: float | None

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """Every file that was stored."""
        return tuple(facts for facts in (self.public, self.original, self.thumbnail) if facts)


def digest_of(path: Path) -> str:
    """SHA-256 of a file, hex, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
