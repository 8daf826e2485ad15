"""Multipart uploads: streamed, limited while they come in, cleaned up."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from webtest import TestApp

from contentsvc.db.session import engine_of
from tests.functional.http.app import TOKEN, UPLOAD_LIMIT, titles
from tests.functional.http.conftest import MakeApp

AUTH = {"Authorization": TOKEN}
BOUNDARY = "frontier"


def _part(name: str, data: bytes, filename: str | None = None) -> bytes:
    extra = "" if filename is None else f'; filename="{filename}"'
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'
    return head.encode() + data + b"\r\n"


END = f"--{BOUNDARY}--\r\n".encode()


def _send(app: TestApp, body: bytes) -> Any:
    return app.post(
        "/api/files/",
        body,
        headers={**AUTH, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
        status="*",
    )


@pytest.mark.parametrize("field", ["file", "image"])
def test_a_file_is_received_under_either_name(app: TestApp, field: str) -> None:
    data = bytes(range(256)) * 100
    reply = _send(app, _part("name", "naïve".encode()) + _part(field, data, "ü.png") + END)
    assert reply.json == {
        "name": "naïve",
        "filename": "ü.png",
        "size_bytes": 25_600,
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def test_a_file_that_holds_the_boundarys_beginning_is_kept_whole(app: TestApp) -> None:
    data = f"\r\n--{BOUNDARY[:-1]}\r\n--\r\n".encode() * 3000
    reply = _send(app, _part("file", data, "a") + END)
    assert reply.json["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\photos\\cup.png", "cup.png"),
        ("a\x01\x1fb.png", "ab.png"),
        ("..", "file"),
        ("x" * 300 + ".jpeg", "x" * 250 + ".jpeg"),
        ("gnp.\u202egnp.exe", "gnp.gnp.exe"),
    ],
)
def test_file_names_lose_folders_and_what_cannot_be_seen(app: TestApp, sent: str, kept: str) -> None:
    assert _send(app, _part("file", b"x", sent) + END).json["filename"] == kept


@pytest.mark.parametrize(
    "body",
    [
        END,
        _part("name", b"n") + END,
        _part("file", b"text only") + END,
        _part("file", b"", "") + END,
        _part("file", b"", "empty.png") + END,
        _part("other", b"data", "a.png") + END,
        _part("file", b"a", "a") + _part("image", b"b", "b") + END,
    ],
    ids=["nothing", "fields", "text", "unchosen", "empty", "elsewhere", "two"],
)
def test_without_exactly_one_filled_file_the_upload_is_refused(app: TestApp, body: bytes) -> None:
    reply = _send(app, body)
    assert reply.status_int == 400
    assert list(reply.json) == ["file"]


def test_faults_of_fields_and_file_are_told_together(app: TestApp) -> None:
    reply = _send(app, _part("count", b"many") + END)
    assert sorted(reply.json) == ["count", "file"]


def test_a_field_that_is_no_utf8_is_named(app: TestApp) -> None:
    reply = _send(app, _part("name", b"\xff") + _part("file", b"x", "a") + END)
    assert (reply.status_int, list(reply.json)) == (400, ["name"])


def test_a_field_with_nul_is_named(app: TestApp) -> None:
    reply = _send(app, _part("name", b"a\x00b") + _part("file", b"x", "a") + END)
    assert (reply.status_int, list(reply.json)) == (400, ["name"])


def test_text_fields_are_limited_together(app: TestApp) -> None:
    parts = b"".join(_part(f"f{index}", b"x" * 7000) for index in range(10))
    assert _send(app, parts + _part("file", b"x", "a") + END).status_int == 413


def test_the_number_of_text_fields_is_limited(app: TestApp) -> None:
    parts = b"".join(_part(f"f{index}", b"x") for index in range(51))
    assert _send(app, parts + _part("file", b"x", "a") + END).status_int == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not multipart",
        _part("file", b"x", "a"),
        _part("file", b"x", "a") + END[:-4],
        f"--{BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nx\r\n".encode() + END,
        f"--{BOUNDARY}\r\nBroken header\r\n\r\nx\r\n".encode() + END,
    ],
    ids=["empty", "text", "unended", "cut", "nameless", "header"],
)
def test_broken_multipart_is_malformed(app: TestApp, body: bytes) -> None:
    reply = _send(app, body)
    assert (reply.status_int, reply.json["code"]) == (400, "malformed_json")


@pytest.mark.parametrize(
    "media_type", ["application/json", "text/plain", "application/x-www-form-urlencoded"]
)
def test_another_media_type_is_not_supported(app: TestApp, media_type: str) -> None:
    reply = app.post("/api/files/", b"{}", headers=AUTH, content_type=media_type, status=415)
    assert reply.json["code"] == "unsupported_media_type"


def test_no_media_type_is_not_supported(app: TestApp) -> None:
    app.lint = False
    app.request("/api/files/", method="POST", headers=AUTH, status=415)


def test_a_boundary_must_be_named(app: TestApp) -> None:
    app.post("/api/files/", b"x", headers=AUTH, content_type="multipart/form-data", status=400)


def test_the_largest_file_is_taken(app: TestApp) -> None:
    assert _send(app, _part("file", b"x" * UPLOAD_LIMIT, "a") + END).json["size_bytes"] == UPLOAD_LIMIT


def test_a_file_one_byte_larger_is_refused(app: TestApp) -> None:
    reply = _send(app, _part("file", b"x" * (UPLOAD_LIMIT + 1), "a") + END)
    assert (reply.status_int, reply.json["code"]) == (413, "payload_too_large")


class Endless(io.RawIOBase):
    """A body that never ends, and counts what was taken of it."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        data, self.head = self.head, b""
        data = data or b"x" * size
        self.taken += len(data)
        return data


@pytest.mark.parametrize("field", ["file", "ignored"])
def test_a_chunked_body_is_read_no_further_than_the_limit(app: TestApp, field: str) -> None:
    app.lint = False
    body = Endless(_part(field, b"", "a")[:-2])
    reply = app.request(
        "/api/files/",
        method="POST",
        environ={
            "wsgi.input": body,
            "wsgi.input_terminated": True,
            "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
            "HTTP_AUTHORIZATION": TOKEN,
        },
        status="*",
    )
    assert reply.status_int == 413
    assert body.taken < UPLOAD_LIMIT + 1_000_000


def test_the_file_is_gone_when_the_request_has_ended(machinery: MakeApp, tmp_path: Path) -> None:
    app = machinery({"uploads.temp_dir": str(tmp_path / "transit")})
    seen: list[Path] = []
    app.app.registry["test.hook"] = lambda request: seen.append(request.validated["upload"].path)
    assert _send(app, _part("file", b"x", "a") + END).status_int == 201
    assert seen[0].parent == tmp_path / "transit"
    assert list((tmp_path / "transit").iterdir()) == []


def test_a_refused_upload_leaves_no_file(machinery: MakeApp, tmp_path: Path) -> None:
    app = machinery({"uploads.temp_dir": str(tmp_path)})
    assert _send(app, _part("file", b"x" * (UPLOAD_LIMIT + 1), "a") + END).status_int == 413
    assert list(tmp_path.iterdir()) == []
    assert titles(app) == []


def test_no_connection_is_held_while_the_body_comes_in(app: TestApp) -> None:
    app.lint = False
    pool: Any = engine_of(app.app.registry).pool
    held: list[int] = []

    class Watching(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            held.append(pool.checkedout())
            return super().read(size)

    body = _part("file", b"x", "a") + END
    reply = app.request(
        "/api/files/",
        method="POST",
        environ={
            "wsgi.input": Watching(body),
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
            "HTTP_AUTHORIZATION": TOKEN,
            "HTTP_IDEMPOTENCY_KEY": "holds-a-connection-before",
        },
        status="*",
    )
    assert reply.status_int == 201
    assert set(held) == {0}
