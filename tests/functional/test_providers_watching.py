"""Plugins that come and go while the service runs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc import configure
from contentsvc.db.session import engine_of
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.providers import watching
from contentsvc.providers.plugins import Plugins, describe, install, plugins_of
from contentsvc.providers.watching import _installed

DRIVER = """
    from contentsvc.plugin import Capability, Driver, hookimpl

    class Images: ...

    @hookimpl
    def contentsvc_register_providers(register):
        register(Driver("{0}", "{0}", {{Capability.IMAGE_GENERATION: Images}}))
"""


@pytest.fixture(scope="module")
def running(app_settings: dict[str, Any]) -> Iterator[Registry]:
    """A process that looks whenever it is asked."""
    config = configure(None, **app_settings | {"plugins.look_seconds": "0.000001"})
    yield config.registry
    close_doorbells(config.registry)
    engine_of(config.registry).dispose()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin that is missing counts as removed; that of the test before is."""
    monkeypatch.setattr(watching, "REMOVED_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "site-packages"


def drivers(registry: Registry) -> set[str]:
    return set(plugins_of(registry).drivers)


def test_a_plugin_works_as_soon_as_it_is_installed(
    running: Registry, install_plugin: Callable[..., None]
) -> None:
    before = drivers(running)
    install_plugin("come_lately", DRIVER.format("lately"))
    assert drivers(running) - before == {"lately"}
    assert plugins_of(running).backend_of("lately", "image_generation") is not None
    assert before <= drivers(running)


def test_one_that_is_removed_is_gone(
    running: Registry, install_plugin: Callable[..., None], folder: Path
) -> None:
    install_plugin("gone_soon", DRIVER.format("soon"))
    assert "soon" in drivers(running)
    shutil.rmtree(folder / "gone_soon-2.5.dist-info")
    assert "soon" not in drivers(running)
    assert "studio" in drivers(running)


def test_one_that_is_missing_for_a_moment_stays(
    running: Registry, install_plugin: Callable[..., None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade takes the old one away before the new one is there."""
    install_plugin("up_grade", DRIVER.format("grade"))
    before = plugins_of(running)
    monkeypatch.setattr(watching, "REMOVED_SECONDS", 60.0)
    away = folder / "up_grade-2.5.dist-info"
    away.rename(folder / "elsewhere")
    assert plugins_of(running) is before
    (folder / "elsewhere").rename(away)
    assert "grade" in drivers(running)


def test_a_new_version_is_said_to_need_a_restart(
    running: Registry,
    install_plugin: Callable[..., None],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    install_plugin("old_one", DRIVER.format("one"))
    assert "one" in drivers(running)
    newer = folder / "old_one-3.0.dist-info"
    (folder / "old_one-2.5.dist-info").rename(newer)
    (newer / "METADATA").write_text("Metadata-Version: 2.1\nName: old_one\nVersion: 3.0\n", encoding="utf-8")
    assert "one" in drivers(running)
    assert "plugin_needs_restart" in caplog.text


def test_one_that_is_broken_disturbs_nothing(running: Registry, install_plugin: Callable[..., None]) -> None:
    before = drivers(running)
    install_plugin("bro_ken", "import a_module_that_is_nowhere")
    assert drivers(running) == before
    assert [
        problem.stage for item in describe(running) if item.name == "bro_ken" for problem in item.problems
    ]


def test_what_the_ini_disables_stays_out(
    app_settings: dict[str, Any], install_plugin: Callable[..., None]
) -> None:
    settings = {"plugins.look_seconds": "0.000001", "plugins.disabled": "shut_out"}
    config = configure(None, **app_settings | settings)
    install_plugin("shut_out", DRIVER.format("shut"))
    assert "shut" not in drivers(config.registry)
    engine_of(config.registry).dispose()


def test_without_a_change_nothing_is_loaded(running: Registry) -> None:
    drivers(running)
    assert plugins_of(running) is plugins_of(running)


def test_a_process_that_is_told_not_to_look_does_not(
    registry: Registry, install_plugin: Callable[..., None]
) -> None:
    install_plugin("un_seen", DRIVER.format("unseen"))
    assert "unseen" not in drivers(registry)


def test_plugins_that_were_put_there_by_hand_stay(
    running: Registry, install_plugin: Callable[..., None]
) -> None:
    before, mine = plugins_of(running), Plugins()
    install(running, mine)
    try:
        install_plugin("by_hand", DRIVER.format("hand"))
        assert plugins_of(running) is mine
    finally:
        install(running, before)


def test_looking_costs_next_to_nothing() -> None:
    """Each process does it once a second, in the middle of an order."""
    began = time.perf_counter()
    for _ in range(10):
        _installed()
    assert (time.perf_counter() - began) / 10 < 0.05
