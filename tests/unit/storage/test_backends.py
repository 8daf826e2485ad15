"""Which backends an application knows, and which one it uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from pyramid.config import Configurator

from contentsvc.settings import SettingsError, load
from contentsvc.storage.backends import backends_of, storage_of
from contentsvc.storage.backends.local import LocalStorage

Configure = Callable[..., Configurator]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """``configure(**settings)``: a configuration that has included the storage, not yet committed."""

    def configure(**settings: str) -> Configurator:
        raw = {
            "var_dir": str(tmp_path),
            "database.url": "postgresql://nowhere",
            "queue.backend": "postgres",
            "storage.root": str(tmp_path / "media"),
            "secrets.keys": Fernet.generate_key().decode(),
        }
        given = {f"storage.{name}": value for name, value in settings.items()}
        config = Configurator()
        config.registry["contentsvc.settings"] = load(raw | given)
        # What http offers; the routes are not under test.
        config.add_directive("add_cornice_service", lambda *_args: None)
        config.add_directive("add_readiness_check", lambda *_args: None)
        config.include("contentsvc.storage")
        return config

    return configure


def test_folder_is_the_default(configure: Configure, tmp_path: Path) -> None:
    config = configure()
    config.commit()
    storage_of(config.registry).check()
    assert (tmp_path / "media").is_dir()


def test_backend_is_made_once(configure: Configure) -> None:
    config = configure()
    config.commit()
    assert storage_of(config.registry) is storage_of(config.registry)


def test_plugin_offers_a_backend_after_the_include(configure: Configure, tmp_path: Path) -> None:
    config = configure(backend="tape", options='{"drive": 7}')
    seen: list[Any] = []

    def factory(options: Any) -> LocalStorage:
        seen.append(options)
        return LocalStorage(tmp_path)

    config.add_storage_backend("tape", factory)
    backends_of(config.registry).check_settings()
    storage_of(config.registry)
    assert seen == [{"drive": 7}]


def test_taken_name_is_refused_at_once(configure: Configure) -> None:
    config = configure()
    with pytest.raises(ValueError, match="'local' is registered already"):
        config.add_storage_backend("local", lambda _options: storage_of(config.registry))


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"backend": "tape"}, "storage.backend: no such backend; there are local, s3"),
        ({"options": "[]"}, "storage.options: not a JSON object"),
        ({"options": "{"}, "storage.options: not a JSON object"),
    ],
)
def test_settings_that_cannot_be_used_are_named(
    configure: Configure, settings: dict[str, str], fault: str
) -> None:
    config = configure(**settings)
    with pytest.raises(SettingsError) as caught:
        backends_of(config.registry).check_settings()
    assert caught.value.faults == [fault]
