"""An editor that films nothing: the provider hears what was asked, the film is a second of grey."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import imageio_ffmpeg

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
from contentsvc_fake.replies import document, media_type, raise_for


class FakeExport:
    """``POST /exports`` with the whole request; clips and sound as their length in bytes."""

    def start(self, request: ExportRequest, ctx: Context) -> Done[ExportResult]:
        ctx.progress(0.25)
        reply = ctx.http.post(
            f"{ctx.base_url}/exports",
            json=_order(request),
            headers={"Idempotency-Key": ctx.idempotency_key},
        )
        raise_for(reply, "The film could not be made.")
        if media_type(reply):
            document(reply, "film")
        path = ctx.work_dir / "film.mp4"
        path.write_bytes(_film())
        return Done(ExportResult(GeneratedFile(path), 1.0, usage=Usage(raw={"films": 1})))

    def poll(self, job_id: str, _ctx: Context) -> Pending:
        raise ProviderError(f"Nothing was accepted for later under {job_id}.")


def _order(request: ExportRequest) -> dict[str, Any]:
    music = request.music
    return {
        "size": [request.width, request.height],
        "clips": [
            {
                "bytes": clip.media.size_bytes,
                "trim": [clip.trim_start, clip.trim_end],
                "volume": clip.volume,
                "transition": [clip.transition.value, clip.transition_seconds],
            }
            for clip in request.clips
        ],
        "subtitles": [[line.text, line.start, line.end] for line in request.subtitles],
        "font_size": request.subtitle_style.font_size,
        "position": request.subtitle_style.position,
        "narration": [[piece.media.media_type, piece.start] for piece in request.narration],
        "narration_volume": request.narration_volume,
        "music": None
        if music is None
        else {"volume": music.volume, "fades": [music.fade_in, music.fade_out]},
    }


@functools.cache
def _film() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        source = ["-f", "lavfi", "-i", "color=gray:size=36x64:rate=5:duration=1"]
        program = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-nostdin", *source]
        subprocess.run([*program, "-pix_fmt", "yuv420p", str(path)], check=True)
        return path.read_bytes()
