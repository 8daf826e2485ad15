"""Files in a folder of this machine."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from contentsvc.storage.errors import FileMissing, StorageError
from contentsvc.storage.keys import checked_key, is_key
from contentsvc.storage.streams import ByteStream

PARTIAL_SUFFIX = ".part"


class LocalStorage:
    """Backend ``local``. Files lie in 65,536 folders named by the first digits of their keys.

    A file appears under its key by a rename, after its bytes are on the disk: a crash
    leaves the whole file or none, and at most a ``.part`` that :meth:`tidy` removes.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, key: str, path: Path, media_type: str) -> None:  # noqa: ARG002  # the row knows the type
        target = self._path(key)
        partial = target.with_name(f"{key}{PARTIAL_SUFFIX}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("rb") as source, partial.open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1024 * 1024)
                    copy.flush()
                    os.fsync(copy.fileno())
                partial.rename(target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise
            _sync_folder(target.parent)
        except OSError as error:
            raise StorageError("The file can't be stored. Try again later.") from error

    def read(self, key: str, start: int = 0, end: int | None = None) -> ByteStream:
        try:
            source = self._path(key).open("rb", buffering=0)
        except FileNotFoundError as error:
            raise FileMissing from error
        except OSError as error:
            raise StorageError from error
        size = os.fstat(source.fileno()).st_size
        source.seek(start)
        return ByteStream(source, min(size, size if end is None else end) - start)

    def delete(self, key: str) -> None:
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError from error

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def link(self, key: str, *, filename: str, media_type: str, seconds: int) -> str | None:  # noqa: ARG002
        return None

    def stale_keys(self, older_than: float) -> Iterator[str]:
        return (path.name for path in self._older(older_than) if is_key(path.name))

    def tidy(self, older_than: float) -> None:
        for path in self._older(older_than):
            if path.suffix == PARTIAL_SUFFIX:
                path.unlink(missing_ok=True)

    def check(self) -> None:
        try:
            self._root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError("The storage folder can't be made.") from error
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise StorageError("The storage folder can't be written.")

    def _path(self, key: str) -> Path:
        checked_key(key)
        return self._root / key[:2] / key[2:4] / key

    def _older(self, seconds: float) -> Iterator[Path]:
        limit = time.time() - seconds
        for path in self._root.glob("??/??/*"):
            try:
                old = path.stat().st_mtime < limit
            except FileNotFoundError:
                continue
            if old:
                yield path


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
