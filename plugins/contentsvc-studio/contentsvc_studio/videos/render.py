"""Renders one clip: ``python -P render.py FOLDER``.

A script of its own that imports nothing of the package, so that it starts quickly and
outlives whoever started it. It reads ``job.json``, writes ``progress`` and then either
``clip.mp4`` with ``done.json`` or ``failed.json``. While it works it holds a lock on
``lock``; a second one on the same folder ends at once. As many clips as the machine has
processors are rendered at a time, the others wait.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

FPS = 24
SWAY = 0.0016
LIGHT = (255, 240, 214)
STALLED_SECONDS = 120.0
NICENESS = 5


def main(folder: Path, lock: int) -> int:
    """Render the job of a folder. ``lock`` is the descriptor of its locked file, which whoever
    starts a renderer hands over: the job is never without one while the renderer gets going."""
    with open(lock, "w"):
        # Whoever answers customers on this machine comes first.
        os.nice(NICENESS)
        with slot(folder.parent):
            try:
                seconds = render(folder)
            except Exception as error:
                write(folder / "failed.json", {"error": f"{type(error).__name__}: {error}"})
                raise
        write(folder / "done.json", {"seconds": seconds})
    return 0


def locked(file: IO[str]) -> bool:
    """Whether this process got the lock, without waiting."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def slot(root: Path) -> IO[str]:
    """One of the machine's places to render in; waits for one. Closing it gives it back."""
    while True:
        for number in range(os.cpu_count() or 1):
            file = (root / f"slot-{number}").open("w")
            if locked(file):
                return file
            file.close()
        time.sleep(0.1)


def write(path: Path, document: dict[str, Any]) -> None:
    """Write JSON so that readers see all of it or nothing."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document))
    part.replace(path)


def render(folder: Path) -> float:
    """Make ``clip.mp4``; its length in seconds."""
    from PIL import Image

    job = json.loads((folder / "job.json").read_text())
    width, height, frames = int(job["width"]), int(job["height"]), int(job["frames"])
    first = Image.open(folder / "first.jpg").convert("RGB")
    last = Image.open(folder / "last.jpg").convert("RGB") if job["has_last"] else None
    glow = glow_mask(width, height)
    part = folder / "part.mp4"
    encoder = subprocess.Popen(  # noqa: S603 - the wheel's ffmpeg on our own frames
        encoder_command(job["ffmpeg"], width, height, part), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        if encoder.stdin is None:
            raise RuntimeError("the encoder has no input")
        for at in range(frames):
            t = at / max(1, frames - 1)
            picture = framed(first, (width, height), job["move"], t, at / FPS, frames / FPS)
            if last is not None and t > 0.6:
                other = framed(last, (width, height), job["move"], t, at / FPS, frames / FPS)
                picture = Image.blend(picture, other, smooth((t - 0.6) / 0.4))
            lit(picture, glow, t, job["light"])
            encoder.stdin.write(picture.tobytes())
            if at % 6 == 0:
                (folder / "progress").write_text(f"{at / frames:.3f}")
        encoder.stdin.close()
        if encoder.wait(timeout=STALLED_SECONDS):
            raise RuntimeError(f"the encoder ended with {encoder.returncode}")
    finally:
        if encoder.poll() is None:
            encoder.kill()
            encoder.wait()
    part.replace(folder / "clip.mp4")
    return frames / FPS


def encoder_command(ffmpeg: str, width: int, height: int, target: Path) -> list[str]:
    """ffmpeg reading raw frames, writing H.264 without sound."""
    return [
        ffmpeg, "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
        "-r", str(FPS), "-i", "-", "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-threads", "1", "-g", str(2 * FPS),
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact",
        "-movflags", "+faststart", str(target),
    ]  # fmt: skip


def smooth(t: float) -> float:
    """From 0 to 1 with soft ends."""
    t = min(1.0, max(0.0, t))
    return t * t * (3 - 2 * t)


def travelled(t: float, seconds: float) -> float:
    """How far along its way the camera is, 0 to 1. Long takes go there and back."""
    turns = max(1, round(seconds / 10))
    if turns > 1:
        return 0.5 - 0.5 * math.cos(math.pi * turns * t)
    # Soft ends, but never standing still: a still frame would look like a fault.
    return 0.75 * t + 0.25 * smooth(t)


def window(
    move: str, t: float, now: float, seconds: float, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """The part of the source picture that the camera sees: left, top, right, bottom."""
    way = travelled(t, seconds)
    zoom, x, y = {
        "in": (1.0 + 0.16 * way, 0.5, 0.5 - 0.06 * way),
        "out": (1.17 - 0.16 * way, 0.5, 0.44 + 0.06 * way),
        "right": (1.15, 0.06 + 0.88 * way, 0.5),
        "left": (1.15, 0.94 - 0.88 * way, 0.5),
        "up": (1.15, 0.5, 0.94 - 0.88 * way),
        "down": (1.15, 0.5, 0.06 + 0.88 * way),
        "drift": (1.06 + 0.10 * way, 0.2 + 0.6 * way, 0.62 - 0.24 * way),
        "drift-back": (1.16 - 0.10 * way, 0.8 - 0.6 * way, 0.38 + 0.24 * way),
    }[move]
    # The slight sway of a camera that somebody holds.
    zoom += SWAY * (4 + 2.5 * math.sin(now * 0.9))
    x += SWAY * 18 * math.sin(now * 1.1)
    y += SWAY * 14 * math.sin(now * 0.83 + 1.2)
    across, down = size[0] / zoom, size[1] / zoom
    left = min(max(0.0, x), 1.0) * (size[0] - across)
    top = min(max(0.0, y), 1.0) * (size[1] - down)
    return left, top, left + across, top + down


def framed(
    picture: Image.Image, size: tuple[int, int], move: str, t: float, now: float, seconds: float
) -> Image.Image:
    """One frame: the window, resampled with fractions of pixels, so that nothing trembles."""
    from PIL import Image

    return picture.resize(size, Image.Resampling.BICUBIC, box=window(move, t, now, seconds, picture.size))


def glow_mask(width: int, height: int) -> Image.Image:
    """A soft round light, twice as wide as the frame."""
    from PIL import Image, ImageChops

    spot = ImageChops.invert(Image.radial_gradient("L")).point(
        [round(70 * smooth(max(0.0, value / 255 - 0.29) / 0.71)) for value in range(256)]
    )
    return spot.resize((2 * width, round(1.2 * height)), Image.Resampling.BICUBIC)


def lit(picture: Image.Image, glow: Image.Image, t: float, side: int) -> None:
    """Light that wanders over the picture from one side (1) or the other (-1)."""
    way = t if side > 0 else 1 - t
    left = round(picture.width * (-1.15 + 1.3 * way))
    top = round(picture.height * (-0.42 + 0.1 * way))
    picture.paste(LIGHT, (left, top, left + glow.width, top + glow.height), glow)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2])))
