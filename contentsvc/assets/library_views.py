"""The asset library: its list, its numbers, what there is to filter by, video packs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contentsvc.assets.library import Library
from contentsvc.assets.packs import pack_reader
from contentsvc.assets.schemas import AssetOut, AssetQuery, FacetQuery, FacetsOut, SummaryOut, VideoPack
from contentsvc.assets.views import assets_of
from contentsvc.http.pagination import Page, envelope
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.service import ApiService

METADATA_PREFIX = "m_"

asset_list = ApiService("assets", "/api/assets/")
asset_summary = ApiService("asset_summary", "/api/assets/summary/")
asset_facets = ApiService("asset_facets", "/api/assets/facets/")
video_packs = ApiService("video_packs", "/api/assets/video-packs/")


def _library(request: ApiRequest) -> Library:
    return Library(request.db, request.identity.team_id)


@asset_list.get(permission=Permission.READ, query=AssetQuery, response=Page[AssetOut])
def list_assets(request: ApiRequest) -> dict[str, Any]:
    """The team's assets, the newest first.

    Shows the library, unless `category` or `in_library` ask for more. Parameters named
    `m_<key>` compare a key of `metadata` as text.
    """
    query: AssetQuery = request.validated["query"]
    metadata = {
        name.removeprefix(METADATA_PREFIX): value
        for name, value in request.GET.items()
        if name.startswith(METADATA_PREFIX)
    }
    return envelope(request, _library(request).page(query, metadata), query)


@asset_summary.get(permission=Permission.READ, response=SummaryOut)
def summarize(request: ApiRequest) -> dict[str, int]:
    """How many works each tab of the library shows.

    `video_packs` is the number of projects that use clips.
    """
    packs = pack_reader(request.registry).count(request.db, request.identity.team_id)
    return {**_library(request).summary(), "video_packs": packs}


@asset_facets.get(permission=Permission.READ, query=FacetQuery, response=FacetsOut)
def read_facets(request: ApiRequest) -> dict[str, Any]:
    """What the library, or one tab of it, can be filtered by.

    Values that occur, each once. For each of `meta_keys`, the values of that key of
    `metadata`, as `m_<key>` takes them.
    """
    query: FacetQuery = request.validated["query"]
    found = _library(request).facets(query.tab, query.meta_keys)
    return {**found, "products": assets_of(request).product_titles(found["products"])}


@video_packs.get(permission=Permission.READ, response=list[VideoPack])
def list_video_packs(request: ApiRequest) -> Sequence[dict[str, Any]]:
    """The clips that projects use, a pack for each project.

    Projects without such a clip have no pack. Deleted clips are left out.
    """
    return pack_reader(request.registry).packs(request.db, request.identity.team_id)
