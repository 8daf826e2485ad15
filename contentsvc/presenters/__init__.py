"""Presenters: the faces of advertisements."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The presenter routes."""
    from contentsvc.presenters.holding import Portraits
    from contentsvc.presenters.views import SERVICES

    config.add_asset_holder(Portraits())
    for service in SERVICES:
        config.add_cornice_service(service)
