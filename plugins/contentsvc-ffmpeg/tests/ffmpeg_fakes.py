"""Stand-ins for what the service hands to the backend, and clips and sounds made on the spot."""

from __future__ import annotations

import functools
import io
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import imageio_ffmpeg
from PIL import Image

from contentsvc.plugin import ExportClip, ExportRequest, ExportResult
from contentsvc_ffmpeg.backend import FfmpegExport

WIDTH, HEIGHT = 108, 192
RED, BLUE = "0xC02020", "0x2020C0"


@dataclass
class FakeMedia:
    data: bytes | None
    media_type: str = "video/mp4"
    width: int | None = None
    height: int | None = None
    public_url: str | None = None
    handles: dict[str, str] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        return len(self.data or b"")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes; without any, the error of a storage that can't be reached."""
        if self.data is None:
            raise ConnectionError("the storage is away")
        with io.BytesIO(self.data) as stream:
            yield stream


@dataclass
class FakeContext:
    work_dir: Path
    settings: dict[str, str] = field(default_factory=dict)
    stop: Callable[[FakeContext], bool] = lambda _: False
    reported: list[float] = field(default_factory=list)

    @property
    def cancelled(self) -> bool:
        return self.stop(self)

    def progress(self, fraction: float) -> None:
        self.reported.append(fraction)


def ffmpeg(*arguments: str) -> str:
    """Run the wheel's ffmpeg and return what it said; raises when it fails."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostdin", "-nostats", "-y", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr


@functools.cache
def _made(extension: str, *arguments: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{extension}"
        ffmpeg(*arguments, str(path))
        return path.read_bytes()


def clip(
    color: str = RED, *, seconds: float = 1.0, rate: int = 24, size: str = f"{WIDTH}x{HEIGHT}", tone: int = 0
) -> FakeMedia:
    """A clip of one colour; ``tone`` in hertz, 0 for a clip without sound."""
    picture = ("-f", "lavfi", "-i", f"color={color}:size={size}:rate={rate}:duration={seconds}")
    sound = ("-f", "lavfi", "-i", f"sine={tone}:duration={seconds}") if tone else ()
    coded = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    return FakeMedia(_made("mp4", *picture, *sound, *coded))


def counter(seconds: float = 2.0) -> FakeMedia:
    """A clip that brightens from black to white as it runs: its light tells the time."""
    light = f"geq=lum='255*T/{seconds}':cb=128:cr=128"
    source = f"color=black:size={WIDTH}x{HEIGHT}:rate=24:duration={seconds},{light}"
    coded = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    return FakeMedia(_made("mp4", "-f", "lavfi", "-i", source, *coded))


def tone(hertz: int = 440, *, seconds: float = 1.0, volume: float = 1.0) -> FakeMedia:
    """A tone as a WAV file."""
    return sound(f"sine={hertz}:duration={seconds},volume={volume}")


def sound(source: str) -> FakeMedia:
    """What an audio source of ffmpeg yields, as a WAV file."""
    return FakeMedia(_made("wav", "-f", "lavfi", "-i", source), "audio/wav")


def order(*clips: ExportClip, **changes: Any) -> ExportRequest:
    return ExportRequest(clips=clips, **{"width": WIDTH, "height": HEIGHT, **changes})


def export(request: ExportRequest, folder: Path, **context: Any) -> ExportResult:
    """The finished film; the folder is the order's work folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return run(request, FakeContext(folder, **context))


def run(request: ExportRequest, context: Any) -> ExportResult:
    return FfmpegExport().start(request, context).result


def seconds_of(path: Path) -> float:
    """Length of a film as its header tells it."""
    found = re.search(
        r"Duration: (\d+):(\d+):([\d.]+)", ffmpeg("-i", str(path), "-c", "copy", "-f", "null", "-")
    )
    assert found
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])


def report_of(path: Path) -> str:
    """What ffmpeg says of a file's streams."""
    return ffmpeg("-i", str(path), "-c", "copy", "-f", "null", "-").partition("Stream mapping:")[0]


def frame(path: Path, at: float) -> Image.Image:
    """The picture shown at a second of the film."""
    with TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        ffmpeg("-ss", f"{at:.3f}", "-i", str(path), "-frames:v", "1", "-update", "1", str(shot))
        with Image.open(shot) as picture:
            return picture.convert("RGB")


def pixel(path: Path, at: float, x: float = 0.5, y: float = 0.5) -> tuple[int, int, int]:
    """The colour at a place (shares of the size) and second of the film."""
    picture = frame(path, at)
    found: Any = picture.getpixel((int(picture.width * x), int(picture.height * y)))
    return found


def loudness(path: Path, *filters: str, start: float = 0.0, seconds: float = 3600.0) -> float:
    """Integrated loudness in LUFS of (a part of) a file, after filters."""
    chain = ",".join([*filters, "ebur128=framelog=quiet"])
    cut = ("-ss", f"{start}", "-t", f"{seconds}")
    said = ffmpeg(*cut, "-i", str(path), "-vn", "-af", chain, "-f", "null", "-")
    return float(re.findall(r"I:\s+(-?[\d.]+) LUFS", said)[-1])


def peak(path: Path) -> float:
    """The true peak of a file in dBFS."""
    said = ffmpeg("-i", str(path), "-vn", "-af", "ebur128=framelog=quiet:peak=true", "-f", "null", "-")
    return float(re.findall(r"Peak:\s+(-?[\d.]+) dBFS", said)[-1])
