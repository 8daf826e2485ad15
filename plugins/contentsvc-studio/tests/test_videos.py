import os
import re
import subprocess
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import pytest
import studio_fakes as fakes
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from contentsvc.plugin import Accepted, Done, Pending, ProviderError, VideoRequest, VideoResult
from contentsvc_studio.driver import TOKENS_PER_SECOND
from contentsvc_studio.videos import jobs, render
from contentsvc_studio.videos.backend import StudioVideos, usage_of
from contentsvc_studio.videos.jobs import Job, Jobs
from contentsvc_studio.videos.moves import MOVES, move_for, size_of

FIRST = fakes.FakeMedia(fakes.encode(fakes.scene(300, 300)))
MOVE_NAMES = [name for name, _ in MOVES]


@pytest.fixture
def ctx(tmp_path: Path) -> fakes.FakeContext:
    work = tmp_path / "work"
    work.mkdir()
    return fakes.FakeContext(work, settings={"work_dir": str(tmp_path / "jobs")})


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Render in the test's own process; the folders rendered."""
    folders: list[Path] = []

    def start(self: Job, lock: int) -> None:
        folders.append(self.folder)
        render.main(self.folder, os.dup(lock))

    monkeypatch.setattr(Job, "_start", start)
    return folders


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renderers inside the test's own process must not slow it down for good."""
    monkeypatch.setattr(render, "NICENESS", 0)


def order(**changes: Any) -> VideoRequest:
    values: dict[str, Any] = {
        "prompt": "Slow push in",
        "duration_seconds": 1.0,
        "ratio": "1:1",
        "resolution": "480p",
        "seed": 4,
        "first_frame": FIRST,
    }
    return VideoRequest(**{**values, **changes})


def started(ctx: fakes.FakeContext, **changes: Any) -> str:
    accepted = StudioVideos().start(order(**changes), ctx)
    assert isinstance(accepted, Accepted)
    return accepted.job_id


def finished(job_id: str, ctx: fakes.FakeContext) -> VideoResult:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = StudioVideos().poll(job_id, ctx)
        if isinstance(answer, Done):
            return answer.result
        assert isinstance(answer, Pending)
        time.sleep(0.05)
    raise AssertionError("the clip was never finished")


def probe(path: Path) -> str:
    """What ffmpeg says of a file and of every frame it decodes."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-i", str(path)]
    command += ["-vf", "freezedetect=n=-60dB:d=0.3,blackdetect=d=0.1", "-f", "null", "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stderr


def frame(path: Path, at: int, target: Path) -> Image.Image:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-i", str(path)]
    command += ["-vf", f"select=eq(n\\,{at})", "-frames:v", "1", str(target)]
    subprocess.run(command, check=True, timeout=60)
    with Image.open(target) as picture:
        return picture.convert("RGB")


def test_a_clip_is_rendered_by_a_process_of_its_own(ctx: fakes.FakeContext) -> None:
    result = finished(started(ctx, duration_seconds=1.5), ctx)
    said = probe(result.video.path)
    assert "h264" in said
    assert "480x480" in said
    assert "24 fps" in said
    assert re.findall(r"frame= *(\d+)", said)[-1] == "36"
    assert "Audio" not in said
    assert "freeze_start" not in said
    assert "black_start" not in said


def test_progress_grows_until_done(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "_start", lambda _job, _lock: None)
    job_id = started(ctx)
    job = Jobs(ctx.settings["work_dir"]).find(job_id)
    (job.folder / "progress").write_text("0.500")
    assert StudioVideos().poll(job_id, ctx) == Pending(0.5)


def test_a_dead_renderer_is_started_again(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Job, "_start", lambda _job, _lock: None)
        job_id = started(ctx)
    monkeypatch.setattr(Job, "_start", lambda job, lock: render.main(job.folder, os.dup(lock)))
    assert finished(job_id, ctx).video.path.exists()


def test_a_renderer_that_always_dies_ends_the_job(
    ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "_start", lambda _job, _lock: None)
    job_id = started(ctx)
    for _ in range(jobs.MOST_STARTS - 1):
        StudioVideos().poll(job_id, ctx)
    with pytest.raises(ProviderError, match="several times"):
        StudioVideos().poll(job_id, ctx)


def test_a_running_renderer_is_left_alone(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[Path] = []
    monkeypatch.setattr(Job, "_start", lambda job, _lock: starts.append(job.folder))
    job_id = started(ctx)
    with (Path(ctx.settings["work_dir"]) / job_id / "lock").open("w") as lock:
        assert render.locked(lock)
        StudioVideos().poll(job_id, ctx)
    assert len(starts) == 1


def test_a_renderer_that_gets_going_is_left_alone(ctx: fakes.FakeContext) -> None:
    job_id = started(ctx, duration_seconds=1.5)
    for _ in range(jobs.MOST_STARTS + 1):
        StudioVideos().poll(job_id, ctx)
    assert (Path(ctx.settings["work_dir"]) / job_id / "starts").read_bytes() == b"."
    finished(job_id, ctx)


def test_a_job_that_fails_is_told_in_words(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "_start", lambda _job, _lock: None)
    job_id = started(ctx)
    folder = Path(ctx.settings["work_dir"]) / job_id
    (folder / "first.jpg").unlink()
    with pytest.raises(FileNotFoundError):
        render.main(folder, os.open(folder / "lock", os.O_WRONLY))
    with pytest.raises(ProviderError, match="couldn't be rendered"):
        StudioVideos().poll(job_id, ctx)


def test_the_same_order_is_the_same_job(ctx: fakes.FakeContext, at_once: list[Path]) -> None:
    assert started(ctx) == started(ctx)
    assert len(at_once) == 1


def test_another_order_is_another_job(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "_start", lambda _job, _lock: None)
    first = started(ctx)
    ctx.idempotency_key = "order-2"
    assert started(ctx) != first


def test_a_result_can_be_asked_for_again(ctx: fakes.FakeContext, at_once: list[Path]) -> None:
    job_id = started(ctx)
    first = finished(job_id, ctx).video.path
    first.unlink()
    assert finished(job_id, ctx).video.path.stat().st_size > 1000


def test_tokens_are_counted_from_pixels_and_seconds(ctx: fakes.FakeContext, at_once: list[Path]) -> None:
    usage = finished(started(ctx), ctx).usage
    assert (usage.units, usage.raw["total_tokens"]) == (Decimal("5.4"), 5400)


def test_the_declared_tokens_are_those_of_an_upright_720p() -> None:
    usage = usage_of({"width": 720, "height": 1280, "frames": 24})
    assert usage.raw["total_tokens"] == TOKENS_PER_SECOND


def test_a_clip_ends_with_its_last_frame(ctx: fakes.FakeContext, at_once: list[Path], tmp_path: Path) -> None:
    last = fakes.FakeMedia(fakes.encode(Image.new("RGB", (480, 480), (20, 60, 200))))
    path = finished(started(ctx, last_frame=last), ctx).video.path
    end = frame(path, 23, tmp_path / "end.png").resize((1, 1)).tobytes()
    begin = frame(path, 0, tmp_path / "begin.png").resize((1, 1)).tobytes()
    assert end[2] > end[0] + 60
    assert begin[0] > begin[2]


def test_without_a_picture_a_place_is_drawn(
    ctx: fakes.FakeContext, at_once: list[Path], tmp_path: Path
) -> None:
    path = finished(started(ctx, first_frame=None, prompt="A day at the beach"), ctx).video.path
    assert len(frame(path, 12, tmp_path / "one.png").getcolors(480 * 480) or []) > 500


def test_pictures_of_another_shape_are_not_stretched(
    ctx: fakes.FakeContext, at_once: list[Path], tmp_path: Path
) -> None:
    wide = Image.new("RGB", (1200, 300), (200, 200, 205))
    wide.paste(fakes.SUBJECT, (500, 50, 700, 250))
    path = finished(
        started(ctx, first_frame=fakes.FakeMedia(fakes.encode(wide)), prompt="tilt up"), ctx
    ).video.path
    box = frame(path, 12, tmp_path / "one.png").convert("RGB")
    mask = box.split()[1].point(lambda value: 0 if value > 180 else 255)
    left, top, right, low = mask.crop((60, 60, 420, 420)).getbbox() or (0, 0, 1, 1)
    assert 0.7 < (right - left) / (low - top) < 1.4


def test_old_jobs_are_swept(ctx: fakes.FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "_start", lambda _job, _lock: None)
    root = Path(ctx.settings["work_dir"])
    names = []
    for key, age, delivered in (("a", 120, False), ("b", 90_000, False), ("c", 1200, True), ("d", 60, True)):
        ctx.idempotency_key = key
        names.append(started(ctx))
        then = time.time() - age
        if delivered:
            (root / names[-1] / "delivered").touch()
            os.utime(root / names[-1] / "delivered", (then, then))
        os.utime(root / names[-1], (then, then))
    (root / "swept").unlink()
    Jobs(str(root)).sweep()
    assert [(root / name).exists() for name in names] == [True, False, False, True]


@pytest.mark.parametrize("job_id", ["", "x", "../secret", "clip-" + "0" * 32, "clip-../../etc"])
def test_unknown_jobs_are_refused(job_id: str, ctx: fakes.FakeContext) -> None:
    with pytest.raises(ProviderError, match="no clip of that name"):
        StudioVideos().poll(job_id, ctx)


@pytest.mark.parametrize(
    "changes", [{"duration_seconds": 0.5}, {"duration_seconds": 61}, {"ratio": "0:1"}, {"resolution": "4k"}]
)
def test_impossible_orders_are_refused(changes: dict[str, Any], ctx: fakes.FakeContext) -> None:
    with pytest.raises(ProviderError):
        started(ctx, **changes)


def test_a_cancelled_order_starts_nothing(ctx: fakes.FakeContext, at_once: list[Path]) -> None:
    ctx.stop = lambda _: True
    with pytest.raises(ProviderError, match="no longer wanted"):
        started(ctx)
    assert at_once == []


def test_the_job_folder_is_closed_to_others(ctx: fakes.FakeContext, at_once: list[Path]) -> None:
    started(ctx)
    assert Path(ctx.settings["work_dir"]).stat().st_mode & 0o077 == 0
    assert at_once[0].stat().st_mode & 0o077 == 0


def test_a_temporary_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs.tempfile, "gettempdir", lambda: str(tmp_path))
    assert Jobs("").root.parent == tmp_path
    real = os.getuid()
    (tmp_path / f"contentsvc-studio-{real + 1}").mkdir()
    monkeypatch.setattr(jobs.os, "getuid", lambda: real + 1)
    with pytest.raises(ProviderError, match="belongs to somebody else"):
        Jobs("")


@pytest.mark.parametrize(
    ("ratio", "resolution", "size"),
    [
        ("9:16", "480p", (480, 854)),
        ("9:16", "720p", (720, 1280)),
        ("9:16", "1080p", (1080, 1920)),
        ("16:9", "720p", (1280, 720)),
        ("1:1", "720p", (720, 720)),
        ("3:4", "480p", (480, 640)),
    ],
)
def test_the_short_side_is_the_resolution(ratio: str, resolution: str, size: tuple[int, int]) -> None:
    assert size_of(ratio, resolution) == size


@pytest.mark.parametrize(
    ("prompt", "move"),
    [
        ("Slow push in, vertical", "in"),
        ("The camera zooms out", "out"),
        ("Slow pan to the left", "left"),
        ("pan right", "right"),
        ("Slow tilt up", "up"),
        ("tilt slowly down", "down"),
        ("Gentle drift to the right", "drift"),
        ("Gentle drift to the left", "drift-back"),
    ],
)
def test_moves_are_read_from_the_prompt(prompt: str, move: str) -> None:
    assert move_for(prompt, 0) == move


def test_seeds_vary_the_move_of_a_silent_prompt() -> None:
    assert len({move_for("a cup", seed) for seed in range(8)}) == len(MOVES)


@given(st.sampled_from(MOVE_NAMES), st.floats(0, 1), st.floats(0, 60), st.floats(1, 60))
def test_the_camera_never_leaves_the_picture(move: str, t: float, now: float, seconds: float) -> None:
    left, top, right, low = render.window(move, t, now, seconds, (864, 1536))
    assert 0 <= left < right <= 864 + 1e-6
    assert 0 <= top < low <= 1536 + 1e-6
    assert (right - left) / (low - top) == pytest.approx(864 / 1536)


@pytest.mark.parametrize("move", MOVE_NAMES)
@pytest.mark.parametrize("seconds", [2.0, 5.0, 30.0])
def test_the_camera_never_stands_still(move: str, seconds: float) -> None:
    frames = round(seconds * 24)
    seen = [render.window(move, at / (frames - 1), at / 24, seconds, (864, 1536)) for at in range(frames)]
    for at in range(0, frames - 24, 6):
        moved = [
            max(abs(a - b) for a, b in zip(seen[at], other, strict=True)) for other in seen[at + 1 : at + 24]
        ]
        assert max(moved) > 0.4
