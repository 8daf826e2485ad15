"""contentsvc: from a product photo to marketing content, for many teams."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyramid.config import Configurator
    from pyramid.router import Router

INCLUDES = (
    # Settings and engine first: everything below reads them.
    "contentsvc.db",
    "contentsvc.http",
    "contentsvc.storage",
    # The policy must know the sessions before the first view declares a permission.
    "contentsvc.security",
    "contentsvc.jobs",
    # Plugins are loaded here, once; later domains ask the registry for backends.
    "contentsvc.providers",
    "contentsvc.notifications",
    "contentsvc.billing",
    "contentsvc.assets",
    "contentsvc.products",
    "contentsvc.presenters",
    "contentsvc.generation",
    "contentsvc.projects",
    "contentsvc.accounts",
    "contentsvc.backoffice",
    "contentsvc.migrations",
)


def main(global_config: dict[str, str] | None = None, **settings: Any) -> Router:
    """The WSGI application; PasteDeploy's ``main`` factory.

    ``var_dir`` may come from the ini's ``[DEFAULT]``. Raises
    :class:`contentsvc.settings.SettingsError` when a setting can't be used.
    """
    return configure(global_config, **settings).make_wsgi_app()


def configure(global_config: dict[str, str] | None = None, **settings: Any) -> Configurator:
    """The configured application, committed; web server, workers and commands share it."""
    # Imported here: the web server's master process must hold no code that a reload replaces.
    from pyramid.config import Configurator

    from contentsvc.http.request import ApiRequest
    from contentsvc.providers.extensions import include_plugins
    from contentsvc.settings import load

    raw = {key: value for key, value in (global_config or {}).items() if key == "var_dir"} | settings
    config = Configurator(settings=raw, request_factory=ApiRequest)
    config.registry["contentsvc.settings"] = load(raw, os.environ)
    for name in INCLUDES:
        config.include(name)
    config.commit()
    # Last: plugins build on everything above, and what they get wrong can't undo it.
    include_plugins(config)
    return config
