"""The routes of scripts a model writes."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response
from sqlalchemy import select

from contentsvc.generation.admission import INLINE_KIND, Buyer, admit
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.repeats import await_first, mark_of
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.http.streaming import Peer, streams_of
from contentsvc.projects.core.access import load_project
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.read import version_document
from contentsvc.projects.scripts.rerun import rewrite
from contentsvc.projects.scripts.schemas import ScriptVersionOut
from contentsvc.projects.scripts.stream.frames import MEDIA_TYPE
from contentsvc.projects.scripts.stream.orders import ScriptOrder, ScriptOrders
from contentsvc.projects.scripts.stream.running import ScriptStream
from contentsvc.projects.scripts.stream.schemas import RerunSegmentIn, ScriptStreamIn

streaming = ApiService("project_script_stream", "/api/projects/{id}/script-agent-stream/")
rerunning = ApiService("project_rerun_script_segment", "/api/projects/{id}/rerun-script-segment/")

SERVICES = (streaming, rerunning)

SPENDING = (
    ErrorCode.NOT_FOUND,
    ErrorCode.NO_MODEL,
    ErrorCode.QUOTA_EXCEEDED,
    ErrorCode.TEAM_LIMIT_EXCEEDED,
    ErrorCode.MEMBER_LIMIT_EXCEEDED,
    ErrorCode.INSUFFICIENT_BALANCE,
)


@streaming.post(
    permission=Permission.WORK,
    subject=load_project,
    body=ScriptStreamIn,
    media_type=MEDIA_TYPE,
    refusals=(*SPENDING, ErrorCode.CONFLICT, ErrorCode.UNAVAILABLE),
)
def stream_script(request: ApiRequest) -> Response:
    """Have a script written, or rewritten, and watch.

    What can be refused is refused before the stream, as JSON. Then frames come as they are
    made, each a `data:` line with an object: `{type: "tool", name, label, status: "running" |
    "done"}`, `{type: "delta", text}` (reasoning), `{type: "draft", segments}` (so far),
    `{type: "saved", script_version}`, `{type: "done", script_version_id, charged}`, or
    `{type: "error", detail, code}`, which ends the stream and releases its credit, as
    closing the connection does. With an Idempotency-Key, a repeat of a finished stream
    answers its `saved` and `done`.
    """
    project = _project(request, TaskType.SCRIPT)
    order = ScriptOrders(request.db, request.registry, project).read(request.validated["body"])
    task = _admitted(request, project, order)
    place = streams_of(request.registry).enter()
    # The reply's own end frees the place; here, what keeps it from ever beginning.
    transaction = request.tm.get()
    transaction.addAfterCommitHook(lambda committed: None if committed else place.free())
    transaction.addAfterAbortHook(place.free)
    stream = ScriptStream(request.registry, task.id, Peer(request.environ), place)
    return Response(
        app_iter=stream,
        headerlist=[
            ("Content-Type", MEDIA_TYPE),
            ("Cache-Control", "no-store"),
            # nginx passes every frame on at once.
            ("X-Accel-Buffering", "no"),
        ],
    )


@rerunning.post(
    permission=Permission.WORK,
    subject=load_project,
    body=RerunSegmentIn,
    response=ScriptVersionOut,
    refusals=(*SPENDING, ErrorCode.PROVIDER_ERROR),
)
def rerun_segment(request: ApiRequest) -> dict[str, Any]:
    """Have one segment of the working script rewritten.

    Answers a new version, in which all the other segments are as they were.
    """
    project = _project(request, TaskType.SCRIPT_SEGMENT)
    order = ScriptOrders(request.db, request.registry, project).read_rerun(request.validated["body"])
    task = _admitted(request, project, order)
    # The reply is filed with the charge: looked for again it would count as a replay.
    request.on_resume = None
    with outside_transaction(request):
        rewrite(request.registry, task.id)
    version, project = request.db.execute(
        select(ScriptVersion, Project)
        .join(Project, Project.id == ScriptVersion.project_id)
        .where(Project.id == task.project_id, ScriptVersion.task_id == task.id)
    ).one()
    return version_document(project, version)


def _project(request: ApiRequest, task_type: TaskType) -> Project:
    project: Project = request.validated["subject"]
    if await_first(request, task_type, project.id):
        return load_project(request)
    return project


def _admitted(request: ApiRequest, project: Project, order: ScriptOrder) -> AITask:
    buyer = Buyer(team=request.identity.team, user_id=request.identity.user.id)
    plan = order.plan(project, mark_of(request))
    [task] = admit(request.db, request.registry, buyer, [plan], order.model, kind=INLINE_KIND)
    return task
