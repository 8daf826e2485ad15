"""Products: what a team advertises."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The product routes; the trash before the ids it would be taken for."""
    from contentsvc.products.holding import ProductImages
    from contentsvc.products.trash_views import whole_trash
    from contentsvc.products.views import SERVICES

    config.add_asset_holder(ProductImages())
    config.add_cornice_service(whole_trash)
    for service in SERVICES:
        config.add_cornice_service(service)
