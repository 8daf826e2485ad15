"""Large uploads through the real web server: they stream, whatever they weigh."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from tests import media_samples
from tests.system.installation import Installation, Person, installed
from tests.system.processes import eventually

MIB = 1024 * 1024
UPLOAD = "/api/assets/upload/"
FRAME = "1280x720"


@pytest.fixture(scope="module")
def service(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("service")
    with installed(postgres_url, folder) as made:
        made.start_web()
        yield made
    # Over a gigabyte that nobody wants to keep.
    shutil.rmtree(folder)


@pytest.fixture
def person(service: Installation) -> Person:
    return service.person()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """For files that are too large to be kept after the test."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def _large_video(folder: Path, size: int) -> Path:
    """An MP4 of at least ``size`` bytes: noise, which doesn't compress, over and over."""
    second, whole = folder / "noise.mp4", folder / "large.mp4"
    noise = ["-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", FRAME, "-i", "/dev/urandom"]
    media_samples.run_ffmpeg(
        *noise, "-frames:v", "15", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", str(second)
    )
    loops = size // second.stat().st_size
    media_samples.run_ffmpeg("-stream_loop", str(loops), "-i", str(second), "-c", "copy", str(whole))
    return whole


@contextmanager
def _peak_of(process: psutil.Process) -> Iterator[list[int]]:
    """The largest resident memory of a process within the block, as the list's last number, in bytes."""
    peak = [process.memory_info().rss]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            peak.append(max(peak[-1], process.memory_info().rss))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _upload(person: Person, path: Path) -> httpx.Response:
    with path.open("rb") as file:
        return person.http.post(UPLOAD, files={"file": (path.name, file)})


def test_a_video_of_300_mb_is_taken_within_50_mb_of_memory(
    service: Installation, person: Person, folder: Path
) -> None:
    small = folder / "small.mp4"
    small.write_bytes(media_samples.video("mp4"))
    assert _upload(person, small).status_code == httpx.codes.CREATED
    large = _large_video(folder, 300_000_000)
    [server] = psutil.Process(service.processes[0].pid).children()
    idle = server.memory_info().rss
    with _peak_of(server) as peak:
        reply = _upload(person, large)
    assert reply.status_code == httpx.codes.CREATED, reply.text
    assert peak[-1] - idle < 50 * MIB
    assert large.stat().st_size > 300_000_000


def test_the_taken_video_is_all_there(person: Person, folder: Path) -> None:
    large = _large_video(folder, 30_000_000)
    asset = _upload(person, large).raise_for_status().json()
    assert (asset["width"], asset["height"]) == (1280, 720)
    with person.http.stream("GET", f"/api/assets/{asset['id']}/raw/") as raw:
        assert sum(len(chunk) for chunk in raw.iter_bytes()) == large.stat().st_size


def _head(person: Person, length: int) -> bytes:
    """The head of an upload of ``length`` bytes."""
    return (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: {person.http.headers['Authorization']}\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def test_600_mb_are_refused_before_they_are_sent(service: Installation, person: Person) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(_head(person, 600_000_000))
        answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_an_upload_that_breaks_off_leaves_no_file(service: Installation, person: Person) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'
    incoming = service.folder / "uploads"
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(_head(person, 10 * MIB) + part + bytes(MIB))
        eventually(lambda: list(incoming.glob("upload-*")), what="the upload is being received")
    eventually(lambda: not list(incoming.iterdir()), within=10, what="its file is gone")
