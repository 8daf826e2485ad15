"""The cut: which part of which clip when, what is written on it, how loud everything is."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The route that saves a timeline."""
    from contentsvc.projects.timelines.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
