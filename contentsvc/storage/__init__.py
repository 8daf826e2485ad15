"""Media: what is taken in, where it lies, how it is served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.http.health import NotReady
from contentsvc.settings import Settings
from contentsvc.storage.backends import (
    Storage,
    StorageBackends,
    StorageFactory,
    backends_of,
    install,
    storage_of,
)
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.errors import StorageError
from contentsvc.storage.ingest import install_slots
from contentsvc.storage.views import media


def add_storage_backend(config: Configurator, name: str, factory: StorageFactory) -> None:
    """Directive ``config.add_storage_backend``: offer a backend for ``storage.backend = name``.

    Takes effect at once. Raises ValueError when the name is taken.
    """
    backends_of(config.registry).add(name, factory)


def check_storage(registry: Registry) -> str:
    """Readiness: whether files can be stored. Raises NotReady."""
    try:
        storage_of(registry).check()
    except StorageError as error:
        raise NotReady(error.detail) from error
    return "writable"


def includeme(config: Configurator) -> None:
    """The backends and the media links.

    Which backend the ini names is checked by who comes after the plugins have offered theirs.
    """
    settings: Settings = config.registry["contentsvc.settings"]
    backends = StorageBackends(settings)
    install(config.registry, backends)
    install_slots(config.registry)
    config.add_directive("add_storage_backend", add_storage_backend, action_wrap=False)

    def local(_options: Mapping[str, Any]) -> Storage:
        if settings.storage.root is None:
            raise ValueError("storage.root is not set")
        return LocalStorage(settings.storage.root)

    def s3(_options: Mapping[str, Any]) -> Storage:
        # boto3 takes a third of a second and 30 MB to import; only who uses it pays.
        from contentsvc.storage.backends.s3 import S3Storage

        return S3Storage(settings.storage)

    backends.add("local", local)
    backends.add("s3", s3)
    config.add_cornice_service(media)
    config.add_readiness_check("storage", check_storage)
