"""The API's reference: an OpenAPI document built from the services, and a page to read it."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Both services."""
    config.include("contentsvc.http.reference.views")
