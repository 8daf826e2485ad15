"""The archive of a project's clips."""

from __future__ import annotations

import io
import tracemalloc
import uuid
import zipfile
from typing import Any

import pytest
from pyramid.registry import Registry
from webob import Request

from contentsvc.db.session import engine_of
from contentsvc.projects.exports.archive import Entry, archive, safe_name
from contentsvc.storage.backends import storage_of
from tests.functional.conftest import Client
from tests.functional.filming import add_clip, add_clips
from tests.functional.projecting import add_project, add_script, read_project


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def segments(registry: Registry, owner: Client, project: str) -> list[str]:
    """Segments of the adopted script."""
    ids: list[str] = add_script(registry, owner.team_id, project, adopted=True)["segment_ids"]
    return ids


@pytest.fixture
def clips(registry: Registry, owner: Client, project: str, segments: list[str]) -> list[str]:
    """Clips of 1, 2 and 3 bytes."""
    return add_clips(registry, owner.team_id, project, segments)


def _archive(client: Client, project: str) -> tuple[Any, zipfile.ZipFile]:
    reply = client.get(f"/api/projects/{project}/export-clips/")
    return reply, zipfile.ZipFile(io.BytesIO(reply.body))


def test_all_clips_come_in_one_archive(
    registry: Registry, owner: Client, project: str, clips: list[str]
) -> None:
    reply, archived = _archive(owner, project)

    assert reply.content_type == "application/zip"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="Film-clips.zip"'
    assert archived.namelist() == ["01-clip.mp4", "02-clip.mp4", "03-clip.mp4"]
    assert [archived.read(name) for name in archived.namelist()] == [b"x", b"xx", b"xxx"]
    assert {entry.compress_type for entry in archived.infolist()} == {zipfile.ZIP_STORED}


def test_names_in_the_archive_lead_nowhere(
    registry: Registry, owner: Client, project: str, segments: list[str]
) -> None:
    add_clip(registry, owner.team_id, project, segments[0], filename="..\\..:a\u202eb?.mp4")
    _, archived = _archive(owner, project)
    assert archived.namelist() == ["01-a_b.mp4"]


def test_a_clip_that_can_not_be_read_is_left_out(
    registry: Registry, owner: Client, project: str, clips: list[str]
) -> None:
    second = read_project(owner, project)["video_segments"][1]["versions"][0]["asset"]
    storage_of(registry).delete(second["preview_url"].split("/")[-2])
    _, archived = _archive(owner, project)
    assert archived.namelist() == ["01-clip.mp4", "03-clip.mp4"]


def test_asking_for_the_head_reads_no_clip(
    registry: Registry, owner: Client, project: str, clips: list[str]
) -> None:
    reply = owner.head(f"/api/projects/{project}/export-clips/")
    assert (reply.status_int, reply.body, reply.content_type) == (200, b"", "application/zip")


def test_without_clips_there_is_no_archive(owner: Client, project: str, segments: list[str]) -> None:
    reply = owner.get(f"/api/projects/{project}/export-clips/", status=400)
    assert reply.json["code"] == "no_clips"


def test_the_archive_is_not_held_in_memory(registry: Registry, tmp_path: Any) -> None:
    size = 24 * 1024 * 1024
    path = tmp_path / "clip"
    with path.open("wb") as file:
        file.truncate(size)
    keys = [uuid.uuid4().hex, uuid.uuid4().hex]
    for key in keys:
        storage_of(registry).put(key, path, "video/mp4")

    tracemalloc.start()
    try:
        stream = archive(registry, [Entry(key, size, f"{key}.mp4") for key in keys])
        sent = sum(len(chunk) for chunk in stream)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert sent > 2 * size
    assert peak < 4 * 1024 * 1024


def test_the_archive_holds_no_connection_while_it_is_sent(
    registry: Registry, owner: Client, project: str, clips: list[str], wsgi: Any
) -> None:
    request = Request.blank(f"/api/projects/{project}/export-clips/")
    request.headers["Authorization"] = f"Token {owner.token}"
    reply = request.get_response(wsgi)
    stream = iter(reply.app_iter)

    assert next(stream)
    assert engine_of(registry).pool.checkedout() == 0
    reply.app_iter.close()


def test_an_archive_left_early_removes_its_scratch_file(
    registry: Registry, owner: Client, project: str, clips: list[str], tmp_path: Any
) -> None:
    folder = registry["contentsvc.settings"].uploads.temp_dir
    before = set(folder.iterdir())
    key = uuid.uuid4().hex
    path = tmp_path / "clip"
    path.write_bytes(b"clip")
    storage_of(registry).put(key, path, "video/mp4")

    stream = archive(registry, [Entry(key, 4, "clip.mp4")])
    next(stream)
    stream.close()  # type: ignore[attr-defined]

    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Summer", "Summer"),
        ("a/b\\c", "a_b_c"),
        ("../../etc/passwd", "etc_passwd"),
        ("...", "clip"),
        ("", "clip"),
        ("x" * 200, "x" * 80),
        ("Café 夏", "Café 夏"),
        ("tab\there\x00", "tab_here"),
    ],
)
def test_names_are_safe_anywhere(text: str, name: str) -> None:
    assert safe_name(text, "clip") == name
