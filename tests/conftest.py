"""What all tests share: a PostgreSQL of their own, and the application on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from contentsvc.db.embedded import EmbeddedPostgres

SAMPLE_PHOTO = Path(__file__).parent / "samples" / "espresso-cup.png"

# Lost at a power cut, which no test has; each is about a third of the suite's time.
FAST_AND_LOOSE = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a PostgreSQL server that belongs to this test process alone."""
    folder = tmp_path_factory.mktemp("postgres")
    server = EmbeddedPostgres(folder / "data", extra_configuration=FAST_AND_LOOSE)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def app_settings(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings of an application on the tests' own database and folders."""
    folder = tmp_path_factory.mktemp("var")
    return {
        "var_dir": str(folder),
        "database.url": postgres_url,
        "queue.backend": "postgres",
        "storage.backend": "local",
        "storage.root": str(folder / "media"),
        "uploads.temp_dir": str(folder),
        "secrets.keys": Fernet.generate_key().decode(),
        "billing.recharge_channels": "manual",
        # The cheapest argon2id there is: thousands of test users sign in.
        "auth.argon2_memory_kib": "8",
        "auth.argon2_time_cost": "1",
        "log.format": "console",
        "log.level": "warning",
    }
