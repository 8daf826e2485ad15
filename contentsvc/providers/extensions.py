"""Plugins that extend the application itself."""

from __future__ import annotations

from pyramid.config import Configurator
from pyramid.config.actions import ActionState

from contentsvc.providers.plugins import plugins_of, said

_HOOK = "contentsvc_includeme"


def include_plugins(config: Configurator) -> None:
    """Let each plugin extend the application, which must be committed; call it last.

    What a plugin has configured is committed at once. When its hook raises, or its views
    can't be registered, what is pending of it is dropped and the problem recorded.
    """
    plugins = plugins_of(config.registry)
    for plugin, implementation in plugins.implementations(_HOOK):
        if plugins.call(plugin, _HOOK, implementation, config=config):
            try:
                config.commit()
            except Exception as error:  # noqa: BLE001  # pyramid raises what the plugin's callables raise
                plugins.record(plugin, _HOOK, said(error), error)
        config.action_state = ActionState()
