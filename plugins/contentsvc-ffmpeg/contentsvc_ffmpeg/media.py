"""The request's files, copied into the order's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from contentsvc.plugin import MediaRef

_CHUNK = 1024 * 1024


class MediaUnreadable(Exception):
    """The storage can't deliver a file."""


def fetch(media: MediaRef, target: Path) -> None:
    """Copy a stored file. MediaUnreadable where it can't be read, OSError where our disk fails."""
    with target.open("wb") as copy:
        for chunk in _chunks(media):
            copy.write(chunk)


def _chunks(media: MediaRef) -> Iterator[bytes]:
    try:
        with media.open() as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk
    except Exception as error:  # every storage fails with errors of its own
        raise MediaUnreadable from error
