"""Noticing that a plugin was installed or removed while the process runs."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import structlog
from pyramid.registry import Registry

from contentsvc.providers.loading import load
from contentsvc.providers.plugins import LOOK, PLUGINS, Plugins, install, plugins_of
from contentsvc.settings import PluginSettings, Settings

REMOVED_SECONDS: Final = 5.0
"""How long a plugin must be missing before it counts as removed: an upgrade takes it away for a moment,
and work that runs must not fail for that."""

_SUFFIXES: Final = (".dist-info", ".egg-info")

Installed: TypeAlias = frozenset[tuple[str, int]]

log = structlog.get_logger(__name__)


def watch_plugins(registry: Registry) -> None:
    """From now on look for changes whenever somebody asks for the plugins; once, at configuration."""
    settings: Settings = registry["contentsvc.settings"]
    if settings.plugins.look_seconds > 0:
        registry[LOOK] = _Watch(registry, settings.plugins).look


def _installed() -> Installed:
    """The distributions with entry points, and when those were written."""
    found = set()
    for folder in map(Path, sys.path):
        with suppress(OSError):  # not every entry of the path exists
            for entry in folder.iterdir():
                if entry.name.endswith(_SUFFIXES):
                    with suppress(OSError):  # nor has each distribution entry points
                        path = entry / "entry_points.txt"
                        found.add((str(path), path.stat().st_mtime_ns))
    return frozenset(found)


class _Watch:
    def __init__(self, registry: Registry, settings: PluginSettings) -> None:
        self._registry = registry
        self._settings = settings
        self._plugins: Plugins = plugins_of(registry)
        self._known = _installed()
        self._missing_since: float | None = None
        self._next = time.monotonic() + settings.look_seconds
        self._lock = threading.Lock()

    def look(self) -> None:
        """Load anew where something has changed; whoever comes meanwhile uses what is there."""
        if time.monotonic() < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            self._next = time.monotonic() + self._settings.look_seconds
            found = _installed()
            if found != self._known and self._is_settled(found):
                self._reload(found)
        finally:
            self._lock.release()

    def _is_settled(self, found: Installed) -> bool:
        now = time.monotonic()
        if {path for path, _ in self._known} <= {path for path, _ in found}:
            self._missing_since = None
            return True
        if self._missing_since is None:
            self._missing_since = now
        return now - self._missing_since >= REMOVED_SECONDS

    def _reload(self, found: Installed) -> None:
        importlib.invalidate_caches()
        self._known, self._missing_since = found, None
        fresh = load(self._settings, strict=False)
        before = {plugin.name: plugin for plugin in self._plugins.loaded}
        after = {plugin.name: plugin for plugin in fresh.loaded}
        for name in before.keys() & after.keys():
            if before[name].version != after[name].version:
                # The code of the old one is in memory, and stays there.
                log.warning("plugin_needs_restart", plugin=name, version=after[name].version)
        if self._registry[PLUGINS] is self._plugins:
            install(self._registry, fresh)
            self._plugins = fresh
        log.info(
            "plugins_loaded_anew",
            added=sorted(after.keys() - before.keys()),
            removed=sorted(before.keys() - after.keys()),
        )
