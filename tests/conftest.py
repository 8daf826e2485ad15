"""What all tests share: a PostgreSQL of their own, and the application on it."""

from __future__ import annotations

import importlib
import logging
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import settings

from contentsvc.db.embedded import EmbeddedPostgres
from contentsvc.http.logs import configure_logging
from contentsvc.settings import LogSettings
from tests.canary import Lookout
from tests.contract.recording import Recording

SAMPLE_PHOTO = Path(__file__).parent / "samples" / "espresso-cup.png"

# The provider plugin of the tests is found like any installed one: by its distribution's entry point.
PLUGIN_FOLDER = Path(__file__).parent / "plugins"
sys.path.insert(0, str(PLUGIN_FOLDER))

# Lost at a power cut, which no test has; each is about a third of the suite's time.
FAST_AND_LOOSE = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"

# What `make nightly` asks for: ten times the examples, on machines that may be busy.
settings.register_profile("nightly", max_examples=1000, deadline=None)

# Ids and keys that are made up at random: pytest-xdist wants the same test names in every process.
_RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}")


def pytest_configure(config: pytest.Config) -> None:
    """Note what the functional tests' clients are answered; fail what writes a provider's key."""
    config.pluginmanager.register(Lookout())
    config.pluginmanager.register(Recording(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes is started first; what starts services is spread over the others.

    So no process waits for another in the end, and few services start at the same moment.
    Modules stay together: their tests share what they start. Last of all, when it is known what
    is left out.
    """
    early: list[pytest.Item] = []
    quick: list[pytest.Item] = []
    slow: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("early"):
            early.append(item)
        elif "system" in item.path.parts:
            slow.setdefault(item.path, []).append(item)
        else:
            quick.append(item)
    items[:] = []
    share = len(quick) // (len(slow) + 1)
    for number, module in enumerate(slow.values()):
        items += quick[number * share : (number + 1) * share] + module
    items += quick[len(slow) * share :]
    _begin_with(early, items)


def _begin_with(early: list[pytest.Item], items: list[pytest.Item]) -> None:
    """Put tests where the processes begin, which get one part of the list each, in turn."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    part = (len(items) + len(early)) // processes
    begun = [early[number::processes] for number in range(processes)]
    for number, tests in enumerate(begun):
        items[number * part : number * part] = tests


def pytest_make_parametrize_id(val: object) -> str | None:
    """What holds a random id has a name that doesn't change."""
    name, found = _RANDOM.subn("random-id", val) if isinstance(val, str) else (None, 0)
    return name if found else None


@pytest.fixture(scope="session", autouse=True)
def plain_logs() -> None:
    """structlog's own default draws tracebacks with every local variable, for seconds each."""
    configure_logging(LogSettings(format="console", level="warning"))
    # All that the service could ever log is searched for keys; see `canary.py`.
    logging.getLogger("contentsvc").setLevel(logging.DEBUG)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """URL of a PostgreSQL server that belongs to this test process alone.

    Not below pytest's own folder: pytest closes that to other users at every start, and
    PostgreSQL runs as another user where the tests run as root.
    """
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-postgres-"))
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
        # Providers of the tests listen on this machine.
        "providers.allowed_networks": "127.0.0.1 ::1",
        # Tests install plugins while the application of other tests is there.
        "plugins.look_seconds": "0",
        # The cheapest argon2id there is: thousands of test users sign in.
        "auth.argon2_memory_kib": "8",
        "auth.argon2_time_cost": "1",
        "log.format": "console",
        "log.level": "warning",
    }


@pytest.fixture
def install_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """``install_plugin(name, source, entry_point=None)``: a distribution ``name`` on the import path.

    Its one module ``name`` holds ``source``; ``name = name`` is its entry point unless told.
    """
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    installed: list[str] = []

    def install(name: str, source: str, entry_point: str | None = None) -> None:
        (folder / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        info = folder / f"{name}-2.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n", encoding="utf-8"
        )
        entry = entry_point or f"{name} = {name}"
        (info / "entry_points.txt").write_text(f"[contentsvc.plugins]\n{entry}\n", encoding="utf-8")
        importlib.invalidate_caches()
        installed.append(name)

    yield install
    for name in installed:
        sys.modules.pop(name, None)
