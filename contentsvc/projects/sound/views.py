"""The routes of voice and music."""

from __future__ import annotations

from typing import Any

from contentsvc.generation.admission import Buyer
from contentsvc.generation.models import TaskType
from contentsvc.generation.repeats import await_first, mark_of
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.projects.core.access import load_project, lock_project
from contentsvc.projects.core.read import project_document
from contentsvc.projects.core.schemas import ProjectOut
from contentsvc.projects.models import Project
from contentsvc.projects.sound.music import set_music
from contentsvc.projects.sound.orders import order_voiceover
from contentsvc.projects.sound.read import voiceover
from contentsvc.projects.sound.schemas import BgmUpload, VoiceoverIn, VoiceoverReply
from contentsvc.projects.sound.speaking import speak
from contentsvc.storage.files import MediaKind
from contentsvc.storage.ingest import ingest, largest_bytes

speaking = ApiService("project_generate_voiceover", "/api/projects/{id}/generate-voiceover/")
music = ApiService("project_upload_bgm", "/api/projects/{id}/upload-bgm/")

SERVICES = (speaking, music)

SOUND = (MediaKind.AUDIO,)


@speaking.post(
    permission=Permission.WORK,
    subject=load_project,
    body=VoiceoverIn,
    response=VoiceoverReply,
    refusals=(
        ErrorCode.CONFLICT,
        ErrorCode.NO_MODEL,
        ErrorCode.QUOTA_EXCEEDED,
        ErrorCode.TEAM_LIMIT_EXCEEDED,
        ErrorCode.MEMBER_LIMIT_EXCEEDED,
        ErrorCode.INSUFFICIENT_BALANCE,
        ErrorCode.PROVIDER_ERROR,
    ),
)
def generate_voiceover(request: ApiRequest) -> dict[str, Any]:
    """Speak texts over the film.

    Answers when all are spoken; the new items replace the old ones. Each starts where its
    segment of the adopted script starts. Where the model fails nothing is charged.
    """
    project: Project = request.validated["subject"]
    if await_first(request, TaskType.VOICEOVER, project.id):
        project = load_project(request)
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    task = order_voiceover(
        request.db,
        request.registry,
        buyer,
        project,
        request.validated["body"],
        mark=mark_of(request),
        base_url=request.base_url,
    )
    # The reply is filed with the charge: looked for again it would count as a replay.
    request.on_resume = None
    with outside_transaction(request):
        speak(request.registry, task.id)
    return {"voiceover": voiceover(request.db, project)}


@music.post(
    permission=Permission.WORK,
    subject=load_project,
    upload=UploadSpec(BgmUpload, lambda settings: largest_bytes(settings.uploads, SOUND)),
    response=ProjectOut,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def upload_music(request: ApiRequest) -> dict[str, Any]:
    """Set the background music.

    MP3, WAV, M4A, AAC or OGG; it takes the place of what the project had. The film loops it
    or cuts it.
    """
    upload: ReceivedUpload = request.validated["upload"]
    project_id = request.validated["subject"].id
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=SOUND)
    project = lock_project(request.db, project_id)
    set_music(
        request.db,
        project,
        stored,
        name=upload.filename,
        volume=upload.fields.volume,
        created_by=request.identity.user.id,
    )
    return project_document(request.db, project)
