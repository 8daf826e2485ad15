"""Assets as plugins get them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from pyramid.registry import Registry

from contentsvc.assets.models import Asset
from contentsvc.plugin import MediaRef
from contentsvc.settings import Settings
from contentsvc.storage.backends import Storage, storage_of
from contentsvc.storage.streams import CHUNK_BYTES, StreamFile

# Providers queue: a link must outlive the wait for a free machine.
LINK_SECONDS = 24 * 3600


@dataclass(frozen=True)
class StoredMediaRef:
    """A stored file's public copy; plain values, usable without a session."""

    media_type: str
    size_bytes: int
    width: int | None
    height: int | None
    handles: Mapping[str, str]
    key: str
    filename: str
    address: str | None
    storage: Storage

    @property
    def public_url(self) -> str | None:
        """A link from the outside; a fresh one each time where links expire."""
        link = self.storage.link(
            self.key, filename=self.filename, media_type=self.media_type, seconds=LINK_SECONDS
        )
        return link or self.address

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes, as a stream. Raises StorageError."""
        stream = self.storage.read(self.key)
        with io.BufferedReader(StreamFile(stream, stream.close), CHUNK_BYTES) as file:
            yield cast(BinaryIO, file)


def media_ref(registry: Registry, asset: Asset, provider_name: str | None = None) -> MediaRef:
    """The asset for a request to a provider, with that provider's own ids of it."""
    settings: Settings = registry["contentsvc.settings"]
    base = (settings.http.public_url or "").rstrip("/")
    return StoredMediaRef(
        media_type=asset.mime_type,
        size_bytes=asset.size_bytes,
        width=asset.width,
        height=asset.height,
        handles=dict(asset.handles.get(provider_name, {})) if provider_name else {},
        key=asset.file.key,
        filename=asset.file.filename,
        address=f"{base}{asset.file.path}" if base else None,
        storage=storage_of(registry),
    )
