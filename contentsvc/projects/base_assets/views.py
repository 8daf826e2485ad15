"""The routes of entities and base assets."""

from __future__ import annotations

from typing import Any

from contentsvc.assets.services import Assets
from contentsvc.generation.admission import Buyer, admit
from contentsvc.generation.models import AITask
from contentsvc.generation.views import SPENDING
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission
from contentsvc.plugin import Capability
from contentsvc.projects.base_assets import read
from contentsvc.projects.base_assets.entities import plan_extraction, require_script, running_extraction
from contentsvc.projects.base_assets.groups import (
    adopt_candidate,
    choose_group,
    delete_group,
    ensure_group,
    get_group,
)
from contentsvc.projects.base_assets.pictures import BaseAssetOrder, BaseAssetOrders
from contentsvc.projects.base_assets.schemas import (
    AdoptAssetIn,
    AdoptStateIn,
    AttachIn,
    BaseAssetIn,
    ExtractionOut,
    ExtractStatusOut,
    GroupIn,
    PendingAssets,
    TaskOut,
    TriviewIn,
)
from contentsvc.projects.base_assets.services import file_candidate
from contentsvc.projects.core.access import body_id, load_project, lock_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import ProjectOut
from contentsvc.projects.models import BaseAssetGroup, Project, ScriptVersion
from contentsvc.projects.reviews.services import submit_faces
from contentsvc.providers.catalog import catalog_of

extracting = ApiService("project_extract_entities", "/api/projects/{id}/extract-entities/")
extraction = ApiService("project_extract_status", "/api/projects/{id}/extract-status/")
generating = ApiService("project_generate_base_asset", "/api/projects/{id}/generate-base-asset/")
turning = ApiService("project_generate_triview", "/api/projects/{id}/generate-triview/")
pending_assets = ApiService("project_pending_assets", "/api/projects/{id}/pending-assets/")
adopting = ApiService("project_adopt_base_asset", "/api/projects/{id}/adopt-base-asset/")
choosing = ApiService("project_set_base_asset_adopt", "/api/projects/{id}/set-base-asset-adopt/")
deleting = ApiService("project_delete_base_asset", "/api/projects/{id}/delete-base-asset/")
attaching = ApiService("project_attach_base_asset", "/api/projects/{id}/attach-base-asset/")

SERVICES = (
    extracting,
    extraction,
    generating,
    turning,
    pending_assets,
    adopting,
    choosing,
    deleting,
    attaching,
)

NOT_FOUND = (ErrorCode.NOT_FOUND,)


def _buyer(request: ApiRequest) -> Buyer:
    return Buyer(team=request.identity.team, user_id=request.identity.user.id)


def _locked(request: ApiRequest) -> Project:
    return lock_project(request.db, request.validated["subject"].id)


def _group(request: ApiRequest, project: Project, group_id: str) -> BaseAssetGroup:
    return get_group(request.db, project, body_id(group_id))


@extracting.post(
    permission=Permission.WORK,
    subject=load_project,
    response=ExtractionOut,
    status=202,
    refusals=(ErrorCode.CONFLICT, *SPENDING),
)
def extract_entities(request: ApiRequest) -> dict[str, Any]:
    """Find out who and what the working script shows.

    Characters and scenes are written to the project's ``metadata.script_entities``, and the
    working version's segments refer to them. While an extraction of the project is running,
    its task is answered, and nothing is reserved.
    """
    project = _locked(request)
    script = require_script(request.db, project)
    task = running_extraction(request.db, project) or _order_extraction(request, project, script)
    return {"task_id": task.id, "status": task.status}


def _order_extraction(request: ApiRequest, project: Project, script: ScriptVersion) -> AITask:
    model = catalog_of(request.registry).default(request.db, Capability.ENTITY_EXTRACTION)
    facts = BaseAssetOrders(request.db, project).facts()
    plan = plan_extraction(project, script, facts, model)
    [task] = admit(request.db, request.registry, _buyer(request), [plan], model)
    return task


@extraction.get(permission=Permission.READ, subject=load_project, response=ExtractStatusOut)
def show_extraction(request: ApiRequest) -> dict[str, Any]:
    """Ask how far the newest extraction is.

    With the entities the project has now. Before any extraction ``status`` and ``error`` are null.
    """
    return read.extract_status(request.db, request.validated["subject"])


@generating.post(
    permission=Permission.WORK,
    subject=load_project,
    body=BaseAssetIn,
    response=TaskOut,
    status=202,
    refusals=SPENDING,
)
def generate_base_asset(request: ApiRequest) -> dict[str, Any]:
    """Order a picture of the product, a character or a scene.

    It joins the group of this ``kind`` and ``label``, which then uses it. The product is made
    from its main image, the others from ``reference_asset_id`` where it is given.
    """
    orders = BaseAssetOrders(request.db, request.validated["subject"])
    return _place(request, orders.read(request.validated["body"]))


@turning.post(
    permission=Permission.WORK,
    subject=load_project,
    body=TriviewIn,
    response=TaskOut,
    status=202,
    refusals=(ErrorCode.NOT_FOUND, *SPENDING),
)
def generate_triview(request: ApiRequest) -> dict[str, Any]:
    """Order a three-view of a character or of the product.

    ``portrait_asset_id`` is a candidate of its group. The three-views of one portrait have a
    group of their own, with ``metadata.triview_of``.
    """
    orders = BaseAssetOrders(request.db, request.validated["subject"])
    return _place(request, orders.read_triview(body_id(request.validated["body"].portrait_asset_id)))


def _place(request: ApiRequest, order: BaseAssetOrder) -> dict[str, Any]:
    model = catalog_of(request.registry).choose_image_model(
        request.db, None, with_references=bool(order.picture.references)
    )
    plan = order.plan(request.validated["subject"], model)
    [task] = admit(request.db, request.registry, _buyer(request), [plan], model)
    return {"task": task}


@pending_assets.get(permission=Permission.READ, subject=load_project, response=PendingAssets)
def list_pending(request: ApiRequest) -> dict[str, Any]:
    """List the base assets that are being made."""
    return {"pending": read.pending(request.db, request.validated["subject"])}


@adopting.post(
    permission=Permission.WORK,
    subject=load_project,
    body=AdoptAssetIn,
    response=ProjectOut,
    refusals=NOT_FOUND,
)
def adopt_base_asset(request: ApiRequest) -> dict[str, Any]:
    """Choose the candidate that a group uses."""
    body: AdoptAssetIn = request.validated["body"]
    project = _locked(request)
    group = _group(request, project, body.group_id)
    asset = Assets(request.db, project.team_id).get(body_id(body.asset_id))
    adopt_candidate(request.db, project, group, asset.id)
    submit_faces(request.db, request.registry, project)
    return project_document(request.db, project)


@choosing.post(
    permission=Permission.WORK,
    subject=load_project,
    body=AdoptStateIn,
    response=ProjectOut,
    refusals=NOT_FOUND,
)
def set_base_asset_adopt(request: ApiRequest) -> dict[str, Any]:
    """Say whether the storyboard uses a group.

    Stored in the project's ``metadata.adopt``. The product is used whatever is said.
    """
    body: AdoptStateIn = request.validated["body"]
    project = _locked(request)
    choose_group(request.db, project, _group(request, project, body.group_id), body.state)
    submit_faces(request.db, request.registry, project)
    return project_document(request.db, project)


@deleting.post(
    permission=Permission.WORK, subject=load_project, body=GroupIn, response=ProjectOut, refusals=NOT_FOUND
)
def delete_base_asset(request: ApiRequest) -> dict[str, Any]:
    """Take a group out of the project.

    The three-views of its candidates go with it; the assets themselves stay.
    """
    project = _locked(request)
    delete_group(request.db, project, _group(request, project, request.validated["body"].group_id))
    return project_document(request.db, project)


@attaching.post(
    permission=Permission.WORK, subject=load_project, body=AttachIn, response=ProjectOut, refusals=NOT_FOUND
)
def attach_base_asset(request: ApiRequest) -> dict[str, Any]:
    """Put an image of the team into a group, which then uses it.

    Into the group ``group_id``, or into the own group of the entity that ``kind`` and ``label``
    name, made where there is none yet.
    """
    body: AttachIn = request.validated["body"]
    project = _locked(request)
    assets = Assets(request.db, project.team_id)
    asset = assets.get(body_id(body.asset_id))
    assets.require_images([("asset_id", asset.id)])
    file_candidate(request.db, request.registry, project, _target(request, project, body), asset)
    return project_document(request.db, project)


def _target(request: ApiRequest, project: Project, body: AttachIn) -> BaseAssetGroup:
    if body.kind is None or body.group_id is not None:
        return _group(request, project, body.group_id or "")
    return ensure_group(request.db, project, body.kind, body.label)
