"""The trash of the asset library."""

from __future__ import annotations

from typing import Any

from contentsvc.assets.models import Asset
from contentsvc.assets.schemas import AssetOut
from contentsvc.assets.trash import AssetTrash, holders_of, remove_bytes
from contentsvc.http.errors import ErrorCode
from contentsvc.http.pagination import Page, PageQuery, envelope
from contentsvc.http.paths import path_id
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.service import ApiService
from contentsvc.storage.backends import storage_of

asset_trash = ApiService("asset_trash", "/api/assets/trash/")
restoring = ApiService("asset_restore", "/api/assets/{id}/restore/")
purging = ApiService("asset_purge", "/api/assets/{id}/purge/")


def _trash(request: ApiRequest) -> AssetTrash:
    return AssetTrash(request.db, request.identity.team_id)


def _any(request: ApiRequest) -> Asset:
    return _trash(request).get_any(path_id(request))


@asset_trash.get(permission=Permission.READ, query=PageQuery, response=Page[AssetOut])
def list_trash(request: ApiRequest) -> dict[str, Any]:
    """List deleted assets."""
    query = request.validated["query"]
    return envelope(request, _trash(request).page(query), query)


@restoring.post(
    permission=Permission.WORK, subject=_any, response=AssetOut, refusals=(ErrorCode.NOT_ARCHIVED,)
)
def restore_asset(request: ApiRequest) -> Asset:
    """Bring an asset back from the trash."""
    return _trash(request).restore(request.validated["subject"].id)


@purging.delete(
    permission=Permission.WORK,
    subject=_any,
    status=204,
    refusals=(ErrorCode.NOT_ARCHIVED, ErrorCode.CONFLICT),
)
def purge_asset(request: ApiRequest) -> None:
    """Remove a deleted asset and its files for good.

    Versions that used it keep their place, without an asset; a product loses the image. A
    product's only image and a presenter's portrait can't be removed.
    """
    keys = _trash(request).purge(request.validated["subject"].id, holders_of(request.registry))
    with outside_transaction(request):
        remove_bytes(storage_of(request.registry), keys)
