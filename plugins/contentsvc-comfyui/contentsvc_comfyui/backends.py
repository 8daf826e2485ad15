"""Pictures and clips: a workflow's slots filled, its graph queued, its file fetched."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import Capability, Context, ImageRequest, MediaRef, ProviderError, VideoRequest
from contentsvc_comfyui.files import folder_of, read_workflow
from contentsvc_comfyui.filling import fill
from contentsvc_comfyui.history import CLIPS, PICTURES, result_file, run_seconds
from contentsvc_comfyui.server import Server, job_name
from contentsvc_declared import Job, Jobs, Made, brought


class ComfyuiJobs(Jobs):
    """Orders are workflows in the queue."""

    def place(self, request: ImageRequest | VideoRequest, ctx: Context) -> Job:
        """Bring the pictures to the server, and queue the workflow."""
        server = Server(ctx)
        workflow = _workflow(ctx, request)
        file = read_workflow(folder_of(ctx.settings), workflow)
        job = job_name(ctx.idempotency_key)
        uploaded: list[str] = []

        def send(media: MediaRef) -> str:
            uploaded.append(server.upload(media, f"{job}-{len(uploaded)}"))
            return uploaded[-1]

        graph = fill(file, request, _changes(ctx), send)
        # Where an order whose reply was lost may be repeated, it must not be there already.
        if ctx.model.options.get("resubmit_safe") is not True or not server.has(job):
            job = server.order(graph.nodes, job)
        return Job(f"{workflow}/{job}", graph.seconds)

    def ask(self, job: str, ctx: Context) -> Made | None:
        """Look whether the workflow is done."""
        workflow, _, name = job.partition("/")
        server = Server(ctx)
        entry = server.outcome(name)
        if entry is None:
            return None
        endings = CLIPS if ctx.model.capability is Capability.VIDEO_GENERATION else PICTURES
        file = result_file(entry, _output(ctx, workflow), endings)
        ran = run_seconds(entry)
        return Made(
            server.link(file),
            file=file.filename,
            headers=server.headers,
            figures={} if ran is None else {"run_seconds": ran},
            ran=ran,
        )


def _changes(ctx: Context) -> dict[str, Any]:
    changes = ctx.model.options.get("set", {})
    if not isinstance(changes, dict):
        raise ProviderError("The model's options can't be used: set is no object.")
    return changes


def _workflow(ctx: Context, request: ImageRequest | VideoRequest) -> str:
    """The name of the workflow for what the order brings along: the model's own, or a variant of it."""
    variants = ctx.model.options.get("variants", {})
    if not isinstance(variants, dict):
        raise ProviderError("The model's options can't be used: variants is no object.")
    return str(variants.get(brought(request)) or ctx.model.endpoint or ctx.model.name)


def _output(ctx: Context, workflow: str) -> str:
    """The node whose file counts. The work is done: a workflow that is gone meanwhile must not spoil it."""
    try:
        return read_workflow(folder_of(ctx.settings), workflow).output
    except ProviderError:
        return ""
