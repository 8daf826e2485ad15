"""Public links: bytes, ranges, entity tags, headers."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.storage.backends import storage_of
from contentsvc.storage.models import MediaFile
from tests.functional.storages import DATA, add_file


@pytest.fixture
def file(registry: Any) -> MediaFile:
    return add_file(registry)


def test_link_answers_the_bytes_without_a_token(api: TestApp, file: MediaFile) -> None:
    reply = api.get(file.path)
    assert (reply.status_int, reply.body, reply.content_type) == (200, DATA, "image/png")


def test_reply_may_be_kept_for_ever(api: TestApp, file: MediaFile) -> None:
    headers = api.get(file.path).headers
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["ETag"] == f'"{file.etag}"'


def test_reply_disarms_browsers(api: TestApp, file: MediaFile) -> None:
    headers = api.get(file.path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"].endswith("sandbox")
    assert headers["Content-Disposition"] == (
        "inline; filename=\"gr__e 1.png\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%201.png"
    )


def test_head_answers_headers_only(api: TestApp, file: MediaFile) -> None:
    reply = api.head(file.path)
    assert (reply.body, reply.content_length, reply.headers["ETag"]) == (b"", len(DATA), f'"{file.etag}"')


def test_head_of_a_range_answers_its_length(api: TestApp, file: MediaFile) -> None:
    reply = api.head(file.path, headers={"Range": "bytes=0-9"})
    assert (reply.status_int, reply.content_length) == (206, 10)


def test_known_tag_is_304(api: TestApp, file: MediaFile) -> None:
    reply = api.get(file.path, headers={"If-None-Match": f'"{file.etag}"'}, status=304)
    assert (reply.body, reply.headers["ETag"]) == (b"", f'"{file.etag}"')


def test_304_comes_before_a_range(api: TestApp, file: MediaFile) -> None:
    api.get(file.path, headers={"If-None-Match": f'"{file.etag}"', "Range": "bytes=0-0"}, status=304)


def test_other_tag_is_200(api: TestApp, file: MediaFile) -> None:
    assert api.get(file.path, headers={"If-None-Match": '"other"'}, status=200).body == DATA


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=100-199", 100, 200),
        ("bytes=255000-", 255_000, 256_000),
        ("bytes=-5", 255_995, 256_000),
        ("bytes=0-99999999", 0, 256_000),
        ("bytes=-99999999", 0, 256_000),
        ("Bytes=1-2", 1, 3),
    ],
)
def test_range(api: TestApp, file: MediaFile, header: str, start: int, end: int) -> None:
    reply = api.get(file.path, headers={"Range": header}, status=206)
    assert reply.body == DATA[start:end]
    assert reply.headers["Content-Range"] == f"bytes {start}-{end - 1}/256000"


@pytest.mark.parametrize("header", ["bytes=256000-", "bytes=300000-400000", "bytes=-0"])
def test_range_outside_of_the_file_is_416(api: TestApp, file: MediaFile, header: str) -> None:
    reply = api.get(file.path, headers={"Range": header}, status=416)
    assert reply.headers["Content-Range"] == "bytes */256000"
    assert reply.json["detail"] == "The file has 256000 bytes; none are in that range."


@pytest.mark.parametrize(
    "header",
    ["bytes=0-1,5-6", "bytes=5-1", "bytes=-", "lines=0-1", "bytes=a-b", "bytes", "bytes=" + "9" * 50 + "-"],
)
def test_range_that_is_none_answers_everything(api: TestApp, file: MediaFile, header: str) -> None:
    assert api.get(file.path, headers={"Range": header}, status=200).body == DATA


def test_range_holds_while_the_file_is_the_same(api: TestApp, file: MediaFile) -> None:
    headers = {"Range": "bytes=0-1", "If-Range": f'"{file.etag}"'}
    assert api.get(file.path, headers=headers, status=206).body == DATA[:2]


@pytest.mark.parametrize("condition", ['"other"', "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_range_of_another_file_answers_everything(api: TestApp, file: MediaFile, condition: str) -> None:
    headers = {"Range": "bytes=0-1", "If-Range": condition}
    assert api.get(file.path, headers=headers, status=200).body == DATA


def test_key_decides_and_the_name_is_for_people(api: TestApp, file: MediaFile) -> None:
    reply = api.get(f"/api/media/{file.key}/another.gif")
    assert (reply.body, reply.content_type) == (DATA, "image/png")


@pytest.mark.parametrize("key", [uuid.uuid4().hex, "short", "..%2f..%2fetc", "A" * 32])
def test_unknown_key_is_404(api: TestApp, registry: Any, key: str) -> None:
    assert api.get(f"/api/media/{key}/a.png", status=404).json["code"] == "not_found"


def test_file_that_is_not_public_is_404(api: TestApp, registry: Any) -> None:
    file = add_file(registry, is_public=False)
    assert api.get(file.path, status=404).json["code"] == "not_found"


def test_row_without_its_file_is_404(api: TestApp, registry: Any, file: MediaFile) -> None:
    storage_of(registry).delete(file.key)
    assert api.get(file.path, status=404).json["code"] == "not_found"


def test_unreadable_storage_is_502(api: TestApp, file: MediaFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: Any, **_options: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", fail)
    assert api.get(file.path, status=502).json["code"] == "storage_error"


def test_link_with_a_slash_is_another_path(api: TestApp, file: MediaFile) -> None:
    api.get(f"{file.path}/", status=404)


def test_post_is_405(api: TestApp, file: MediaFile) -> None:
    assert api.post(file.path, status=405).headers["Allow"] == "GET, HEAD"


def test_streaming_holds_no_database_connection(registry: Any, wsgi: Any, file: MediaFile) -> None:
    environ = TestApp.RequestClass.blank(file.path, base_url="http://localhost").environ
    body = wsgi(environ, lambda *_args: None)
    pieces = iter(body)
    first = next(pieces)
    assert engine_of(registry).pool.checkedout() == 0
    assert first + b"".join(pieces) == DATA
    body.close()


def test_client_that_leaves_closes_the_file(registry: Any, wsgi: Any, file: MediaFile) -> None:
    environ = TestApp.RequestClass.blank(file.path, base_url="http://localhost").environ
    body = wsgi(environ, lambda *_args: None)
    pieces = iter(body)
    next(pieces)
    body.close()
    assert list(pieces) == []


def test_readiness_names_the_storage(api: TestApp, registry: Any) -> None:
    checks = api.get("/api/health/ready/", expect_errors=True).json["checks"]
    assert checks["storage"] == {"status": "ok", "detail": "writable"}
