"""A large upload: how long it takes, and what it costs the web server in memory."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import imageio_ffmpeg
import psutil

from tools.bench.figures import Figure
from tools.bench.house import House

MIB = 1024 * 1024
SIZE = 100 * MIB
LOOK_SECONDS = 0.01


def measure(house: House) -> Iterator[Figure]:
    """Upload a film of a hundred mebibytes and watch the web server's memory."""
    film = _film(house.scratch / "film.mp4")
    servers = _web_servers(house.process_id)
    if not servers:
        raise RuntimeError("the web server's processes can't be found")
    with _watched(servers) as growth:
        started = time.perf_counter()
        house.owner.upload("/api/assets/upload/", film)
        seconds = time.perf_counter() - started
    size = f"{film.stat().st_size / MIB:.0f} MiB"
    yield Figure(
        f"Upload of {size}", f"{seconds:.1f} s", "streamed, checked, stripped of metadata, stored twice"
    )
    yield Figure("Memory the web server needs for it", f"+{growth[0] / MIB:.0f} MiB", "peak over idle")


def _film(path: Path) -> Path:
    """A film of the size wanted: a second of noise, over and over."""
    ffmpeg = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-nostdin", "-y"]
    second = path.with_name("second.mp4")
    noise = ("-f", "lavfi", "-i", "nullsrc=s=640x480:d=1,geq=random(1)*255:128:128")
    subprocess.run(
        [*ffmpeg, *noise, "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", second], check=True
    )
    times = SIZE // second.stat().st_size
    subprocess.run(
        [*ffmpeg, "-stream_loop", str(times), "-i", second, "-c", "copy", "-movflags", "+faststart", path],
        check=True,
    )
    return path


def _web_servers(supervisor: int) -> list[psutil.Process]:
    """The web server's processes below ``contentsvc up``; ffmpeg's are looked at by nobody."""
    return [child for child in psutil.Process(supervisor).children(recursive=True) if _serves(child)]


def _serves(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "serve" in process.cmdline()
    return False


@contextmanager
def _watched(processes: list[psutil.Process]) -> Iterator[list[int]]:
    """Fills the list with the growth of these processes' memory, in bytes, at its peak."""
    growth = [0]
    stop = threading.Event()
    before = _memory(processes)

    def look() -> None:
        while not stop.wait(LOOK_SECONDS):
            growth[0] = max(growth[0], _memory(processes) - before)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield growth
    finally:
        stop.set()
        watcher.join()


def _memory(processes: list[psutil.Process]) -> int:
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total
