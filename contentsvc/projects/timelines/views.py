"""The route that saves a timeline."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import ProjectOut
from contentsvc.projects.timelines.schemas import TimelineIn
from contentsvc.projects.timelines.services import save_timeline

saving = ApiService("project_save_timeline", "/api/projects/{id}/save-timeline/")

SERVICES = (saving,)


@saving.post(
    permission=Permission.WORK,
    subject=load_project,
    body=TimelineIn,
    response=ProjectOut,
    refusals=(ErrorCode.CONFLICT,),
)
def save(request: ApiRequest) -> dict[str, Any]:
    """Save the timeline.

    Each save replaces the whole; members left out take their defaults. Without a saved one
    a film is all adopted clips in the script's order, with subtitles from the narration.
    """
    project = lock_project(request.db, request.validated["subject"].id)
    save_timeline(request.db, project, request.validated["body"])
    return project_document(request.db, project)
