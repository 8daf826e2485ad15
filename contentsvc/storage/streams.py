"""Bytes on their way out of storage, in pieces of bounded size."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Protocol

from contentsvc.storage.errors import StorageError

CHUNK_BYTES = 64 * 1024


class Source(Protocol):
    """Anything that reads like a binary file."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, none at the end."""

    def close(self) -> None:
        """Release what is behind it."""


class ByteStream(Iterator[bytes]):
    """``length`` bytes of an opened source; close it when it is not read to the end.

    Iterating raises :class:`StorageError` when the source fails or ends too early, so
    that a cut-off file never passes for a whole one.
    """

    def __init__(
        self, source: Source, length: int, failures: tuple[type[Exception], ...] = (OSError,)
    ) -> None:
        self._source = source
        self._left = length
        self._failures = failures

    def __next__(self) -> bytes:
        if self._left <= 0:
            self.close()
            raise StopIteration
        try:
            chunk = self._source.read(min(CHUNK_BYTES, self._left))
        except self._failures as error:
            self.close()
            raise StorageError from error
        if not chunk:
            self.close()
            raise StorageError("The stored file ended too early.")
        self._left -= len(chunk)
        return chunk

    def close(self) -> None:
        """Release the source; twice does no harm."""
        self._left = 0
        self._source.close()


class StreamFile(io.RawIOBase):
    """A stream of chunks as a readable binary file, for callers that want ``read(n)``."""

    def __init__(self, chunks: Iterator[bytes], close: Callable[[], None]) -> None:
        super().__init__()
        self._chunks = chunks
        self._close = close
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = next(self._chunks, b"")
        piece = self._rest[: len(buffer)]
        buffer[: len(piece)] = piece
        self._rest = self._rest[len(piece) :]
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()
