"""Files that no row knows of: left by a crash between storing and committing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import structlog
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.storage.backends import storage_of
from contentsvc.storage.models import MediaFile

# Far longer than the slowest request needs from its first file to its commit.
ORPHAN_SECONDS = 24 * 3600.0
BATCH = 500

log = structlog.get_logger(__name__)


def sweep_orphans(registry: Registry, older_than: float = ORPHAN_SECONDS) -> int:
    """Delete files written more than ``older_than`` seconds ago that no row points at; how many.

    Deletes nothing when more files are unknown than known: then this is another
    service's storage, or another database, and not a few crashes.
    """
    storage = storage_of(registry)
    storage.tidy(older_than)
    known = 0
    orphans: list[str] = []
    for keys in _batches(storage.stale_keys(older_than)):
        with transaction_scope(registry) as session:
            rows = set(session.scalars(select(MediaFile.key).where(MediaFile.key.in_(keys))))
        known += len(rows)
        orphans += [key for key in keys if key not in rows]
    if len(orphans) > known:
        log.error("orphan_sweep_refused", known=known, unknown=len(orphans))
        return 0
    for key in orphans:
        storage.delete(key)
    if orphans:
        log.info("orphans_swept", files=len(orphans))
    return len(orphans)


def _batches(keys: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(keys, BATCH)):
        yield batch
