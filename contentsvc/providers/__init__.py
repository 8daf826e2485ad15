"""Plugins, the models they back, and calling them."""

from __future__ import annotations

import logging

from pyramid.config import Configurator

from contentsvc.providers import health, views
from contentsvc.providers.calls import install_budgets
from contentsvc.providers.checks import install_checks
from contentsvc.providers.loading import load
from contentsvc.providers.outbound import install_gateway
from contentsvc.providers.plugins import install
from contentsvc.providers.turns import install_turns
from contentsvc.providers.watching import watch_plugins
from contentsvc.security.secrets import secret_box_of
from contentsvc.settings import Settings


def includeme(config: Configurator) -> None:
    """Load the plugins, offer their storage backends, publish the list of models."""
    settings: Settings = config.registry["contentsvc.settings"]
    # A key that can't be used must stop the start, not the first order.
    secret_box_of(config.registry)
    # At level INFO it writes every address, and some providers want their key there.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # At level DEBUG it writes every header that comes back.
    logging.getLogger("httpcore").setLevel(logging.WARNING)
    plugins = load(settings.plugins)
    install(config.registry, plugins)
    install_gateway(config.registry)
    watch_plugins(config.registry)
    health.install_circuits(config.registry)
    config.add_metrics("providers", health.read)
    install_budgets(config.registry)
    install_turns(config.registry)
    install_checks(config.registry)
    for name, factory in plugins.storage.items():
        config.add_storage_backend(name, factory)
    config.add_cornice_service(views.models)
