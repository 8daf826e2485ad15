from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Nothing yet."""
