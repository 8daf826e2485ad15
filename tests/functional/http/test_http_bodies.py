"""Bodies and queries: what is taken, what is refused, and in which order."""

from __future__ import annotations

import io
import json
import socket
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize
from webtest import TestApp

from tests.functional.http.app import KNOWN_ID, TOKEN, VIEWER, titles

AUTH = {"Authorization": TOKEN}
JSON = {**AUTH, "Content-Type": "application/json"}
UNKNOWN = "0190a6e2-2222-7000-8000-000000000002"


def _post(app: TestApp, body: bytes, status: int = 400, path: str = "/api/notes/") -> Any:
    return app.post(path, body, headers=JSON, status=status)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b" ",
        b"\xff\xfe",
        b'{"title": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"{'title': 1}",
        b'{"title": "x"} trailing',
        b'{"title": "a\nb"}',
        b'{"title": "x", "specs": {"a": NaN}}',
        b'{"title": "x", "specs": {"a": Infinity}}',
        b'{"title": "x", "count": -Infinity}',
        b'{"title": "x", "count": 1e400}',
        b'{"title": "x", "price": 1e50000000}',
        b'{"title": "x", "specs": {"a": ' + b"9" * 5000 + b"}}",
        b'{"title": "x", "specs": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"title": "x", "specs": ' + b'{"a":' * 65 + b"1" + b"}" * 65 + b"}",
    ],
    ids=range(19),
)
def test_what_is_no_json_object_is_malformed(app: TestApp, body: bytes) -> None:
    assert _post(app, body).json["code"] == "malformed_json"
    assert titles(app) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (rb'{"title": "a\u0000b"}', "title"),
        (rb'{"title": "\ud800"}', "title"),
        (rb'{"title": "x", "specs": {"k\u0000": 1}}', "specs"),
        (rb'{"title": "x", "specs": {"k": ["\udfff"]}}', "specs.k.0"),
        (b"{}", "title"),
        (b'{"title": 5}', "title"),
        (b'{"title": null}', "title"),
        (b'{"title": "x", "count": "5"}', "count"),
        (b'{"title": "x", "count": true}', "count"),
        (b'{"title": "x", "count": 1.0}', "count"),
        (b'{"title": "x", "count": 1' + b"0" * 300 + b"}", "count"),
        (b'{"title": "x", "price": "NaN"}', "price"),
        (b'{"title": "x", "price": "1e5"}', "price"),
        (b'{"title": "x", "price": "1_0"}', "price"),
        (b'{"title": "x", "price": true}', "price"),
        (b'{"title": "x", "price": 0.001}', "price"),
        (b'{"title": "x", "price": 1000000000001}', "price"),
        (b'{"title": "x", "ref": "abc"}', "ref"),
        (b'{"title": "x", "ref": 7}', "ref"),
        (b'{"title": "x", "ref": "{0190a6e2-0000-7000-8000-000000000001}"}', "ref"),
        (b'{"title": "x", "specs": []}', "specs"),
        (b'{"title": "' + b"x" * 256 + b'"}', "title"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(app: TestApp, body: bytes, field: str) -> None:
    errors = _post(app, body).json
    assert list(errors) == [field]
    assert errors[field][0].endswith(".")


def test_nesting_up_to_the_limit_is_taken(app: TestApp) -> None:
    depth = 62
    body = b'{"title": "x", "specs": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
    assert _post(app, body, status=201).json["title"] == "x"


def test_unknown_members_are_ignored(app: TestApp) -> None:
    reply = _post(app, b'{"title": "x", "id": 77, "owner": "me"}', status=201)
    assert reply.json["id"] != 77


def test_of_a_repeated_member_the_last_counts(app: TestApp) -> None:
    assert _post(app, b'{"title": "a", "title": "b"}', status=201).json["title"] == "b"


def test_an_empty_body_counts_as_an_empty_object(app: TestApp) -> None:
    assert app.post("/api/optional/", headers=AUTH).json["title"] == "untitled"


def test_an_empty_body_misses_what_is_required(app: TestApp) -> None:
    assert list(app.post("/api/notes/", headers=AUTH, status=400).json) == ["title"]


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]
)
def test_a_body_that_is_not_declared_as_json_is_refused(app: TestApp, media_type: str) -> None:
    app.lint = False
    reply = app.post("/api/notes/", b'{"title": "x"}', headers=AUTH, content_type=media_type, status=415)
    assert reply.json["code"] == "unsupported_media_type"


def test_json_with_a_charset_is_json(app: TestApp) -> None:
    headers = {**AUTH, "Content-Type": "Application/JSON; charset=utf-8"}
    assert (
        app.post("/api/notes/", '{"title": "é"}'.encode(), headers=headers, status=201).json["title"] == "é"
    )


class Untouchable:
    """A body that must not be read."""

    def read(self, _size: int = -1) -> bytes:
        raise AssertionError("the body was read")

    readline = readlines = __iter__ = read


def _declared(app: TestApp, path: str, length: int, media_type: str, auth: str = TOKEN) -> Any:
    app.lint = False
    return app.request(
        path,
        method="POST",
        environ={
            "wsgi.input": Untouchable(),
            "CONTENT_LENGTH": str(length),
            "CONTENT_TYPE": media_type,
            "HTTP_AUTHORIZATION": auth,
        },
        status="*",
    )


def test_a_body_over_a_mebibyte_is_refused_unread(app: TestApp) -> None:
    reply = _declared(app, "/api/notes/", 1024 * 1024 + 1, "application/json")
    assert (reply.status_int, reply.json["code"]) == (413, "payload_too_large")


def test_a_body_of_a_mebibyte_is_taken(app: TestApp) -> None:
    frame = len(json.dumps({"title": "x", "specs": {"a": ""}}))
    body = json.dumps({"title": "x", "specs": {"a": "y" * (1024 * 1024 - frame)}}).encode()
    assert len(body) == 1024 * 1024
    _post(app, body, status=201)


def test_a_chunked_body_over_the_limit_is_refused(app: TestApp) -> None:
    app.lint = False
    reply = app.request(
        "/api/notes/",
        method="POST",
        environ={
            "wsgi.input": io.BytesIO(b"x" * (1024 * 1024 + 2)),
            "wsgi.input_terminated": True,
            "CONTENT_TYPE": "application/json",
            "HTTP_AUTHORIZATION": TOKEN,
            "HTTP_TRANSFER_ENCODING": "chunked",
        },
        status="*",
    )
    assert (reply.status_int, reply.json["code"]) == (413, "payload_too_large")


class BrokenOff(io.BytesIO):
    """Input whose chunks break off, as web servers tell it."""

    def read(self, _size: int | None = -1) -> bytes:
        raise InvalidChunkSize(b"zz")


@pytest.mark.parametrize(
    ("path", "media_type"),
    [("/api/notes/", "application/json"), ("/api/files/", "multipart/form-data; boundary=b")],
)
def test_chunks_that_break_off_are_malformed(app: TestApp, path: str, media_type: str) -> None:
    app.lint = False
    reply = app.request(
        path,
        method="POST",
        environ={
            "wsgi.input": BrokenOff(),
            "wsgi.input_terminated": True,
            "CONTENT_TYPE": media_type,
            "HTTP_AUTHORIZATION": TOKEN,
            "HTTP_TRANSFER_ENCODING": "chunked",
        },
        status="*",
    )
    assert (reply.status_int, reply.json["code"]) == (400, "malformed_json")


@pytest.mark.parametrize(("path", "status"), [("/api/notes/", 413), ("/api/notes", 308), ("/api/no/", 404)])
def test_a_refused_body_is_read_to_its_end(app: TestApp, path: str, status: int) -> None:
    app.lint = False
    body = io.BytesIO(b"x" * 3_000_000)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reply = app.request(
            path,
            method="POST",
            environ={
                "wsgi.input": body,
                "gunicorn.socket": ours,
                "CONTENT_LENGTH": "3000000",
                "CONTENT_TYPE": "application/json",
                "HTTP_AUTHORIZATION": TOKEN,
            },
            status="*",
        )
    assert (reply.status_int, body.tell()) == (status, 3_000_000)


def test_a_body_shorter_than_its_length_is_malformed(app: TestApp) -> None:
    app.lint = False
    reply = app.request(
        "/api/notes/",
        method="POST",
        environ={
            "wsgi.input": io.BytesIO(b"{"),
            "CONTENT_LENGTH": "10",
            "CONTENT_TYPE": "application/json",
            "HTTP_AUTHORIZATION": TOKEN,
        },
        status="*",
    )
    assert (reply.status_int, reply.json["code"]) == (400, "malformed_json")
    assert reply.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("auth", "path", "length", "media_type", "expected"),
    [
        ("", f"/api/notes/{UNKNOWN}/act/", 10**7, "text/plain", 401),
        (VIEWER, f"/api/notes/{UNKNOWN}/act/", 10**7, "text/plain", 403),
        (TOKEN, f"/api/notes/{UNKNOWN}/act/", 10**7, "text/plain", 404),
        (TOKEN, "/api/notes/not-an-id/act/", 10**7, "text/plain", 404),
        (TOKEN, f"/api/notes/{KNOWN_ID}/act/", 10**7, "text/plain", 415),
        (TOKEN, f"/api/notes/{KNOWN_ID.upper()}/act/", 10**7, "application/json", 413),
        (TOKEN, f"/api/notes/{UNKNOWN}/files/", 10**7, "text/plain", 404),
        (TOKEN, f"/api/notes/{KNOWN_ID}/files/", 10**7, "application/json", 415),
        (TOKEN, f"/api/notes/{KNOWN_ID}/files/", 10**7, "multipart/form-data; boundary=x", 413),
    ],
)
def test_refusals_come_in_the_contracts_order(
    app: TestApp, auth: str, path: str, length: int, media_type: str, expected: int
) -> None:
    assert _declared(app, path, length, media_type, auth).status_int == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=1.5", "page"),
        ("page=", "page"),
        ("page=x", "page"),
        ("page=%D9%A3", "page"),
        ("page=%2B1", "page"),
        ("page=" + "9" * 5000, "page"),
        ("page_size=0", "page_size"),
        ("page_size=many", "page_size"),
        ("product=abc", "product"),
        ("product=", "product"),
    ],
)
def test_a_query_value_of_the_wrong_kind_is_named(app: TestApp, query: str, field: str) -> None:
    assert list(app.get(f"/api/notes/?{query}", headers=AUTH, status=400).json) == [field]


def test_a_page_past_the_end_is_empty_however_far(app: TestApp) -> None:
    reply = app.get(f"/api/notes/?page={10**30}", headers=AUTH)
    assert reply.json["page"] == 10**30
    assert reply.json["next"] is None


def test_page_sizes_over_two_hundred_count_as_two_hundred(app: TestApp) -> None:
    assert app.get(f"/api/notes/?page_size={10**20}", headers=AUTH).json["page_size"] == 200
