"""The asset library: uploads and finished works."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.assets import views
from contentsvc.storage.backends import backends_of
from contentsvc.storage.sweeping import sweep_orphans

SWEEP_SECONDS = 24 * 3600


def includeme(config: Configurator) -> None:
    """The asset routes, and the daily sweep for files without a row."""
    # Plugins have offered their storage by now: a name that none of them knows stops the start.
    backends_of(config.registry).check_settings()
    # The fixed path before the pattern that would match it.
    config.add_cornice_service(views.asset_list)
    config.add_cornice_service(views.asset_upload)
    config.add_cornice_service(views.one_asset)
    config.add_cornice_service(views.raw_asset)
    config.include("contentsvc.assets.reviews")
    config.add_recurring("sweep_orphans", SWEEP_SECONDS, sweep_orphans)
