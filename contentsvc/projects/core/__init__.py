"""Projects themselves: made, listed, shown whole, changed, deleted."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The project routes."""
    from contentsvc.projects.core.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
