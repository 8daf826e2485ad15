"""The hooks a plugin may implement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pluggy

from contentsvc.plugin.declarations import Driver, Model, PaymentChannel, SettledTask

hookspec = pluggy.HookspecMarker("contentsvc")
hookimpl = pluggy.HookimplMarker("contentsvc")


class HookSpecs:
    """The hooks. None has to be implemented; a hook that raises is logged, listed by
    ``contentsvc plugins`` and takes nothing else down: what it has registered in that
    call is left out, the plugin's other hooks are called. Never give a hook
    implementation's arguments default values; wrappers are not supported."""

    @hookspec
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        """Declare drivers: call ``register`` once for each.

        Called at start, and again where a plugin is installed or removed while the process
        runs. A name that another plugin has registered is an error of the later plugin,
        whose drivers and models are then left out.
        """

    @hookspec
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        """Declare the models that come with the drivers: call ``register`` once for each.

        Called at start, after every plugin's drivers; not called where the plugin's own
        drivers were left out. ``contentsvc migrate``, ``up`` and ``plugins sync`` write them to
        the configuration tables; fields that the administrator has edited are kept, and a
        row that he deleted stays deleted.
        """

    @hookspec
    def contentsvc_register_payment_channels(self, register: Callable[[PaymentChannel], None]) -> None:
        """Declare recharge channels: call ``register`` once for each. Called at start.

        They are open to the owners of all teams, after those that the ini names in
        ``billing.recharge_channels``.
        """

    @hookspec
    def contentsvc_register_storage(self, register: Callable[[str, Callable[..., Any]], None]) -> None:
        """Offer a storage backend: ``register(name, factory)``. Called at start.

        ``storage.backend = name`` in the ini selects it; ``factory(options)`` gets the
        ini's ``storage.options`` as a mapping and returns the backend.
        """

    @hookspec
    def contentsvc_includeme(self, config: Any) -> None:
        """Extend the Pyramid application: views, tweens, subscribers.

        Called with the :class:`pyramid.config.Configurator` once the service's own
        configuration is committed. What a hook has declared before it raises is dropped;
        what it has changed directly (the registry, other modules) stays.
        """

    @hookspec
    def contentsvc_task_settled(self, task: SettledTask) -> None:
        """Observe a task that has just been charged or released.

        Called after the commit, once, in the process that settled; best effort: a
        process killed at that moment doesn't call it.
        """

    @hookspec
    def contentsvc_notification(self, notification: Mapping[str, Any]) -> None:
        """Observe a notification after its commit; best effort.

        It has the shape of the API, and its user's id as ``recipient``.
        """
