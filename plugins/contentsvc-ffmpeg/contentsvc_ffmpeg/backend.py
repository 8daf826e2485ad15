"""The export backend: gather the files, make the sound, burn in subtitles, render the film."""

from __future__ import annotations

from decimal import Decimal

from contentsvc.plugin import (
    Context,
    Done,
    ExportRequest,
    ExportResult,
    GeneratedFile,
    Pending,
    ProviderError,
    Usage,
)
from contentsvc_ffmpeg.material import gather
from contentsvc_ffmpeg.picture import make_film, prepare_subtitles
from contentsvc_ffmpeg.run import Ffmpeg, FfmpegFailed, find_binary
from contentsvc_ffmpeg.soundtrack import make_soundtrack

STALL_SECONDS = 60.0
# Shares of the progress bar at which the files and the sound are ready.
_GATHERED, _SOUNDED = 0.06, 0.14


class FfmpegExport:
    """Makes one film per request. Everything it writes is in the order's work folder."""

    def start(self, request: ExportRequest, ctx: Context) -> Done[ExportResult]:
        """Make the film; ProviderError where no clip, or a voice or music file, can be read,
        where ffmpeg fails or hangs, and once the order is cancelled."""
        ffmpeg = Ffmpeg(
            find_binary(ctx.settings.get("binary", "")),
            ctx.work_dir,
            stall_seconds=_number(ctx, "stall_seconds") or STALL_SECONDS,
            cancelled=lambda: ctx.cancelled,
        )
        try:
            return Done(_make(request, ctx, ffmpeg, threads=int(_number(ctx, "threads"))))
        except FfmpegFailed as error:
            raise ProviderError("The film could not be made from these clips.") from error

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ExportResult]:  # noqa: ARG002 - the protocol's names
        """The export finishes at once and never hands out jobs."""
        raise ProviderError("The export has no work that could be asked for later.")


def _make(request: ExportRequest, ctx: Context, ffmpeg: Ffmpeg, *, threads: int) -> ExportResult:
    material = gather(request, ctx, ffmpeg, share=_GATHERED)
    seconds = round(material.film.seconds, 3)
    loudness = make_soundtrack(
        request, material, ffmpeg, lambda share: ctx.progress(_GATHERED + share * (_SOUNDED - _GATHERED))
    )
    subtitles, omitted = prepare_subtitles(
        request, material.film.seconds, ctx.work_dir, ctx.settings.get("font", "")
    )
    path = make_film(
        request,
        material,
        ffmpeg,
        subtitles=subtitles,
        threads=threads,
        on_share=lambda share: ctx.progress(_SOUNDED + share * (1 - _SOUNDED)),
    )
    ctx.progress(1.0)
    notes = {
        "generator": "ffmpeg-export",
        "frames_per_second": material.film.rate,
        "loudness_lufs": loudness,
        "subtitles_omitted": omitted,
    }
    return ExportResult(
        GeneratedFile(path, notes),
        duration_seconds=seconds,
        skipped=material.skipped(len(request.clips)),
        usage=Usage(Decimal(1), {"exports": 1, "seconds": seconds}),
    )


def _number(ctx: Context, name: str) -> float:
    """A setting as a number, 0 where it is empty. ProviderError where it is anything else."""
    try:
        return max(0.0, float(ctx.settings.get(name) or 0))
    except ValueError as error:
        raise ProviderError(f"The setting {name} of the export is not a number.") from error
