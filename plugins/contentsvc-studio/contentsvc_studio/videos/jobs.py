"""The folder of jobs: one subfolder a clip, rendered by a process that nobody waits for."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import imageio_ffmpeg
from PIL import Image

from contentsvc.plugin import ProviderError
from contentsvc_studio.videos import render

_ID = re.compile(r"clip-[0-9a-f]{32}")
MOST_STARTS = 4
# A poll whose result was lost may ask again; after that the folder is only in the way.
KEPT_DELIVERED, KEPT_UNCLAIMED, SWEPT_EVERY = 15 * 60, 24 * 3600, 60
_ENVIRONMENT = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "LD_LIBRARY_PATH")
# The child of a child belongs to nobody, so that no worker has to wait for it.
_DETACHED = "import os,sys; os.fork() and os._exit(0); os.setsid(); os.execv(sys.executable, sys.argv[1:])"


@dataclass(frozen=True, slots=True)
class Job:
    """One clip's folder."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def clip(self) -> Path:
        return self.folder / "clip.mp4"

    def document(self) -> dict[str, Any]:
        """What was ordered."""
        document: dict[str, Any] = json.loads((self.folder / "job.json").read_text())
        return document

    def progress(self) -> float:
        try:
            return float((self.folder / "progress").read_text())
        except (OSError, ValueError):
            return 0.0

    def is_done(self) -> bool:
        return (self.folder / "done.json").exists()

    def error(self) -> str:
        """Why rendering failed, for the log; empty where it didn't."""
        try:
            return str(json.loads((self.folder / "failed.json").read_text())["error"])
        except (OSError, ValueError, KeyError):
            return ""

    def deliver(self, target: Path) -> None:
        """Copy the clip out; the folder goes some minutes later."""
        shutil.copyfile(self.clip, target)
        (self.folder / "delivered").touch()

    def ensure_running(self) -> None:
        """Start the renderer, again if it has died; ProviderError when that is no use."""
        with (self.folder / "lock").open("w") as lock:
            if not render.locked(lock) or self.is_done():
                return
            starts = self.folder / "starts"
            count = len(starts.read_bytes()) if starts.exists() else 0
            if count >= MOST_STARTS:
                raise ProviderError("The clip couldn't be rendered; its renderer ended early several times.")
            with starts.open("ab") as file:
                file.write(b".")
            self._start(lock.fileno())

    def _start(self, lock: int) -> None:
        command = [sys.executable, "-P", str(Path(render.__file__)), str(self.folder), str(lock)]
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        with (self.folder / "log").open("ab") as log:
            subprocess.run(  # noqa: S603 - our own script on our own folder
                [sys.executable, "-I", "-S", "-c", _DETACHED, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                pass_fds=(lock,),
                check=True,
                timeout=30,
            )


class Jobs:
    """All jobs below a folder; ``setting`` is the operator's, empty for the system's own."""

    def __init__(self, setting: str) -> None:
        self.root = (
            Path(setting) if setting else Path(tempfile.gettempdir()) / f"contentsvc-studio-{os.getuid()}"
        )
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Everybody can write to the system's folder, and a job names the program that is run.
        if not setting and self.root.stat().st_uid != os.getuid():
            raise ProviderError("Studio's folder for clips belongs to somebody else; set work_dir.")

    def find(self, job_id: str) -> Job:
        """The job; ProviderError for a name that isn't known (any more)."""
        folder = self.root / job_id
        if not _ID.fullmatch(job_id) or not (folder / "job.json").exists():
            raise ProviderError(
                "Studio knows no clip of that name; it may have been made on another machine."
            )
        return Job(folder)

    def create(self, key: str, document: dict[str, Any], first: Image.Image, last: Image.Image | None) -> Job:
        """The job of an order; the same ``key`` and order give the same one."""
        name = hashlib.sha256(f"{key}\0{json.dumps(document, sort_keys=True)}".encode()).hexdigest()[:32]
        folder = self.root / f"clip-{name}"
        if (folder / "job.json").exists():
            return Job(folder)
        folder.mkdir(mode=0o700, exist_ok=True)
        first.save(folder / "first.jpg", "JPEG", quality=95, subsampling=0)
        if last is not None:
            last.save(folder / "last.jpg", "JPEG", quality=95, subsampling=0)
        complete = {**document, "has_last": last is not None, "ffmpeg": imageio_ffmpeg.get_ffmpeg_exe()}
        render.write(folder / "job.json", complete)
        return Job(folder)

    def sweep(self) -> None:
        """Remove what was delivered or forgotten; at most once a minute."""
        stamp, now = self.root / "swept", time.time()
        if stamp.exists() and now - stamp.stat().st_mtime < SWEPT_EVERY:
            return
        stamp.touch()
        for folder in self.root.glob("clip-*"):
            if _is_over(folder, now):
                shutil.rmtree(folder, ignore_errors=True)


def _is_over(folder: Path, now: float) -> bool:
    try:
        delivered = folder / "delivered"
        if delivered.exists():
            return now - delivered.stat().st_mtime > KEPT_DELIVERED
        return now - folder.stat().st_mtime > KEPT_UNCLAIMED
    except OSError:
        # Another process sweeps at the same moment.
        return False
