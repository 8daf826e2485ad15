"""The plugins of this process: what they declare, what went wrong with them, and calling them.

Every implementation of a hook is called by itself: one that raises is logged and listed,
and neither the others nor the caller notice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

import pluggy
import structlog
from pyramid.registry import Registry

from contentsvc.plugin import Capability, Driver, Model, PaymentChannel, SettledTask

GROUP: Final = "contentsvc.plugins"
PROJECT: Final = "contentsvc"
# A hook that fails at every task must not fill the memory.
MAX_PROBLEMS: Final = 100

PLUGINS: Final = "contentsvc.plugins"
LOOK: Final = "contentsvc.plugin_watch"

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Plugin:
    """An entry point: its name, and the distribution it comes from."""

    name: str
    distribution: str
    version: str


@dataclass(frozen=True)
class Problem:
    """Something a plugin has done wrong. ``stage`` is ``import``, ``register`` or the hook's name."""

    plugin: Plugin
    stage: str
    message: str
    at: datetime


@dataclass(frozen=True)
class Distribution:
    """What one installed distribution brings, for the ``contentsvc plugins`` command.

    ``models`` are written ``provider/capability/name``; ``hooks`` are those its plugins
    implement; ``disabled`` lists its entry points that the ini switches off.
    """

    name: str
    version: str
    plugins: tuple[str, ...]
    disabled: tuple[str, ...]
    drivers: tuple[str, ...]
    models: tuple[str, ...]
    channels: tuple[str, ...]
    storage: tuple[str, ...]
    hooks: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass
class Declared:
    """What the plugins have registered, by name, with the plugin it came from."""

    drivers: dict[str, tuple[Plugin, Driver]] = field(default_factory=dict)
    models: dict[tuple[str, Capability, str], tuple[Plugin, Model]] = field(default_factory=dict)
    channels: dict[str, tuple[Plugin, PaymentChannel]] = field(default_factory=dict)
    storage: dict[str, tuple[Plugin, Any]] = field(default_factory=dict)


class Plugins:
    """The loaded plugins of an application; made by :func:`contentsvc.providers.loading.load`."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(PROJECT)
        self.loaded: list[Plugin] = []
        self.disabled: list[Plugin] = []
        self.declared = Declared()
        self.settings: dict[str, Mapping[str, str]] = {}
        self._problems: dict[tuple[Plugin, str, str], Problem] = {}
        self._lock = threading.Lock()

    @property
    def problems(self) -> list[Problem]:
        """Every problem so far, each once, with the time it was last seen."""
        with self._lock:
            return list(self._problems.values())

    @property
    def drivers(self) -> dict[str, Driver]:
        """The registered drivers by name."""
        return {name: driver for name, (_, driver) in self.declared.drivers.items()}

    @property
    def models(self) -> list[Model]:
        """The declared models, in the order of their declaration."""
        return [model for _, model in self.declared.models.values()]

    @property
    def channels(self) -> dict[str, PaymentChannel]:
        """The declared recharge channels by name."""
        return {name: channel for name, (_, channel) in self.declared.channels.items()}

    @property
    def storage(self) -> dict[str, Any]:
        """Factories of the offered storage backends by name."""
        return {name: factory for name, (_, factory) in self.declared.storage.items()}

    def backend_of(self, driver: str, capability: str) -> type[Any] | None:
        """The class that backs a capability of a driver; None where nothing does."""
        entry = self.declared.drivers.get(driver)
        return None if entry is None else entry[1].capabilities.get(Capability(capability))

    def driver_settings(self, driver: str) -> Mapping[str, str]:
        """The ini's settings of a driver, defaults filled in."""
        return self.settings.get(driver, {})

    def record(self, plugin: Plugin, stage: str, message: str, error: BaseException | None = None) -> None:
        """Log a problem and keep it for the list."""
        log.error(
            "plugin_problem",
            plugin=plugin.name,
            distribution=plugin.distribution,
            version=plugin.version,
            stage=stage,
            problem=message,
            exc_info=error,
        )
        problem = Problem(plugin, stage, message, datetime.now(UTC))
        with self._lock:
            key = (plugin, stage, message)
            if key in self._problems or len(self._problems) < MAX_PROBLEMS:
                self._problems[key] = problem

    def implementations(self, hook: str) -> Iterator[tuple[Plugin, pluggy.HookImpl]]:
        """Each loaded plugin's implementation of a hook, in the order of loading."""
        by_name = {impl.plugin_name: impl for impl in getattr(self.manager.hook, hook).get_hookimpls()}
        for plugin in self.loaded:
            if plugin.name in by_name:
                yield plugin, by_name[plugin.name]

    def call(self, plugin: Plugin, hook: str, implementation: pluggy.HookImpl, **arguments: Any) -> bool:
        """Call one implementation with the arguments it names; False where it raised."""
        try:
            implementation.function(*(arguments[name] for name in implementation.argnames))
        except Exception as error:  # noqa: BLE001  # whatever a plugin raises is recorded, with its trace
            self.record(plugin, hook, said(error), error)
            return False
        return True

    def notify(self, hook: str, **arguments: Any) -> None:
        """Call every implementation of an observer's hook."""
        for plugin, implementation in self.implementations(hook):
            self.call(plugin, hook, implementation, **arguments)


def said(error: BaseException) -> str:
    """An exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500] if text else type(error).__name__


def install(registry: Registry, plugins: Plugins) -> None:
    """Put the plugins where the application finds them."""
    registry[PLUGINS] = plugins


def plugins_of(registry: Registry) -> Plugins:
    """The application's plugins, as they are installed now."""
    if (look := registry.get(LOOK)) is not None:
        look()
    return cast(Plugins, registry[PLUGINS])


def notify_settled(registry: Registry, task: SettledTask) -> None:
    """Tell the plugins of a task that was charged or released; call it after the commit.

    Never raises: a plugin's error is recorded.
    """
    plugins_of(registry).notify("contentsvc_task_settled", task=task)


def notify_notification(registry: Registry, notification: Mapping[str, Any]) -> None:
    """Tell the plugins of a notification, in the API's shape; call it after the commit."""
    plugins_of(registry).notify("contentsvc_notification", notification=notification)


def describe(registry: Registry) -> list[Distribution]:
    """What each installed distribution brings and what is wrong with it, by name."""
    plugins = plugins_of(registry)
    problems = plugins.problems
    known = [*plugins.loaded, *plugins.disabled, *(problem.plugin for problem in problems)]
    return [
        _described(plugins, name, version, problems)
        for name, version in sorted({(plugin.distribution, plugin.version) for plugin in known})
    ]


def _described(plugins: Plugins, name: str, version: str, problems: list[Problem]) -> Distribution:
    def ours(plugin: Plugin) -> bool:
        return (plugin.distribution, plugin.version) == (name, version)

    declared = plugins.declared
    specified = [
        hook for hook in vars(plugins.manager.hook) if getattr(plugins.manager.hook, hook).has_spec()
    ]
    return Distribution(
        name=name,
        version=version,
        plugins=tuple(plugin.name for plugin in plugins.loaded if ours(plugin)),
        disabled=tuple(plugin.name for plugin in plugins.disabled if ours(plugin)),
        drivers=tuple(key for key, (plugin, _) in declared.drivers.items() if ours(plugin)),
        models=tuple("/".join(key) for key, (plugin, _) in declared.models.items() if ours(plugin)),
        channels=tuple(key for key, (plugin, _) in declared.channels.items() if ours(plugin)),
        storage=tuple(key for key, (plugin, _) in declared.storage.items() if ours(plugin)),
        hooks=tuple(
            hook
            for hook in sorted(specified)
            if any(ours(plugin) for plugin, _ in plugins.implementations(hook))
        ),
        problems=tuple(problem for problem in problems if ours(problem.plugin)),
    )
