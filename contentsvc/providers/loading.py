"""From installed entry points to a :class:`Plugins`: import, check, and ask for declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

import structlog

from contentsvc.plugin import Capability, Driver, Model, PaymentChannel
from contentsvc.plugin.hooks import HookSpecs
from contentsvc.providers.declarations import (
    NAME,
    DeclarationError,
    check_channel,
    check_driver,
    check_model,
)
from contentsvc.providers.plugins import GROUP, PROJECT, Plugin, Plugins, said
from contentsvc.settings import PluginSettings, SettingsError

BUILT_IN_STORAGE = frozenset({"local", "s3"})

log = structlog.get_logger(__name__)


def load(
    settings: PluginSettings, found: Iterable[EntryPoint] | None = None, *, strict: bool = True
) -> Plugins:
    """Load every installed plugin that the ini doesn't disable.

    What is wrong with a plugin ends in :attr:`Plugins.problems`. Raises SettingsError,
    with all faults, for ``plugins.<driver>.<name>`` keys that no driver declares; where
    the load is not ``strict`` they are only logged.
    """
    plugins = Plugins()
    plugins.manager.add_hookspecs(HookSpecs)
    entries = entry_points(group=GROUP) if found is None else found
    for entry in sorted(entries, key=lambda item: (_plugin(item).distribution, item.name)):
        _load_one(plugins, entry, settings.disabled)
    _collect(plugins)
    _settle_settings(plugins, settings, strict=strict)
    return plugins


def _plugin(entry: EntryPoint) -> Plugin:
    if entry.dist is None:
        return Plugin(entry.name, "unknown", "0")
    return Plugin(entry.name, entry.dist.name, entry.dist.version)


def _load_one(plugins: Plugins, entry: EntryPoint, disabled: Sequence[str]) -> None:
    plugin = _plugin(entry)
    if plugin.name in disabled:
        plugins.disabled.append(plugin)
        return
    try:
        implementation = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a plugin's import may raise anything
        plugins.record(plugin, "import", said(error), error)
        return
    if implementation is None or getattr(implementation, "__hash__", None) is None:
        plugins.record(plugin, "register", "the entry point names None or an object without a hash")
        return
    try:
        plugins.manager.register(implementation, name=plugin.name)
    except Exception as error:  # noqa: BLE001  # pluggy looks at every attribute, which may run code
        if plugins.manager.get_plugin(plugin.name) is implementation:
            plugins.manager.unregister(name=plugin.name)
        plugins.record(plugin, "register", said(error), error)
        return
    plugins.loaded.append(plugin)
    for message in _hook_faults(plugins, implementation):
        plugins.record(plugin, "register", message)


def _hook_faults(plugins: Plugins, implementation: object) -> list[str]:
    """Hooks that will never be called as their author meant: pluggy itself says nothing of them."""
    faults = []
    callers = plugins.manager.get_hookcallers(implementation) or []
    for caller in callers:
        impls = [impl for impl in caller.get_hookimpls() if impl.plugin is implementation]
        if not caller.has_spec() and not all(impl.optionalhook for impl in impls):
            faults.append(f"unknown hook {caller.name}; is it misspelled?")
        if any(impl.kwargnames for impl in impls):
            faults.append(f"{caller.name}: arguments with default values are never filled")
        if any(impl.wrapper or impl.hookwrapper for impl in impls):
            faults.append(f"{caller.name}: wrappers are not supported")
    marked = {caller.name for caller in callers}
    for name in dir(implementation):
        if name.startswith(f"{PROJECT}_") and name not in marked:
            if not inspect.isroutine(inspect.getattr_static(implementation, name, None)):
                continue
            known = hasattr(HookSpecs, name)
            faults.append(
                f"{name} is not marked with hookimpl" if known else f"unknown hook {name}; is it misspelled?"
            )
    return faults


def _collect(plugins: Plugins) -> None:
    """All drivers first, because models, whoever declares them, name one."""
    declared = plugins.declared
    broken = set()
    for plugin, impl in plugins.implementations("contentsvc_register_providers"):
        drivers = _Staged(check_driver, lambda driver: driver.name, declared.drivers, "driver")
        if plugins.call(plugin, "contentsvc_register_providers", impl, register=drivers.add):
            drivers.accept(plugin)
        else:
            broken.add(plugin)
    for plugin, impl in plugins.implementations("contentsvc_register_models"):
        if plugin in broken:
            continue
        models = _Staged(
            lambda model: check_model(model, plugins.drivers), _model_key, declared.models, "model"
        )
        if plugins.call(plugin, "contentsvc_register_models", impl, register=models.add):
            models.accept(plugin)
    for plugin, impl in plugins.implementations("contentsvc_register_payment_channels"):
        channels = _Staged(check_channel, _channel_key, declared.channels, "payment channel")
        if plugins.call(plugin, "contentsvc_register_payment_channels", impl, register=channels.add):
            channels.accept(plugin)
    for plugin, impl in plugins.implementations("contentsvc_register_storage"):
        backends = _Staged(_check_storage, lambda pair: pair[0], declared.storage, "storage backend")
        register = _storage_register(backends)
        if plugins.call(plugin, "contentsvc_register_storage", impl, register=register):
            backends.accept(plugin, lambda pair: pair[1])


class _Staged:
    """What one hook call registers: taken whole when the call ends well, else not at all."""

    def __init__(
        self, check: Callable[[Any], None], key: Callable[[Any], Any], taken: dict[Any, Any], kind: str
    ) -> None:
        self._check = check
        self._key = key
        self._taken = taken
        self._kind = kind
        self._staged: dict[Any, Any] = {}

    def add(self, item: Any) -> None:
        """The ``register`` argument of a hook. Raises DeclarationError in the plugin's face."""
        self._check(item)
        key = self._key(item)
        if key in self._staged:
            raise DeclarationError(f"{self._kind} {_text(key)} is registered twice")
        if key in self._taken:
            first: Plugin = self._taken[key][0]
            raise DeclarationError(
                f"{self._kind} {_text(key)} is already registered by {first.name} of {first.distribution}"
            )
        self._staged[key] = item

    def accept(self, plugin: Plugin, value: Callable[[Any], Any] = lambda item: item) -> None:
        self._taken.update({key: (plugin, value(item)) for key, item in self._staged.items()})


def _text(key: Any) -> str:
    return "/".join(key) if isinstance(key, tuple) else str(key)


def _model_key(model: Model) -> tuple[str, Capability, str]:
    return model.provider, model.capability, model.name


def _channel_key(channel: PaymentChannel) -> str:
    return channel.name


def _check_storage(pair: tuple[Any, Any]) -> None:
    name, factory = pair
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in BUILT_IN_STORAGE:
        raise DeclarationError(f"storage backend {name!r} is badly named, or the service's own")
    if not callable(factory):
        raise DeclarationError(f"storage backend {name}: its factory can't be called")


def _storage_register(backends: _Staged) -> Callable[[str, Any], None]:
    def register(name: str, factory: Any) -> None:
        backends.add((name, factory))

    return register


def _settle_settings(plugins: Plugins, settings: PluginSettings, *, strict: bool) -> None:
    faults = []
    for key in settings.options:
        driver_name, _, name = key.partition(".")
        driver = plugins.drivers.get(driver_name)
        if driver is not None:
            if name not in {setting.name for setting in driver.settings}:
                faults.append(f"plugins.{key}: the driver {driver_name} has no such setting")
        elif plugins.disabled or plugins.problems:
            # It may belong to a plugin that is off or broken; that must not stop the start.
            log.warning("plugin_setting_unused", key=f"plugins.{key}")
        else:
            faults.append(f"plugins.{key}: no installed plugin has a driver {driver_name}")
    if faults and strict:
        raise SettingsError(faults)
    for fault in faults:
        log.warning("plugin_setting_unused", fault=fault)
    for driver in plugins.drivers.values():
        plugins.settings[driver.name] = _filled(driver, settings.for_driver(driver.name))


def _filled(driver: Driver, given: dict[str, str]) -> MappingProxyType[str, str]:
    return MappingProxyType({setting.name: setting.default for setting in driver.settings} | given)
