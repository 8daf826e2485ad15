"""What ffmpeg can say of a file before it is used: no ffprobe comes with the wheel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from contentsvc_ffmpeg.run import Ffmpeg, FfmpegFailed

# Containers the service stores; nothing else is looked at, and nothing but files is opened.
GUARDED = ("-protocol_whitelist", "file", "-format_whitelist", "mov,matroska,webm,mp3,wav,aac,ogg")

_STREAM = re.compile(r"^  Stream #0:\d+.*?: (Video|Audio): (.*)$", re.MULTILINE)
_SIZE = re.compile(r"\b([1-9]\d{0,5})x([1-9]\d{0,5})\b")
_PIXEL_SHAPE = re.compile(r"\bSAR (\d+):(\d+)")
_TURN = re.compile(r"rotation of (-?\d+(?:\.\d+)?) degrees")
_DURATION = re.compile(r"^  Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)", re.MULTILINE)
_TIME_BASE = re.compile(r"^#tb 0: (\d+)/(\d+)$")


@dataclass(frozen=True, slots=True)
class Facts:
    """A clip that can be read: seconds and frames of its picture, the shape it is shown in
    (width over height), whether it has sound, and the seconds until that ends as well."""

    seconds: float
    rate: float
    shape: float
    has_sound: bool
    lasts: float


def probe_clip(ffmpeg: Ffmpeg, name: str) -> Facts | None:
    """Facts of a clip in the order's folder; None where no picture can be decoded.

    Reads all packets, because a header may promise more than is there, and may count
    sound that outlasts the picture; decodes only the first picture.
    """
    packets = f"{name}.packets"
    try:
        said = ffmpeg.run(
            [
                *("-skip_frame", "nokey", *GUARDED, "-i", f"file:{name}"),
                *("-map", "0:V:0", "-c", "copy", "-f", "framecrc", f"file:{packets}"),
                *("-map", "0:V:0", "-frames:v", "1", "-abort_on", "empty_output_stream", "-f", "null", "-"),
            ]
        )
    except FfmpegFailed:
        return None
    with (ffmpeg.folder / packets).open(encoding="ascii", errors="replace") as lines:
        seconds, frames = length_of(lines)
    if seconds <= 0:
        return None
    shape, has_sound = read_report(said)
    return Facts(seconds, frames / seconds, shape, has_sound, max(seconds, told_seconds(said)))


def probe_sound(ffmpeg: Ffmpeg, name: str) -> bool:
    """Whether the file's sound can be decoded."""
    decode = ["-map", "0:a:0", "-frames:a", "1", "-abort_on", "empty_output_stream", "-f", "null", "-"]
    try:
        ffmpeg.run([*GUARDED, "-i", f"file:{name}", *decode])
    except FfmpegFailed:
        return False
    return True


def told_seconds(said: str) -> float:
    """How long the file lasts by its header, 0 where it doesn't tell."""
    told = _DURATION.search(said.partition("\nStream mapping:")[0])
    return int(told[1]) * 3600 + int(told[2]) * 60 + float(told[3]) if told else 0.0


def length_of(packets: Iterable[str]) -> tuple[float, int]:
    """Seconds until the last picture ends, and the number of pictures, of a framecrc report."""
    unit, end, count = Fraction(0), 0, 0
    for line in packets:
        if told := _TIME_BASE.match(line.strip()):
            unit = Fraction(int(told[1]), int(told[2]))
        elif not line.startswith("#"):
            fields = [field.strip() for field in line.split(",")]
            if len(fields) > 3:
                end, count = max(end, int(fields[2]) + int(fields[3])), count + 1
    return float(end * unit), count


def read_report(said: str) -> tuple[float, bool]:
    """The shape of the picture as it is shown, and whether there is sound, of ffmpeg's report.

    An unknown size counts as square: the picture is then fitted by the filters, which know it.
    """
    of_input = said.partition("\nStream mapping:")[0]
    streams = [(kind, rest) for kind, rest in _STREAM.findall(of_input) if "(attached pic)" not in rest]
    picture = next((rest for kind, rest in streams if kind == "Video"), "")
    has_sound = any(kind == "Audio" for kind, _ in streams)
    size = _SIZE.search(picture)
    if size is None:
        return 1.0, has_sound
    shape = int(size[1]) / int(size[2])
    pixel = _PIXEL_SHAPE.search(picture)
    if pixel and int(pixel[1]) and int(pixel[2]):
        shape *= int(pixel[1]) / int(pixel[2])
    turn = _TURN.search(of_input)
    if turn and round(float(turn[1])) % 180 == 90:
        shape = 1 / shape
    return shape, has_sound
