"""The administrator's routes for official presenters."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.backoffice.audit import record_change
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    Page,
    Permission,
    envelope,
    outside_transaction,
)
from contentsvc.http.operations import UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.presenters.models import ModelEntity
from contentsvc.presenters.official import OfficialPresenters
from contentsvc.presenters.schemas import (
    OfficialQuery,
    OfficialRecord,
    PresenterFields,
    PresenterOut,
    PresenterPatch,
)
from contentsvc.storage.files import MediaKind
from contentsvc.storage.ingest import ingest

presenters = ApiService("admin-presenters", "/api/admin/presenters/")
presenter = ApiService("admin-presenter", "/api/admin/presenters/{id}/")

PORTRAIT_UPLOAD = UploadSpec(
    fields=PresenterFields, max_bytes=lambda settings: settings.uploads.image_max_bytes
)


def _official(request: ApiRequest) -> ModelEntity:
    return OfficialPresenters(request.db).get(path_id(request))


@presenters.get(permission=Permission.PLATFORM, query=OfficialQuery, response=Page[PresenterOut])
def list_official_presenters(request: ApiRequest) -> dict[str, Any]:
    """List the official presenters, newest first.

    ``q`` is looked for in name, description and tags.
    """
    query: OfficialQuery = request.validated["query"]
    return envelope(request, OfficialPresenters(request.db).page(query), query)


@presenters.post(
    permission=Permission.PLATFORM,
    upload=PORTRAIT_UPLOAD,
    response=PresenterOut,
    status=201,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def upload_official_presenter(request: ApiRequest) -> ModelEntity:
    """Upload a portrait and offer it to every team as a presenter.

    The portrait belongs to no team.
    """
    upload, user_id = request.validated["upload"], request.identity.user.id
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=(MediaKind.IMAGE,))
    made = OfficialPresenters(request.db).create(stored, upload.filename, upload.fields, user_id)
    _record(request, "presenter.create", made, after=OfficialRecord.model_validate(made))
    return made


@presenter.patch(
    permission=Permission.PLATFORM, subject=_official, body=PresenterPatch, response=PresenterOut
)
def change_official_presenter(request: ApiRequest) -> ModelEntity:
    """Change an official presenter's name, description or tags; its portrait stays."""
    changed: ModelEntity = request.validated["subject"]
    before = OfficialRecord.model_validate(changed)
    OfficialPresenters(request.db).change(changed, request.validated["body"].changes())
    after = OfficialRecord.model_validate(changed)
    if after != before:
        _record(request, "presenter.change", changed, before=before, after=after)
    return changed


@presenter.delete(permission=Permission.PLATFORM, subject=_official, status=204)
def delete_official_presenter(request: ApiRequest) -> None:
    """Take an official presenter out of every team's library.

    Works that were made with it stay, and orders that name it are carried out.
    """
    gone: ModelEntity = request.validated["subject"]
    OfficialPresenters(request.db).delete(gone)
    _record(request, "presenter.delete", gone, before=OfficialRecord.model_validate(gone))


def _record(request: ApiRequest, action: str, changed: ModelEntity, **states: OfficialRecord) -> None:
    record_change(request, action, "presenter", changed.id, **states)


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (presenters, presenter):
        config.add_cornice_service(service)
