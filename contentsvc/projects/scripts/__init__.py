"""Scripts: their versions, which one counts, and edits by hand."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The routes of script versions and segments, and the model that writes them."""
    from contentsvc.projects.scripts.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
    config.include("contentsvc.projects.scripts.stream")
