"""Materials of a product: all pictures and clips that show it, wherever they were made."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The route, below the product's own."""
    from contentsvc.projects.materials.views import materials

    config.add_cornice_service(materials)
