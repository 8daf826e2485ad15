"""Files without a row."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.state import jobs_of
from contentsvc.storage.backends import backends_of, storage_of
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.keys import new_key
from contentsvc.storage.models import MediaFile
from contentsvc.storage.sweeping import sweep_orphans

DAY = 24 * 3600


@pytest.fixture
def root(registry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The application's storage for this test: an empty folder."""
    root = tmp_path / "media"
    monkeypatch.setattr(backends_of(registry), "_selected", LocalStorage(root))
    return root


@pytest.fixture
def put(registry: Any, root: Path, tmp_path: Path) -> Callable[..., str]:
    """``put(days=2, known=True)``: a stored file of that age, with or without its row; its key."""

    def put(days: float = 2, *, known: bool) -> str:
        key = new_key()
        source = tmp_path / "source"
        source.write_bytes(b"x")
        storage_of(registry).put(key, source, "text/plain")
        [path] = root.rglob(key)
        written = time.time() - days * DAY
        os.utime(path, (written, written))
        if known:
            with transaction_scope(registry) as session:
                session.add(MediaFile(key=key, filename="x", media_type="text/plain", size_bytes=1, etag="0"))
        return key

    return put


def test_old_file_without_a_row_is_deleted(registry: Any, put: Callable[..., str]) -> None:
    kept, orphan = put(known=True), put(known=False)
    assert sweep_orphans(registry) == 1
    storage = storage_of(registry)
    assert (storage.exists(kept), storage.exists(orphan)) == (True, False)


def test_young_file_without_a_row_is_left_alone(registry: Any, put: Callable[..., str]) -> None:
    put(known=True)
    young = put(days=0.9, known=False)
    assert sweep_orphans(registry) == 0
    assert storage_of(registry).exists(young)


def test_storage_of_which_most_is_unknown_is_left_alone(registry: Any, put: Callable[..., str]) -> None:
    put(known=True)
    orphans = [put(known=False) for _ in range(2)]
    assert sweep_orphans(registry) == 0
    assert all(storage_of(registry).exists(key) for key in orphans)


def test_sweep_comes_back_daily(registry: Any) -> None:
    work = jobs_of(registry).recurring["sweep_orphans"]
    assert (work.seconds, work.function) == (DAY, sweep_orphans)
