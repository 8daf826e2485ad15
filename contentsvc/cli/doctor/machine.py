"""What the doctor looks at on the machine itself: folders, their disks, ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import imageio_ffmpeg

from contentsvc.cli.doctor.findings import Finding, fail, ok, warn
from contentsvc.settings import Settings

GIB: Final = 1024**3
LOW_BYTES: Final = 5 * GIB
VERSION_SECONDS: Final = 20


def folders(settings: Settings) -> Iterator[Finding]:
    """Whether the service's folders can be written to, and have room for an upload."""
    temporary = settings.uploads.temp_dir or Path(tempfile.gettempdir())
    named = {"var_dir": settings.var_dir, "temp": temporary}
    if settings.storage.backend == "local" and settings.storage.root is not None:
        named["storage.root"] = settings.storage.root
    for name, folder in named.items():
        yield _folder(name, folder, settings.uploads.video_max_bytes)


def _folder(name: str, folder: Path, upload_bytes: int) -> Finding:
    # Made by whoever starts the service: made here, it might belong to another user.
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not _is_writable(there):
        return fail(
            name, f"{folder} can't be written to", "give the folder to the user that runs the service"
        )
    free = shutil.disk_usage(there).free
    state = "is writable" if there == folder else "will be made at the start"
    text = f"{folder} {state}, {free / GIB:.1f} GiB free"
    if free < upload_bytes:
        return fail(name, text, "make room: the largest upload (uploads.video_max_bytes) does not fit")
    if free < LOW_BYTES:
        return warn(name, text, "make room: uploads, films and the database share what is left")
    return ok(name, text)


def _is_writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def ffmpeg() -> Iterator[Finding]:
    """Whether uploads of video and sound can be looked at; films are their plugin's business."""
    try:
        binary = imageio_ffmpeg.get_ffmpeg_exe()
        done = subprocess.run(  # noqa: S603  # the wheel's program, no arguments of anybody else's
            [binary, "-version"], capture_output=True, text=True, timeout=VERSION_SECONDS, check=True
        )
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        yield fail(
            "ffmpeg",
            f"video and sound can't be taken in: {type(error).__name__}",
            "install the requirements anew: the wheel imageio-ffmpeg brings an ffmpeg",
        )
        return
    yield ok("ffmpeg", " ".join(done.stdout.split()[:3]))
