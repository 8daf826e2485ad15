"""The routes of storyboards."""

from __future__ import annotations

from typing import Any

from contentsvc.generation.admission import Buyer
from contentsvc.generation.views import SPENDING
from contentsvc.http import ApiRequest, ApiService, ErrorCode, NotFound, Permission
from contentsvc.projects.base_assets.schemas import TaskOut
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import ProjectOut
from contentsvc.projects.models import Project
from contentsvc.projects.reviews.services import submit_faces
from contentsvc.projects.storyboards.orders import ShotOrders
from contentsvc.projects.storyboards.read import storyboard
from contentsvc.projects.storyboards.schemas import (
    ShotAdopt,
    ShotIn,
    ShotRerun,
    StoryboardIn,
    StoryboardOrdered,
    StoryboardPoll,
)
from contentsvc.projects.storyboards.services import adopt_version, find_shot, skip

generating = ApiService("project_generate_storyboard", "/api/projects/{id}/generate-storyboard/")
polling = ApiService("project_poll_storyboard", "/api/projects/{id}/poll-storyboard/")
skipping = ApiService("project_skip_storyboard", "/api/projects/{id}/skip-storyboard/")
making_shot = ApiService("project_generate_storyboard_shot", "/api/projects/{id}/generate-storyboard-shot/")
rerunning_shot = ApiService("project_rerun_storyboard_shot", "/api/projects/{id}/rerun-storyboard-shot/")
adopting_shot = ApiService("project_adopt_storyboard_shot", "/api/projects/{id}/adopt-storyboard-shot/")

SERVICES = (generating, polling, skipping, making_shot, rerunning_shot, adopting_shot)

ORDERING = (ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, *SPENDING)


def _locked(request: ApiRequest) -> Project:
    return lock_project(request.db, request.validated["subject"].id)


def _orders(request: ApiRequest, project: Project) -> ShotOrders:
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    return ShotOrders(request.db, request.registry, project, buyer)


@generating.post(
    permission=Permission.WORK,
    subject=load_project,
    body=StoryboardIn,
    response=StoryboardOrdered,
    status=202,
    refusals=(ErrorCode.CONFLICT, *SPENDING),
)
def generate_storyboard(request: ApiRequest) -> dict[str, Any]:
    """Order a picture for each segment of the adopted script.

    Made from the product, and from the characters and scenes whose groups are adopted and
    which the segment refers to. All shots are reserved or none; each has a task of its own
    beside the one that is answered, which costs nothing and ends with the last shot.
    """
    project = _locked(request)
    task, made = _orders(request, project).whole(request.validated["body"].prompt)
    return {"task": task, "version_id": made.id, "total": len(made.shots)}


@polling.post(
    permission=Permission.READ,
    subject=load_project,
    response=StoryboardPoll,
    idempotent=False,
    refusals=(ErrorCode.NOT_FOUND,),
)
def poll_storyboard(request: ApiRequest) -> dict[str, Any]:
    """Ask how far the newest storyboard is.

    It has failed when all is over and a shot has no picture; a rerun of that shot completes it.
    """
    found = storyboard(request.db, request.validated["subject"])
    if found is None:
        raise NotFound("The project has no storyboard yet.")
    return found


@skipping.post(
    permission=Permission.WORK, subject=load_project, response=ProjectOut, refusals=(ErrorCode.CONFLICT,)
)
def skip_storyboard(request: ApiRequest) -> dict[str, Any]:
    """Go on to the clips without a storyboard."""
    project = _locked(request)
    skip(request.db, project)
    return project_document(request.db, project)


@making_shot.post(
    permission=Permission.WORK,
    subject=load_project,
    body=ShotIn,
    response=TaskOut,
    status=202,
    refusals=ORDERING,
)
def generate_shot(request: ApiRequest) -> dict[str, Any]:
    """Order one shot of the newest storyboard.

    A ``prompt`` replaces the shot's own. The new picture is adopted.
    """
    body: ShotIn = request.validated["body"]
    project = _locked(request)
    shot = find_shot(request.db, project, body.shot_id)
    return {"task": _orders(request, project).again(shot, prompt=body.prompt)}


@rerunning_shot.post(
    permission=Permission.WORK,
    subject=load_project,
    body=ShotRerun,
    response=TaskOut,
    status=202,
    refusals=ORDERING,
)
def rerun_shot(request: ApiRequest) -> dict[str, Any]:
    """Make one shot of the newest storyboard again.

    The ``instruction`` is added to the shot's prompt for this time. The new picture is adopted.
    """
    body: ShotRerun = request.validated["body"]
    project = _locked(request)
    shot = find_shot(request.db, project, body.shot_id)
    return {"task": _orders(request, project).again(shot, instruction=body.instruction)}


@adopting_shot.post(
    permission=Permission.WORK,
    subject=load_project,
    body=ShotAdopt,
    response=ProjectOut,
    refusals=(ErrorCode.NOT_FOUND,),
)
def adopt_shot(request: ApiRequest) -> dict[str, Any]:
    """Choose the picture that a shot uses."""
    body: ShotAdopt = request.validated["body"]
    project = _locked(request)
    shot = find_shot(request.db, project, body.shot_id)
    adopt_version(request.db, project, shot, body.version_id)
    submit_faces(request.db, request.registry, project)
    return project_document(request.db, project)
