"""Single assets: uploaded, read, changed, deleted."""

from __future__ import annotations

from pyramid.response import Response

from contentsvc.assets.models import Asset, AssetSource
from contentsvc.assets.schemas import AssetOut, AssetPatch, AssetUpload
from contentsvc.assets.services import Assets
from contentsvc.assets.trash import AssetTrash
from contentsvc.http.errors import ErrorCode
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.service import ApiService
from contentsvc.storage.ingest import ingest, largest_bytes
from contentsvc.storage.serving import PRIVATE, serve

asset_upload = ApiService("asset_upload", "/api/assets/upload/")
one_asset = ApiService("asset", "/api/assets/{id}/")
raw_asset = ApiService("asset_raw", "/api/assets/{id}/raw/")


def assets_of(request: ApiRequest) -> Assets:
    """The caller's team's assets."""
    return Assets(request.db, request.identity.team_id)


def load_asset(request: ApiRequest) -> Asset:
    """The asset the path names. Raises NotFound."""
    return assets_of(request).get(path_id(request))


def load_readable(request: ApiRequest) -> Asset:
    """The same; the portrait of an official presenter will do."""
    return assets_of(request).readable(path_id(request))


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


@one_asset.get(permission=Permission.READ, subject=load_readable, response=AssetOut)
def get_asset(request: ApiRequest) -> Asset:
    """One asset.

    Portraits of official presenters can be read too; they belong to nobody.
    """
    asset: Asset = request.validated["subject"]
    return asset


@one_asset.patch(permission=Permission.WORK, subject=load_asset, body=AssetPatch, response=AssetOut)
def change_asset(request: ApiRequest) -> Asset:
    """Change an asset's name or description."""
    body: AssetPatch = request.validated["body"]
    return assets_of(request).update(request.validated["subject"], body.changes())


@one_asset.delete(permission=Permission.WORK, subject=load_asset, status=204)
def delete_asset(request: ApiRequest) -> None:
    """Move an asset to the trash.

    What uses it keeps it, and its public link goes on working, until it is purged.
    """
    AssetTrash(request.db, request.identity.team_id).delete(request.validated["subject"])


@raw_asset.get(
    permission=Permission.READ,
    subject=load_readable,
    media_type="*/*",
    other_statuses=(206, 304),
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def get_raw(request: ApiRequest) -> Response:
    """The bytes as they were uploaded or generated.

    Served by the service itself, wherever the files lie. Honours If-None-Match, If-Range
    and a single Range.
    """
    return serve(request, assets_of(request).original(request.validated["subject"]), cache=PRIVATE)
