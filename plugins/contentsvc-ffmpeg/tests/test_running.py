"""ffmpeg as a child: progress, hanging, cancelling, dying."""

import os
import subprocess
import sys
import time
from pathlib import Path

import ffmpeg_fakes as fakes
import pytest

from contentsvc.plugin import ExportClip, ProviderError
from contentsvc_ffmpeg.run import Ffmpeg, FfmpegFailed, find_binary

FILM = fakes.order(ExportClip(fakes.clip(seconds=2)))


def script(folder: Path, *lines: str) -> str:
    """A program that stands in for ffmpeg."""
    path = folder / "stand-in"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o700)
    return str(path)


def runner(binary: str, folder: Path, *, stall_seconds: float = 60.0, cancelled: bool = False) -> Ffmpeg:
    return Ffmpeg(binary, folder, stall_seconds, lambda: cancelled)


def test_progress_comes_from_the_start_to_the_end_and_never_falls(tmp_path: Path) -> None:
    context = fakes.FakeContext(tmp_path)
    fakes.run(FILM, context)
    assert context.reported[0] == 0.0
    assert context.reported[-1] == 1.0
    assert context.reported == sorted(context.reported)
    assert len(set(context.reported)) >= 4


def test_the_seconds_written_are_told_as_they_grow(tmp_path: Path) -> None:
    binary = script(
        tmp_path, "printf 'frame=1\\nout_time_us=N/A\\nout_time_us=500000\\n'", "echo out_time_us=1000000"
    )
    told: list[float] = []
    runner(binary, tmp_path).run([], told.append)
    assert told == [0.5, 1.0]


def test_a_hanging_ffmpeg_is_killed(tmp_path: Path) -> None:
    binary = script(tmp_path, f"echo $$ > {tmp_path}/pid", "echo out_time_us=1", "exec sleep 600")
    with pytest.raises(ProviderError, match="no progress"):
        runner(binary, tmp_path, stall_seconds=0.5).run([])
    assert not alive(int((tmp_path / "pid").read_text()))


def test_reports_that_only_repeat_themselves_are_no_progress(tmp_path: Path) -> None:
    binary = script(tmp_path, "while :; do echo out_time_us=1; echo speed=$((n=n+1)); sleep 0.1; done")
    began = time.monotonic()
    with pytest.raises(ProviderError, match="no progress"):
        runner(binary, tmp_path, stall_seconds=0.6).run([])
    assert time.monotonic() - began < 10


def test_an_ffmpeg_that_closes_its_report_and_stays_is_killed(tmp_path: Path) -> None:
    binary = script(tmp_path, "exec >&-", "exec sleep 600")
    with pytest.raises(ProviderError, match="no progress"):
        runner(binary, tmp_path, stall_seconds=0.5).run([])


def test_a_cancelled_order_stops_ffmpeg(tmp_path: Path) -> None:
    binary = script(tmp_path, f"echo $$ > {tmp_path}/pid", "exec sleep 600")
    ffmpeg = Ffmpeg(binary, tmp_path, 60.0, (tmp_path / "pid").exists)
    with pytest.raises(ProviderError, match="no longer wanted"):
        ffmpeg.run([])
    assert not alive(int((tmp_path / "pid").read_text() or 0))


def test_a_cancelled_order_is_not_begun(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no longer wanted"):
        fakes.export(FILM, tmp_path, stop=lambda _: True)


def test_a_failing_ffmpeg_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(FfmpegFailed, match="no such codec"):
        runner(script(tmp_path, "echo no such codec >&2", "exit 3"), tmp_path).run([])


def test_ffmpeg_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    binary = script(
        tmp_path, f"echo $$ > {tmp_path}/pid.new", f"mv {tmp_path}/pid.new {tmp_path}/pid", "exec sleep 600"
    )
    code = (
        "import pathlib, sys; from contentsvc_ffmpeg.run import Ffmpeg;"
        "Ffmpeg(sys.argv[1], pathlib.Path(sys.argv[2]), 60.0, lambda: False).run([])"
    )
    with subprocess.Popen([sys.executable, "-c", code, binary, str(tmp_path)]) as parent:
        wait_until((tmp_path / "pid").exists)
        child = int((tmp_path / "pid").read_text())
        parent.kill()
    wait_until(lambda: not alive(child))


def test_another_binary_can_be_set_up(tmp_path: Path) -> None:
    binary = script(tmp_path, "echo moov atom not found >&2", "exit 1")
    with pytest.raises(ProviderError, match="None of the clips"):
        fakes.export(FILM, tmp_path / "order", settings={"binary": binary})


def test_a_binary_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="can't be run"):
        find_binary(str(tmp_path / "none"))


def test_a_setting_that_is_no_number_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="stall_seconds"):
        fakes.export(FILM, tmp_path, settings={"stall_seconds": "long"})


def test_a_font_that_is_not_there_is_told(tmp_path: Path) -> None:
    from contentsvc.plugin import Subtitle

    request = fakes.order(ExportClip(fakes.clip()), subtitles=(Subtitle("x", 0, 1),))
    with pytest.raises(ProviderError, match="font"):
        fakes.export(request, tmp_path, settings={"font": str(tmp_path / "none.ttf")})


def test_nothing_is_written_outside_the_orders_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    fakes.export(FILM, tmp_path / "order")
    assert list(elsewhere.iterdir()) == []


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(holds: object) -> None:
    deadline = time.monotonic() + 20
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)
