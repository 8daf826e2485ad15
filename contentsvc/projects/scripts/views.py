"""The routes of script versions and of segments edited by hand."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.errors import ErrorCode
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.edits import ScriptEditor
from contentsvc.projects.scripts.read import version_document
from contentsvc.projects.scripts.schemas import (
    AdoptScript,
    ScriptVersionOut,
    SegmentAdd,
    SegmentDelete,
    SegmentUpdate,
)
from contentsvc.projects.scripts.services import adopt
from contentsvc.projects.storyboards.services import forget_segment

adopting = ApiService("project_adopt_script", "/api/projects/{id}/adopt-script/")
updating = ApiService("project_update_script_segment", "/api/projects/{id}/update-script-segment/")
adding = ApiService("project_add_script_segment", "/api/projects/{id}/add-script-segment/")
deleting = ApiService("project_delete_script_segment", "/api/projects/{id}/delete-script-segment/")

SERVICES = (adopting, updating, adding, deleting)

NOT_FOUND = (ErrorCode.NOT_FOUND,)
REFUSALS = (ErrorCode.NOT_FOUND, ErrorCode.CONFLICT)


def _locked(request: ApiRequest) -> Project:
    return lock_project(request.db, request.validated["subject"].id)


@adopting.post(
    permission=Permission.WORK,
    subject=load_project,
    body=AdoptScript,
    response=ScriptVersionOut,
    refusals=NOT_FOUND,
)
def adopt_script(request: ApiRequest) -> dict[str, Any]:
    """Adopt a script version.

    The film follows it from here on. The project goes to its base assets; adopting another
    version later takes it back there.
    """
    project = _locked(request)
    version = adopt(request.db, project, request.validated["body"].script_version_id)
    return version_document(project, version)


@updating.post(
    permission=Permission.WORK,
    subject=load_project,
    body=SegmentUpdate,
    response=ScriptVersionOut,
    refusals=NOT_FOUND,
)
def update_segment(request: ApiRequest) -> dict[str, Any]:
    """Change a segment by hand.

    The working version is changed in place. A narration replaces the segment's dialogue with
    one line of the narrator.
    """
    project = _locked(request)
    return version_document(project, ScriptEditor(request.db, project).update(request.validated["body"]))


@adding.post(
    permission=Permission.WORK,
    subject=load_project,
    body=SegmentAdd,
    response=ScriptVersionOut,
    refusals=REFUSALS,
)
def add_segment(request: ApiRequest) -> dict[str, Any]:
    """Add a segment by hand.

    Behind ``after_segment_id``, or first without it. It has no shot and no clip until the next
    storyboard.
    """
    project = _locked(request)
    return version_document(project, ScriptEditor(request.db, project).add(request.validated["body"]))


@deleting.post(
    permission=Permission.WORK,
    subject=load_project,
    body=SegmentDelete,
    response=ScriptVersionOut,
    refusals=REFUSALS,
)
def delete_segment(request: ApiRequest) -> dict[str, Any]:
    """Delete a segment by hand.

    Its shots and clips are no longer shown, nor exported. The only segment can't be deleted.
    """
    project = _locked(request)
    script = ScriptEditor(request.db, project).delete(request.validated["body"].segment_id)
    forget_segment(request.db, request.registry, project)
    return version_document(project, script)
