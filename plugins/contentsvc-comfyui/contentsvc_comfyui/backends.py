"""Pictures and clips: a workflow's slots filled, its graph queued, its file fetched."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    MediaRef,
    Pending,
    ProviderError,
    Usage,
    VideoRequest,
    VideoResult,
)
from contentsvc_comfyui.files import folder_of, read_workflow
from contentsvc_comfyui.filling import fill
from contentsvc_comfyui.history import CLIPS, PICTURES, result_file, run_seconds
from contentsvc_comfyui.server import Server, job_name
from contentsvc_declared import job_id, read_job_id

_LONGEST_SECONDS: Final = 24 * 60 * 60


class _Workflows:
    """What pictures and clips have in common."""

    def _ordered(self, request: ImageRequest | VideoRequest, ctx: Context) -> Accepted:
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
        return Accepted(job_id(f"{workflow}/{job}", graph.seconds))

    def _made(self, job: str, ctx: Context, stem: str, endings: frozenset[str]) -> tuple[Path, Usage] | None:
        full_name, seconds = read_job_id(job)
        workflow, _, name = full_name.partition("/")
        server = Server(ctx)
        entry = server.outcome(name)
        if entry is None:
            return None
        file = result_file(entry, _output(ctx, workflow), endings)
        path = ctx.download(server.link(file), name=f"{stem}{file.suffix}", headers=server.headers)
        return path, _usage(ctx, seconds, run_seconds(entry))


class ComfyuiImages(_Workflows):
    """``image_generation`` and ``image_edit``."""

    def start(self, request: ImageRequest, ctx: Context) -> Accepted:
        """Bring the references to the server, and queue the workflow."""
        return self._ordered(request, ctx)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        """Look whether the picture is there."""
        made = self._made(job_id, ctx, "picture", PICTURES)
        if made is None:
            return Pending()
        path, usage = made
        return Done(ImageResult(GeneratedFile(path), usage))


class ComfyuiVideos(_Workflows):
    """``video_generation``."""

    def start(self, request: VideoRequest, ctx: Context) -> Accepted:
        """Bring the pictures to the server, and queue the workflow."""
        return self._ordered(request, ctx)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[VideoResult]:
        """Look whether the clip is there."""
        made = self._made(job_id, ctx, "clip", CLIPS)
        if made is None:
            return Pending()
        path, usage = made
        return Done(VideoResult(GeneratedFile(path), usage))


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
    brought = ""
    if isinstance(request, VideoRequest) and request.first_frame is not None:
        brought = "first_frame"
    elif request.references:
        brought = "references"
    return str(variants.get(brought) or ctx.model.endpoint or ctx.model.name)


def _output(ctx: Context, workflow: str) -> str:
    """The node whose file counts. The work is done: a workflow that is gone meanwhile must not spoil it."""
    try:
        return read_workflow(folder_of(ctx.settings), workflow).output
    except ProviderError:
        return ""


def _usage(ctx: Context, seconds: float | None, ran: float | None) -> Usage:
    """Seconds are those of the clip that was ordered; where none were, those the workflow ran."""
    raw = {"ordered_seconds": seconds, "run_seconds": ran}
    raw = {name: figure for name, figure in raw.items() if figure is not None}
    counted = ran if seconds is None else seconds
    if ctx.model.billing_unit is not BillingUnit.SECOND or counted is None or counted > _LONGEST_SECONDS:
        return Usage(raw=raw)
    return Usage(Decimal(str(round(counted, 3))), raw)
