"""The asset library: uploads and finished works."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.assets import library_views, trash_views, views
from contentsvc.assets.packs import set_pack_reader
from contentsvc.assets.trash import add_asset_holder
from contentsvc.storage.backends import backends_of
from contentsvc.storage.sweeping import sweep_orphans

SWEEP_SECONDS = 24 * 3600

# The fixed paths before the pattern that would match them.
SERVICES = (
    library_views.asset_list,
    library_views.asset_summary,
    library_views.asset_facets,
    library_views.video_packs,
    trash_views.asset_trash,
    views.asset_upload,
    views.one_asset,
    views.raw_asset,
    trash_views.restoring,
    trash_views.purging,
)


def includeme(config: Configurator) -> None:
    """The asset routes, and the daily sweep for files without a row."""
    # Plugins have offered their storage by now: a name that none of them knows stops the start.
    backends_of(config.registry).check_settings()
    config.add_directive("add_asset_holder", add_asset_holder, action_wrap=False)
    config.add_directive("set_pack_reader", set_pack_reader, action_wrap=False)
    for service in SERVICES:
        config.add_cornice_service(service)
    config.include("contentsvc.assets.reviews")
    config.add_recurring("sweep_orphans", SWEEP_SECONDS, sweep_orphans)
