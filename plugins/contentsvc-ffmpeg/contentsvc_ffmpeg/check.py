"""Whether this machine's ffmpeg can make films: it encodes five frames with subtitles."""

from __future__ import annotations

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_ffmpeg.run import Ffmpeg, FfmpegFailed, find_binary

SECONDS = 10.0
_SUBTITLES = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\n\n[Events]\n"


def check(ctx: CheckContext) -> str:
    """What was found; ProviderError where there is no ffmpeg, or it lacks libass or libx264."""
    ffmpeg = Ffmpeg(find_binary(ctx.settings.get("binary", "")), ctx.work_dir, SECONDS, lambda: False)
    (ctx.work_dir / "check.ass").write_text(_SUBTITLES, encoding="utf-8")
    source = ("-f", "lavfi", "-i", "color=black:size=64x64:rate=25:duration=0.2")
    try:
        ffmpeg.run([*source, "-vf", "ass=check.ass", "-c:v", "libx264", "check.mp4"])
    except FfmpegFailed as error:
        raise ProviderError("This ffmpeg lacks libass or libx264; it could not make a film.") from error
    except OSError as error:
        raise ProviderError("The ffmpeg that is set up can't be run.") from error
    return "ffmpeg is here, with libass and libx264: it has just made a film of five frames."
