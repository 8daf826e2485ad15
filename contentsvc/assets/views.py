"""The asset library."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from contentsvc.assets.models import Asset, AssetSource
from contentsvc.assets.schemas import AssetOut, AssetPatch, AssetQuery, AssetUpload
from contentsvc.assets.services import Assets
from contentsvc.http.errors import ErrorCode, NotFound
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.http.pagination import Page, envelope
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.service import ApiService
from contentsvc.http.types import parse_uuid
from contentsvc.storage.ingest import ingest, largest_bytes
from contentsvc.storage.serving import PRIVATE, serve

METADATA_PREFIX = "m_"

asset_list = ApiService("assets", "/api/assets/")
asset_upload = ApiService("asset_upload", "/api/assets/upload/")
one_asset = ApiService("asset", "/api/assets/{id}/")
raw_asset = ApiService("asset_raw", "/api/assets/{id}/raw/")


def assets_of(request: ApiRequest) -> Assets:
    """The caller's team's assets."""
    return Assets(request.db, request.identity.team_id)


def load_asset(request: ApiRequest) -> Asset:
    """The asset the path names. Raises NotFound."""
    try:
        asset_id = parse_uuid(request.matchdict["id"])
    except ValueError as error:
        raise NotFound from error
    return assets_of(request).get(asset_id)


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
    return envelope(request, assets_of(request).page(query, metadata), query)


@asset_upload.post(
    permission=Permission.WORK,
    upload=UploadSpec(AssetUpload, lambda settings: largest_bytes(settings.uploads)),
    response=AssetOut,
    status=201,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def upload_asset(request: ApiRequest) -> Asset:
    """Upload a picture, a video, a sound file or a PDF.

    The type is told from the bytes. The public copy carries no metadata; `raw` answers
    the bytes as they came. A PDF is published as it is.
    """
    upload: ReceivedUpload = request.validated["upload"]
    fields: AssetUpload = upload.fields
    assets_of(request).require_product(fields.product)
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename)
    return assets_of(request).create(
        stored,
        name=fields.name.strip() or upload.filename,
        category=fields.category,
        source=AssetSource.UPLOADED,
        product_id=fields.product,
        created_by=request.identity.user.id,
    )


@one_asset.get(permission=Permission.READ, subject=load_asset, response=AssetOut)
def get_asset(request: ApiRequest) -> Asset:
    """One asset."""
    asset: Asset = request.validated["subject"]
    return asset


@one_asset.patch(permission=Permission.WORK, subject=load_asset, body=AssetPatch, response=AssetOut)
def change_asset(request: ApiRequest) -> Asset:
    """Change an asset's name or description."""
    body: AssetPatch = request.validated["body"]
    return assets_of(request).update(request.validated["subject"], body.changes())


@raw_asset.get(
    permission=Permission.READ,
    subject=load_asset,
    media_type="application/octet-stream",
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def get_raw(request: ApiRequest) -> Response:
    """The bytes as they were uploaded or generated.

    Served by the service itself, wherever the files lie. Honours If-None-Match, If-Range
    and a single Range.
    """
    return serve(request, assets_of(request).original(request.validated["subject"]), cache=PRIVATE)
