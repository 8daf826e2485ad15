"""Reviews of faces: a picture goes into the team's group of the asset library and is looked at there."""

from __future__ import annotations

import re

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    OutcomeUnknown,
    Pending,
    ProviderError,
    ReviewRequest,
    ReviewResult,
)
from contentsvc_authoring import text
from contentsvc_volcengine.assets import AssetLibrary
from contentsvc_volcengine.failures import REFUSED_INPUT, UNREADABLE, RequestRefused, is_moderation
from contentsvc_volcengine.pictures import ASSET

GROUPS = "review_groups"
"""Member of the state: the team's group, by project."""

NO_LINK = "Volcengine fetches pictures by their link, and this service can't be reached from outside."
NOT_FETCHED = "Volcengine could not fetch or read the picture."
NOT_FIT = "Volcengine does not take a picture of this kind or size"
OTHER_FACE = "The face is not the one that was verified for this group."
NOT_APPROVED = "Volcengine did not approve this picture."
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_SHAPES = ("TypeMismatch", "FormatUnsupported", "Width", "Height", "AspectRatio", "FileSize", "PixelCount")


class AssetReviews:
    """Puts a picture into the team's group; its id there serves Seedance once it is approved.

    Options: ``project`` (Volcengine's project, the API key's own), ``control_planes`` (for each
    host of the models' address the ``url`` and ``region`` of the asset library).
    """

    def start(self, request: ReviewRequest, ctx: Context) -> Accepted:
        """Hand the picture in; its id."""
        link = request.media.public_url
        if not link:
            raise ProviderError(NO_LINK)
        library, project = AssetLibrary(ctx), _project(ctx)
        known = _known_group(project, ctx)
        body = {
            "GroupId": known or _new_group(library, project, ctx),
            "URL": link,
            "AssetType": "Image",
            "Name": _name(request.name),
            "ProjectName": project,
        }
        try:
            asset = library.ask("CreateAsset", body, places_order=True)
        except RequestRefused as refusal:
            if known and refusal.code.startswith("NotFound"):
                # Somebody may have deleted the group there: the next picture makes another.
                ctx.state.pop(GROUPS)
            raise
        return Accepted(_id(text(asset, "Id")))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ReviewResult]:
        """Ask for the verdict."""
        asset = AssetLibrary(ctx).ask(
            "GetAsset", {"Id": job_id, "ProjectName": _project(ctx)}, places_order=False
        )
        match text(asset, "Status"):
            case "Active":
                return Done(ReviewResult(is_approved=True, handles={ASSET: job_id}))
            case "Failed":
                return Done(ReviewResult(is_approved=False, reason=_reason(text(asset, "Error", "Code"))))
            case "":
                raise ProviderError(UNREADABLE, retryable=True)
        return Pending()


def _reason(code: str) -> str:
    """Why a picture has not passed, in words. Raises ProviderError where nobody has looked at it."""
    if is_moderation(code):
        return REFUSED_INPUT
    if code == "FaceMismatch":
        return OTHER_FACE
    if code.startswith(_SHAPES):
        return f"{NOT_FIT} ({re.sub('[^A-Za-z]', '', code)[:60]})."
    if code in ("DownloadFailed", "TranscodingFailed"):
        raise ProviderError(NOT_FETCHED)
    return NOT_APPROVED


def _known_group(project: str, ctx: Context) -> str:
    """The team's one group; empty before its first picture."""
    return text(ctx.state, GROUPS, project)


def _new_group(library: AssetLibrary, project: str, ctx: Context) -> str:
    made = library.ask(
        "CreateAssetGroup",
        {"Name": _name(f"contentsvc {ctx.idempotency_key}"), "GroupType": "AIGC", "ProjectName": project},
        places_order=True,
    )
    group = _id(text(made, "Id"))
    # Kept even if the picture itself is refused: the group is there now.
    ctx.state[GROUPS] = {**(ctx.state.get(GROUPS) or {}), project: group}
    return group


def _project(ctx: Context) -> str:
    return text(ctx.model.options, "project") or "default"


def _name(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable()).strip()[:64] or "picture"


def _id(found: str) -> str:
    if not _ID.fullmatch(found):
        raise OutcomeUnknown(UNREADABLE)
    return found
