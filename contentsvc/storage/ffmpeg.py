"""Video and sound through ffmpeg, as a child process with limits and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg

from contentsvc.storage import launch
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.sniffing import Format

# No progress is no excuse: half a gigabyte is copied in seconds, one frame decoded in less.
COPY_SECONDS = 300
DECODE_SECONDS = 60
# Enough to know that a sound file decodes; the rest is only copied.
CHECKED_AUDIO_SECONDS = 30
_REPORT_BYTES = 256 * 1024
_MIB = 1024 * 1024

_DEMUXER = {
    Format.MP4: "mov",
    Format.MOV: "mov",
    Format.M4A: "mov",
    Format.WEBM: "matroska",
    Format.MP3: "mp3",
    Format.WAV: "wav",
    Format.AAC: "aac",
    Format.OGG: "ogg",
}
_MUXER = {
    Format.MP4: ("mp4", "-movflags", "+faststart"),
    Format.MOV: ("mov", "-movflags", "+faststart"),
    Format.M4A: ("ipod", "-movflags", "+faststart"),
    Format.WEBM: ("webm",),
    Format.MP3: ("mp3", "-id3v2_version", "0", "-write_id3v1", "0"),
    Format.WAV: ("wav",),
    Format.AAC: ("adts",),
    Format.OGG: ("ogg",),
}
_HAS_PICTURE = frozenset({Format.MP4, Format.MOV, Format.WEBM})
# These headers tell no duration, so ffmpeg guesses it from the bit rate.
_GUESSED = frozenset({Format.MP3, Format.AAC})
_NO_METADATA = (
    *("-map_metadata", "-1", "-map_metadata:s", "-1", "-map_chapters", "-1", "-dn", "-sn"),
    *("-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"),
)

_ONE_FRAME = (
    *("-map", "0:V:0", "-frames:v", "1", "-pix_fmt", "rgb24"),
    *("-c:v", "ppm", "-f", "image2", "-update", "1"),
)

_DURATION = re.compile(r"^  Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)", re.MULTILINE)
_STREAM = re.compile(r"^  Stream #0:\d+.*?: (Video|Audio): (.*)$", re.MULTILINE)
_PROGRESS = re.compile(r"^out_time_us=(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Report:
    """What ffmpeg said of an input it has read to the end.

    ``length`` is the seconds it has written; ``duration`` those the header tells, if any.
    """

    has_video: bool
    has_audio: bool
    duration: float | None
    length: float


def copy(source: Path, media_format: Format, target: Path | None) -> Report:
    """Copy the streams, bit for bit, into a fresh container without metadata.

    Only the picture and the sound come along: no subtitles, data tracks, chapters or
    cover art. Without ``target`` the file is read and nothing written. Raises MediaRejected.
    """
    streams = ("-map", "0:V:0?", "-map", "0:a?") if media_format in _HAS_PICTURE else ("-map", "0:a:0")
    muxer, *options = _MUXER[media_format] if target else ("null",)
    where = f"file:{target}" if target else "-"
    return _run(
        source,
        media_format,
        [*streams, "-c", "copy", *_NO_METADATA, *options, "-f", muxer, where],
        seconds=COPY_SECONDS,
    )


def duration_of(report: Report, media_format: Format) -> float | None:
    """Seconds the media lasts, to the millisecond; None where nobody knows."""
    told = None if media_format in _GUESSED else report.duration
    seconds = told or report.length
    return round(seconds, 3) if seconds > 0 else None


def grab_frame(source: Path, media_format: Format, target: Path, *, at: float, max_pixels: int) -> bool:
    """Write the frame shown ``at`` seconds, upright, as a PPM file; False if none decodes."""
    try:
        _run(
            source,
            media_format,
            [*_ONE_FRAME, f"file:{target}"],
            before=["-max_pixels", str(max_pixels), "-ss", f"{at:.3f}"],
            seconds=DECODE_SECONDS,
        )
    except MediaRejected:
        return False
    return target.exists() and target.stat().st_size > 0


def check_sound(source: Path, media_format: Format) -> None:
    """Decode the beginning of a sound file. Raises MediaRejected when nothing comes out."""
    report = _run(
        source,
        media_format,
        ["-map", "0:a:0", "-f", "null", "-"],
        before=["-t", str(CHECKED_AUDIO_SECONDS)],
        seconds=DECODE_SECONDS,
    )
    if report.length <= 0:
        raise _undecodable()


def _run(
    source: Path, media_format: Format, output: Sequence[str], *, seconds: float, before: Sequence[str] = ()
) -> Report:
    """One ffmpeg over one input, whose format is forced so that no other demuxer looks at it."""
    largest = 2 * source.stat().st_size + 512 * _MIB
    command = [
        *(sys.executable, "-I", "-S", launch.__file__, str(largest), imageio_ffmpeg.get_ffmpeg_exe()),
        *("-hide_banner", "-nostdin", "-nostats", "-y", "-threads", "1", *before),
        *("-protocol_whitelist", "file", "-f", _DEMUXER[media_format], "-i", f"file:{source}"),
        *("-progress", "pipe:1", "-threads", "1", *output),
    ]
    with tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(  # noqa: S603  # no shell; names are the service's own
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise MediaRejected("The file takes too long to decode.") from error
        said.seek(0)
        text = said.read(_REPORT_BYTES).decode("utf-8", "replace")
    if done.returncode:
        raise _undecodable()
    return _parsed(text, done.stdout.decode("ascii", "replace"))


def _parsed(text: str, progress: str) -> Report:
    of_input = text.partition("\nStream mapping:")[0]
    streams = [(kind, rest) for kind, rest in _STREAM.findall(of_input) if "(attached pic)" not in rest]
    told = _DURATION.search(of_input)
    times = _PROGRESS.findall(progress)
    return Report(
        has_video=any(kind == "Video" for kind, _ in streams),
        has_audio=any(kind == "Audio" for kind, _ in streams),
        duration=int(told[1]) * 3600 + int(told[2]) * 60 + float(told[3]) if told else None,
        length=int(times[-1]) / 1_000_000 if times else 0.0,
    )


def _undecodable() -> MediaRejected:
    return MediaRejected("The file is damaged and can't be decoded.")
