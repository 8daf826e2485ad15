"""The routes of a project's reviews."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.projects.core.access import load_project
from contentsvc.projects.reviews.schemas import PrecheckOut, ReviewsOut
from contentsvc.projects.reviews.services import blocking, reviews, submit_faces

polling = ApiService("project_poll_reviews", "/api/projects/{id}/poll-reviews/")
checking = ApiService("project_video_precheck", "/api/projects/{id}/video-precheck/")

SERVICES = (polling, checking)


@polling.post(permission=Permission.READ, subject=load_project, response=ReviewsOut, idempotent=False)
def poll_reviews(request: ApiRequest) -> dict[str, Any]:
    """Ask how the reviews of a project's faces stand.

    Of all pictures of its characters and of the shots that show one. Reviews go on by
    themselves, whether or not anybody asks; what has become a face since it was made, by an
    edit of the script or the metadata, is submitted now.
    """
    project = request.validated["subject"]
    submit_faces(request.db, request.registry, project)
    return {"reviews": reviews(request.db, project)}


@checking.get(permission=Permission.READ, subject=load_project, response=PrecheckOut)
def check_videos(request: ApiRequest) -> dict[str, Any]:
    """Ask whether videos can be ordered, and which faces hold them up.

    A face holds them up until its review has passed: the pictures that adopted characters
    use, their three-views, and the shots whose segment refers to a character. Nothing does
    where no model reviews pictures, unless the platform insists on reviews.
    """
    faces = blocking(request.db, request.registry, request.validated["subject"])
    return {"ready": not faces, "blocking": faces}
