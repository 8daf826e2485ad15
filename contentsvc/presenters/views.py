"""The presenter routes."""

from __future__ import annotations

from typing import Any

from contentsvc.assets.models import AssetCategory, AssetSource
from contentsvc.assets.services import Assets
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    NotFound,
    Page,
    Permission,
    envelope,
    outside_transaction,
)
from contentsvc.http.operations import UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.http.types import parse_uuid
from contentsvc.presenters.models import ModelEntity
from contentsvc.presenters.schemas import EnrollIn, PresenterFields, PresenterOut, PresenterQuery
from contentsvc.presenters.services import Presenters
from contentsvc.storage.files import MediaKind
from contentsvc.storage.ingest import ingest

presenters = ApiService("presenters", "/api/models/")
uploading = ApiService("presenter_upload", "/api/models/upload/")
enrolling = ApiService("presenter_enroll", "/api/models/enroll-asset/")
presenter = ApiService("presenter", "/api/models/{id}/")

SERVICES = (presenters, uploading, enrolling, presenter)

PORTRAIT_UPLOAD = UploadSpec(
    fields=PresenterFields, max_bytes=lambda settings: settings.uploads.image_max_bytes
)


def _presenters(request: ApiRequest) -> Presenters:
    return Presenters(request.db, request.identity.team_id)


def _usable(request: ApiRequest) -> ModelEntity:
    return _presenters(request).get(path_id(request))


@presenters.get(permission=Permission.READ, query=PresenterQuery, response=Page[PresenterOut])
def list_presenters(request: ApiRequest) -> dict[str, Any]:
    """List presenters.

    The team's own and the official ones; ``tab`` picks one kind. ``q`` is looked for in
    name, description and tags.
    """
    query = request.validated["query"]
    return envelope(request, _presenters(request).page(query), query)


@uploading.post(permission=Permission.WORK, upload=PORTRAIT_UPLOAD, response=PresenterOut, status=201)
def upload_presenter(request: ApiRequest) -> ModelEntity:
    """Upload a portrait and make a presenter of it.

    The portrait becomes an asset of the team as well.
    """
    upload, user_id = request.validated["upload"], request.identity.user.id
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=(MediaKind.IMAGE,))
    portrait = Assets(request.db, request.identity.team_id).create(
        stored,
        name=upload.filename,
        category=AssetCategory.MODEL_PORTRAIT,
        source=AssetSource.UPLOADED,
        created_by=user_id,
    )
    return _presenters(request).create(portrait, upload.fields, user_id)


@enrolling.post(
    permission=Permission.WORK,
    body=EnrollIn,
    response=PresenterOut,
    status=201,
    other_statuses=(200,),
    refusals=(ErrorCode.NOT_FOUND,),
)
def enroll_asset(request: ApiRequest) -> ModelEntity:
    """Make a presenter of an asset.

    Costs nothing and copies nothing. Repeated for the same asset it answers 200 and the
    presenter there is.
    """
    body: EnrollIn = request.validated["body"]
    try:
        asset_id = parse_uuid(body.asset_id)
    except ValueError:
        raise NotFound from None
    enrolled, is_new = _presenters(request).enroll(asset_id, body.name, request.identity.user.id)
    request.response.status_int = 201 if is_new else 200
    return enrolled


@presenter.delete(permission=Permission.WORK, subject=_usable, status=204)
def delete_presenter(request: ApiRequest) -> None:
    """Delete a presenter of the team."""
    _presenters(request).delete(request.validated["subject"])
