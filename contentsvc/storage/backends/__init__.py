"""Where the bytes live: what a backend can do, and which one this application uses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from pyramid.registry import Registry

from contentsvc.settings import Settings, SettingsError
from contentsvc.storage.errors import FileMissing, StorageError
from contentsvc.storage.streams import ByteStream

__all__ = [
    "FileMissing",
    "Storage",
    "StorageBackends",
    "StorageError",
    "StorageFactory",
    "backends_of",
    "storage_of",
]

_BACKENDS = "contentsvc.storage_backends"


class Storage(Protocol):
    """A place for files, addressed by keys that the service makes (32 hex digits).

    All methods may be called from several threads at once, and raise
    :class:`StorageError` when the place can't be reached.
    """

    def put(self, key: str, path: Path, media_type: str) -> None:
        """Store the file at ``path`` under ``key``: whole and durable when this returns, or not at all."""

    def read(self, key: str, start: int = 0, end: int | None = None) -> ByteStream:
        """The bytes from ``start`` up to, not including, ``end`` (None: to the last).

        Opened when this returns. Raises :class:`FileMissing` for an unknown key.
        """

    def delete(self, key: str) -> None:
        """Remove a file; an unknown key is no error."""

    def exists(self, key: str) -> bool:
        """Whether there is a file under this key."""

    def link(self, key: str, *, filename: str, media_type: str, seconds: int) -> str | None:
        """An address clients can fetch the file at for at least ``seconds``; None without such a thing."""

    def stale_keys(self, older_than: float) -> Iterator[str]:
        """Keys of the files written more than ``older_than`` seconds ago."""

    def tidy(self, older_than: float) -> None:
        """Remove what interrupted writes left more than ``older_than`` seconds ago."""

    def check(self) -> None:
        """Return when files can be stored; for the readiness check."""


StorageFactory: TypeAlias = Callable[[Mapping[str, Any]], Storage]
"""Makes a backend from the ini's ``storage.options``."""


class StorageBackends:
    """The backends an application knows by name, and the one its ini names, made at first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.storage
        self._factories: dict[str, StorageFactory] = {}
        self._lock = threading.Lock()
        self._selected: Storage | None = None

    def add(self, name: str, factory: StorageFactory) -> None:
        """Offer a backend. Raises ValueError when the name is taken."""
        if name in self._factories:
            raise ValueError(f"a storage backend named {name!r} is registered already")
        self._factories[name] = factory

    def check_settings(self) -> None:
        """Raises SettingsError unless ``storage.backend`` and ``storage.options`` can be used."""
        if self._settings.backend not in self._factories:
            known = ", ".join(sorted(self._factories))
            raise SettingsError([f"storage.backend: no such backend; there are {known}"])
        self._options()

    def selected(self) -> Storage:
        """The backend the ini names."""
        with self._lock:
            if self._selected is None:
                self._selected = self._factories[self._settings.backend](self._options())
            return self._selected

    def _options(self) -> Mapping[str, Any]:
        try:
            options = json.loads(self._settings.options or "{}")
        except ValueError:
            options = None
        if not isinstance(options, dict):
            raise SettingsError(["storage.options: not a JSON object"])
        return options


def install(registry: Registry, backends: StorageBackends) -> None:
    """Put the backends where :func:`storage_of` finds them."""
    registry[_BACKENDS] = backends


def backends_of(registry: Registry) -> StorageBackends:
    """The application's backends by name."""
    return cast(StorageBackends, registry[_BACKENDS])


def storage_of(registry: Registry) -> Storage:
    """The storage this application keeps its files in."""
    return backends_of(registry).selected()
