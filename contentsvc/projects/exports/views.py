"""The routes of films and of their clips."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from contentsvc.generation.admission import Buyer
from contentsvc.generation.views import SPENDING
from contentsvc.http import ApiRequest, ApiService, ErrorCode, NotFound, Permission
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.exports.archive import archive, entries_of, safe_name
from contentsvc.projects.exports.read import latest
from contentsvc.projects.exports.schemas import ExportOut, ExportStarted
from contentsvc.projects.exports.services import no_clips, submit
from contentsvc.projects.models import Project
from contentsvc.projects.timelines.footage import footage_of
from contentsvc.storage.disposition import content_disposition
from contentsvc.storage.serving import PRIVATE

ZIP = "application/zip"

submitting = ApiService("project_submit_export", "/api/projects/{id}/submit-export/")
polling = ApiService("project_poll_export", "/api/projects/{id}/poll-export/")
clips = ApiService("project_export_clips", "/api/projects/{id}/export-clips/")

SERVICES = (submitting, polling, clips)


@submitting.post(
    permission=Permission.WORK,
    subject=load_project,
    response=ExportStarted,
    status=202,
    refusals=(ErrorCode.NO_CLIPS, *SPENDING),
)
def submit_export(request: ApiRequest) -> dict[str, Any]:
    """Export the film.

    By the saved timeline, or all adopted clips in the script's order: MP4, 1080 by 1920.
    What is changed afterwards concerns the next export. Ask with poll-export.
    """
    project = lock_project(request.db, request.validated["subject"].id)
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    task, export = submit(request.db, request.registry, buyer, project)
    return {"task": task, "export_id": export.id}


@polling.post(
    permission=Permission.READ,
    subject=load_project,
    response=ExportOut,
    idempotent=False,
    refusals=(ErrorCode.NOT_FOUND,),
)
def poll_export(request: ApiRequest) -> dict[str, Any]:
    """Ask for the newest export.

    404 before any was submitted.
    """
    found = latest(request.db, request.validated["subject"])
    if found is None:
        raise NotFound("This project has not been exported yet.")
    return found


@clips.get(permission=Permission.READ, subject=load_project, media_type=ZIP, refusals=(ErrorCode.NO_CLIPS,))
def export_clips(request: ApiRequest) -> Response:
    """Download all adopted clips.

    A zip of them in the script's order, made while it is sent. Clips that can't be read are
    left out.
    """
    project: Project = request.validated["subject"]
    entries = entries_of(footage_of(request.db, project))
    if not entries:
        raise no_clips()
    name = f"{safe_name(project.name, 'project')}-clips.zip"
    headers = {
        "Content-Type": ZIP,
        "Content-Disposition": content_disposition(name, ZIP),
        "Cache-Control": PRIVATE,
        "X-Content-Type-Options": "nosniff",
    }
    # Nothing is read before the request's transaction has ended: the stream holds no connection.
    stream = () if request.method == "HEAD" else archive(request.registry, entries)
    return Response(app_iter=stream, headerlist=list(headers.items()))
