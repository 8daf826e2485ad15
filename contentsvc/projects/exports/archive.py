"""The clips of a project as a zip that is made while it is sent."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

import structlog
from pyramid.registry import Registry
from zipstream import ZIP_STORED, ZipStream

from contentsvc.projects.timelines.footage import Footage
from contentsvc.settings import Settings
from contentsvc.storage.backends import storage_of
from contentsvc.storage.errors import StorageError
from contentsvc.storage.streams import CHUNK_BYTES

STEM_LENGTH = 80

# What a file system, a shell or a path could make something else of.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff/\\:*?\"<>|]")

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Entry:
    """A file of the archive: the key of its bytes in storage, and its name in the archive."""

    key: str
    size_bytes: int
    name: str


def entries_of(footage: Sequence[Footage]) -> list[Entry]:
    """The clips' public copies, in the film's order; plain values, usable without a session."""
    return [
        Entry(each.asset.file.key, each.asset.file.size_bytes, _name(each.index, each.asset.file.filename))
        for each in footage
        if each.asset is not None
    ]


def archive(registry: Registry, entries: Sequence[Entry]) -> Iterator[bytes]:
    """The zip's bytes, uncompressed: films don't get smaller.

    A clip is copied to a temporary file before its entry begins: what can't be read to
    its end is left out, and the archive stays whole. Memory doesn't grow with the clips;
    closing the iterator early removes the temporary file.
    """
    stream = ZipStream(compress_type=ZIP_STORED)
    for entry in entries:
        with _scratch(registry) as file:
            if _copied(registry, entry, file):
                stream.add(_chunks(file), entry.name, size=entry.size_bytes)
                yield from stream.file()
    yield from stream.finalize()


def safe_name(text: str, fallback: str) -> str:
    """The text as the stem of a file's name anywhere."""
    return _UNSAFE.sub("_", text).strip(" ._")[:STEM_LENGTH].rstrip(" .") or fallback


def _name(index: int, filename: str) -> str:
    path = PurePosixPath(filename)
    return f"{index + 1:02d}-{safe_name(path.stem, 'clip')}{_UNSAFE.sub('', path.suffix)}"


def _scratch(registry: Registry) -> IO[bytes]:
    settings: Settings = registry["contentsvc.settings"]
    folder = settings.uploads.temp_dir
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryFile(prefix="clips-", dir=folder)


def _copied(registry: Registry, entry: Entry, file: IO[bytes]) -> bool:
    size = 0
    try:
        for chunk in storage_of(registry).read(entry.key):
            file.write(chunk)
            size += len(chunk)
    except StorageError as error:
        log.warning("clip_skipped", entry=entry.name, error=error.detail)
        return False
    file.seek(0)
    return size == entry.size_bytes


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk
