"""Notifications: what has happened, told to whom it concerns."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The inbox's routes."""
    from contentsvc.notifications.views import SERVICES

    for service in SERVICES:
        config.add_cornice_service(service)
