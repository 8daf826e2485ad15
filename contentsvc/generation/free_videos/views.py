"""The routes of free videos and of the pictures kept for them."""

from __future__ import annotations

from typing import Any

from contentsvc.assets.models import Asset
from contentsvc.assets.reviews.schemas import ReviewOut
from contentsvc.assets.schemas import AssetOut
from contentsvc.assets.trash import AssetTrash
from contentsvc.generation.admission import Buyer
from contentsvc.generation.free_videos.orders import order_video
from contentsvc.generation.free_videos.references import VideoReferences
from contentsvc.generation.free_videos.schemas import (
    FavoriteIn,
    OrderedVideo,
    ReferenceUpload,
    VideoQuery,
    VideoTasks,
)
from contentsvc.generation.free_videos.services import FreeVideos
from contentsvc.generation.models import AITask
from contentsvc.generation.schemas import AITaskOut, GenerateVideoIn, PollQuery
from contentsvc.generation.views import SPENDING
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    Page,
    PageQuery,
    Permission,
    envelope,
    outside_transaction,
)
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.storage.ingest import ingest

generate_video = ApiService("generate_video", "/api/ai/generate-video/")
videos = ApiService("free_videos", "/api/ai/videos/")
video = ApiService("free_video", "/api/ai/videos/{id}/")
video_favorite = ApiService("free_video_favorite", "/api/ai/videos/{id}/favorite/")
references = ApiService("video_references", "/api/ai/video-references/")
reference = ApiService("video_reference", "/api/ai/video-references/{id}/")
reference_poll = ApiService("video_reference_poll", "/api/ai/video-references/{id}/poll/")

SERVICES = (generate_video, videos, video, video_favorite, references, reference, reference_poll)


def _videos(request: ApiRequest) -> FreeVideos:
    return FreeVideos(request.db, request.identity.team_id)


def _load_video(request: ApiRequest) -> AITask:
    return _videos(request).get(path_id(request))


def _references(request: ApiRequest) -> VideoReferences:
    return VideoReferences(request.db, request.registry, request.identity.team_id)


def _load_reference(request: ApiRequest) -> Asset:
    return _references(request).get(path_id(request))


@generate_video.post(
    permission=Permission.WORK,
    body=GenerateVideoIn,
    response=OrderedVideo,
    status=202,
    refusals=(*SPENDING, ErrorCode.TOO_MANY_RUNNING),
)
def order_free_video(request: ApiRequest) -> dict[str, Any]:
    """Order a video of no project.

    Made from words and, where given, from pictures of the team; upright, 9:16. A team makes only so
    many at once. What is reserved is the most it can cost. Poll with GET on the same path.
    """
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    return {"task": order_video(request.db, request.registry, buyer, request.validated["body"])}


@generate_video.get(permission=Permission.READ, query=PollQuery, response=VideoTasks)
def poll_free_videos(request: ApiRequest) -> dict[str, Any]:
    """Ask for ordered videos.

    Answers the tasks of ``ids``; deleted and unknown ones are left out. The provider is asked by the
    server itself, a little sooner where somebody waits.
    """
    query: PollQuery = request.validated["query"]
    return {"tasks": _videos(request).ask_for(query.ids, request.settings.generation)}


@videos.get(permission=Permission.READ, query=VideoQuery, response=Page[AITaskOut])
def list_free_videos(request: ApiRequest) -> dict[str, Any]:
    """List the team's free videos, newest first."""
    query: VideoQuery = request.validated["query"]
    return envelope(request, _videos(request).page(query), query)


@video.delete(permission=Permission.WORK, subject=_load_video, status=204)
def delete_free_video(request: ApiRequest) -> None:
    """Take a video off the list.

    What it has become stays in the library, until it is deleted there. One in the making is finished,
    charged and filed all the same.
    """
    _videos(request).delete(request.validated["subject"])


@video_favorite.post(
    permission=Permission.WORK, subject=_load_video, body=FavoriteIn, response=AITaskOut, idempotent=False
)
def favor_free_video(request: ApiRequest) -> AITask:
    """Make a video a favourite, or not any more."""
    task: AITask = request.validated["subject"]
    _videos(request).favor(task, favorited=request.validated["body"].favorited)
    return task


@references.get(permission=Permission.READ, query=PageQuery, response=Page[AssetOut])
def list_video_references(request: ApiRequest) -> dict[str, Any]:
    """List the pictures kept for free videos, newest first."""
    query: PageQuery = request.validated["query"]
    return envelope(request, _references(request).page(query), query)


@references.post(
    permission=Permission.WORK,
    upload=UploadSpec(ReferenceUpload, lambda settings: settings.uploads.image_max_bytes),
    response=AssetOut,
    status=201,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def upload_video_reference(request: ApiRequest) -> Asset:
    """Keep a picture for free videos.

    An asset outside of the library, whose id goes into ``reference_ids`` or is a video's first or last
    frame. Where a model reviews pictures it is handed in by itself.
    """
    upload: ReceivedUpload = request.validated["upload"]
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=("image",))
    name = upload.fields.name.strip() or upload.filename
    return _references(request).add(stored, name=name, created_by=request.identity.user.id)


@reference_poll.post(
    permission=Permission.READ, subject=_load_reference, response=ReviewOut, idempotent=False
)
def poll_video_reference(request: ApiRequest) -> Asset:
    """Ask how the review of a kept picture stands.

    The provider is asked a little sooner. A picture that was never reviewed, because nothing backed
    reviews when it came, is handed in now.
    """
    asset: Asset = request.validated["subject"]
    _references(request).bring_forward(asset)
    return asset


@reference.delete(permission=Permission.WORK, subject=_load_reference, status=204)
def delete_video_reference(request: ApiRequest) -> None:
    """Put a kept picture into the trash.

    Videos ordered with it are finished; restored, it is kept again.
    """
    AssetTrash(request.db, request.identity.team_id).delete(request.validated["subject"])
