"""Why a task cost what it did: its price, the caps it met, its attempts, its way through the books."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The route."""
    from contentsvc.generation.explanations.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
