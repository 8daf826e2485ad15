"""The routes of clips."""

from __future__ import annotations

import uuid
from typing import Any

from contentsvc.assets.models import AssetSource
from contentsvc.assets.services import Assets
from contentsvc.generation.admission import Buyer
from contentsvc.generation.models import TaskType
from contentsvc.generation.repeats import await_order, mark_of
from contentsvc.generation.views import SPENDING
from contentsvc.http import ApiError, ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.projects.clips import orders
from contentsvc.projects.clips.read import poll
from contentsvc.projects.clips.schemas import ClipAdopt, ClipIn, ClipPoll, ClipPollIn, ClipUpload
from contentsvc.projects.clips.services import add_upload, adopt_version, find_segment
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import ProjectOut
from contentsvc.projects.models import Project
from contentsvc.projects.reviews.services import require_reviewed
from contentsvc.storage.ingest import ingest

submitting = ApiService("project_submit_video_segment", "/api/projects/{id}/submit-video-segment/")
polling = ApiService("project_poll_video_segment", "/api/projects/{id}/poll-video-segment/")
adopting = ApiService("project_adopt_video_version", "/api/projects/{id}/adopt-video-version/")
uploading = ApiService("project_upload_video_segment", "/api/projects/{id}/upload-video-segment/")

SERVICES = (submitting, polling, adopting, uploading)

NOT_FOUND = (ErrorCode.NOT_FOUND,)


def _locked(request: ApiRequest) -> Project:
    return lock_project(request.db, request.validated["subject"].id)


@submitting.post(
    permission=Permission.WORK,
    subject=load_project,
    body=ClipIn,
    response=ProjectOut,
    status=202,
    refusals=(
        ErrorCode.NOT_FOUND,
        ErrorCode.CONFLICT,
        ErrorCode.UNREVIEWED_FACES,
        *SPENDING,
        ErrorCode.PROVIDER_ERROR,
    ),
)
def submit_video_segment(request: ApiRequest) -> dict[str, Any]:
    """Order the clip of a segment.

    It starts with the picture of the segment's adopted shot and lasts as long as the segment.
    Faces that have not passed their review hold it up; the error names them in ``blocking``.
    Up to five seconds are waited for the provider's answer: a refusal in that time is
    answered with 502, otherwise polling tells what becomes of the order.
    """
    project_id, team_id = request.validated["subject"].id, request.identity.team_id
    seconds = orders.ANSWER_SECONDS + orders.REPLY_SECONDS
    task_id = await_order(request, TaskType.VIDEO_SEGMENT, project_id, seconds)
    task_id = task_id or _placed(request, project_id)
    # The reply is this call's own: looked for again it could only be one of a repeat that overtook it.
    request.on_resume = None
    with outside_transaction(request):
        refusal = orders.refusal_of(request.registry, team_id, task_id)
    if refusal is not None:
        raise ApiError(ErrorCode.PROVIDER_ERROR, refusal)
    return project_document(request.db, load_project(request))


def _placed(request: ApiRequest, project_id: uuid.UUID) -> uuid.UUID:
    body: ClipIn = request.validated["body"]
    project = lock_project(request.db, project_id)
    segment, index = find_segment(request.db, project, body.video_segment_id)
    require_reviewed(request.db, request.registry, project, request.base_url)
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    clips = orders.ClipOrders(request.db, request.registry, project, buyer)
    return clips.place(segment, index, body.prompt, mark_of(request)).id


@polling.post(
    permission=Permission.READ,
    subject=load_project,
    body=ClipPollIn,
    response=ClipPoll,
    idempotent=False,
    refusals=NOT_FOUND,
)
def poll_video_segment(request: ApiRequest) -> dict[str, Any]:
    """Ask how far the clip of a segment is.

    The provider is asked by the server itself, a little sooner where somebody waits.
    """
    body: ClipPollIn = request.validated["body"]
    segment, _ = find_segment(request.db, request.validated["subject"], body.video_segment_id)
    orders.bring_forward(request.db, request.settings, segment)
    return poll(request.db, segment)


@adopting.post(
    permission=Permission.WORK, subject=load_project, body=ClipAdopt, response=ProjectOut, refusals=NOT_FOUND
)
def adopt_video_version(request: ApiRequest) -> dict[str, Any]:
    """Choose the clip that a segment uses."""
    body: ClipAdopt = request.validated["body"]
    project = _locked(request)
    segment, _ = find_segment(request.db, project, body.video_segment_id)
    adopt_version(request.db, project, segment, body.version_id)
    return project_document(request.db, project)


@uploading.post(
    permission=Permission.WORK,
    subject=load_project,
    upload=UploadSpec(ClipUpload, lambda settings: settings.uploads.video_max_bytes),
    response=ProjectOut,
    refusals=(ErrorCode.NOT_FOUND, ErrorCode.STORAGE_ERROR),
)
def upload_video_segment(request: ApiRequest) -> dict[str, Any]:
    """Upload the clip of a segment, which uses it from here on.

    MP4, MOV and WebM are taken; the type is told from the bytes.
    """
    upload: ReceivedUpload = request.validated["upload"]
    fields: ClipUpload = upload.fields
    find_segment(request.db, request.validated["subject"], fields.video_segment_id)
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=("video",))
    project = lock_project(request.db, load_project(request).id)
    segment, _ = find_segment(request.db, project, fields.video_segment_id)
    asset = Assets(request.db, project.team_id).create(
        stored,
        name=upload.filename,
        source=AssetSource.UPLOADED,
        created_by=request.identity.user.id,
        product_id=project.product_id,
        project_id=project.id,
    )
    add_upload(request.db, project, segment, asset)
    return project_document(request.db, project)
