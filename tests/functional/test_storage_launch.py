"""Child processes of the media code: they end with their parent, in time, and within limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from contentsvc.storage import ffmpeg, launch
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.sniffing import Format
from tests.functional.storages import Intake
from tests.media_samples import video

LAUNCH = [sys.executable, "-I", "-S", launch.__file__]


def test_child_dies_with_its_parent() -> None:
    child = [*LAUNCH, "1000000", "/bin/sh", "-c", "echo $$; exec sleep 60"]
    source = f"import subprocess; subprocess.run({child!r})"
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        process.wait(timeout=10)
    assert not process.is_running()


def test_child_cannot_fill_the_disk(tmp_path: Path) -> None:
    target = tmp_path / "full"
    command = [*LAUNCH, "1000", "/bin/sh", "-c", f"head -c 100000 /dev/zero > {target}"]
    assert subprocess.run(command, check=False, capture_output=True).returncode != 0
    assert target.stat().st_size <= 1000


def test_file_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ffmpeg, "COPY_SECONDS", 0.001)
    with pytest.raises(MediaRejected, match="too long"):
        Intake(tmp_path).take(video("mp4"))


def test_playlist_dressed_as_a_video_opens_nothing(tmp_path: Path) -> None:
    playlist = tmp_path / "list.mp4"
    playlist.write_bytes(b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    with pytest.raises(MediaRejected):
        ffmpeg.copy(playlist, Format.MP4, tmp_path / "out")


def test_storage_keeps_no_path_of_a_client(tmp_path: Path) -> None:
    intake = Intake(tmp_path)
    stored = intake.take(video("mp4"), "../../../etc/cron.d/x.mp4")
    paths = {path.relative_to(intake.root).as_posix() for path in intake.files()}
    assert paths == {f"{f.key[:2]}/{f.key[2:4]}/{f.key}" for f in stored.files}
