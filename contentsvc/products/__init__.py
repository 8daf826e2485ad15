"""Products: what a team advertises."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The product routes; the trash before the ids it would be taken for."""
    from contentsvc.products.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
