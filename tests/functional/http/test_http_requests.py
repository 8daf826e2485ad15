"""Addresses, methods, ids, headers: what every request meets first."""

from __future__ import annotations

import re
from typing import Any

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from webtest import TestApp

from tests.functional.http.app import KNOWN_ID, TOKEN
from tests.functional.http.conftest import MakeApp

AUTH = {"Authorization": TOKEN}


def test_every_reply_carries_a_request_id(app: TestApp) -> None:
    first = app.get("/api/health/").headers["X-Request-ID"]
    second = app.get("/api/health/").headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{32}", first)
    assert first != second


@pytest.mark.parametrize(
    "path", ["/api/nothing/", "/api/notes", "/api/notes/", "/api/failing/crash/", "/%ff/"]
)
def test_a_refusal_carries_the_clients_own_request_id(app: TestApp, path: str) -> None:
    reply = app.get(path, headers={"X-Request-ID": "My.id_-1"}, status="*")
    assert reply.headers["X-Request-ID"] == "My.id_-1"


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, "ä", "a\tb", "id;x"])
def test_a_malformed_request_id_is_replaced(app: TestApp, sent: str) -> None:
    reply = app.get("/api/health/", headers={"X-Request-ID": sent})
    assert re.fullmatch(r"[0-9a-f]{32}", reply.headers["X-Request-ID"])


@pytest.mark.parametrize(
    "path", ["/%ff/", "/api/notes/%C0%AF/", "/api/health/?q=%ff", "/api/health/?%ED%A0%80=1"]
)
def test_an_address_that_is_no_utf8_is_refused(app: TestApp, path: str) -> None:
    reply = app.get(path, status=400)
    assert reply.json["code"] == "malformed_json"


@pytest.mark.parametrize("path", ["/api/notes/%00/act/", "/api/health/?q=%00", "/api/health/?a%00=1"])
def test_nul_in_an_address_is_refused(app: TestApp, path: str) -> None:
    assert app.get(path, status=400).json["code"] == "malformed_json"


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE", "HEAD"])
def test_a_known_path_without_its_slash_redirects_with_its_query(app: TestApp, method: str) -> None:
    reply = app.request("/api/notes?q=a%20b&page=2", method=method, status=308)
    assert reply.headers["Location"] == "http://localhost/api/notes/?q=a%20b&page=2"
    assert reply.body == b""


def test_the_redirect_names_the_public_address(machinery: MakeApp) -> None:
    app = machinery({"http.public_url": "https://api.example.com"})
    reply = app.get(f"/api/notes/{KNOWN_ID}/act", status=308)
    assert reply.headers["Location"] == f"https://api.example.com/api/notes/{KNOWN_ID}/act/"


@pytest.mark.parametrize(
    "path", ["/api/nothing", "/api/nothing/", "/api/openapi.json/", "/", "//evil.example/x"]
)
def test_an_unknown_path_is_not_found(app: TestApp, path: str) -> None:
    reply = app.get(path, status=404)
    assert reply.json["code"] == "not_found"
    assert reply.content_type == "application/json"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
def test_a_method_a_path_does_not_take_is_refused_before_the_token(app: TestApp, method: str) -> None:
    reply = app.request("/api/notes/", method=method, status=405)
    assert reply.json["code"] == "method_not_allowed"
    assert reply.headers["Allow"] == "GET, HEAD, POST"


def test_a_method_nobody_knows_is_refused_like_any_other(app: TestApp) -> None:
    app.lint = False
    assert app.request("/api/notes/", method="PROPFIND", status=405).json["code"] == "method_not_allowed"


def test_head_answers_as_get_without_a_body(app: TestApp) -> None:
    read = app.get("/api/notes/", headers=AUTH)
    head = app.head("/api/notes/", headers=AUTH)
    assert head.status_int == 200
    assert head.body == b""
    assert head.headers["Content-Length"] == read.headers["Content-Length"]


def test_replies_forbid_sniffing(app: TestApp) -> None:
    assert app.get("/api/nothing/", status=404).headers["X-Content-Type-Options"] == "nosniff"


def test_without_origins_a_browser_elsewhere_gets_no_permission(app: TestApp) -> None:
    reply = app.get("/api/health/", headers={"Origin": "https://shop.example"})
    assert "Access-Control-Allow-Origin" not in reply.headers


CORS = {"http.cors_origins": "https://shop.example"}


def test_a_preflight_of_a_known_origin_is_granted(machinery: MakeApp) -> None:
    reply = machinery(CORS).options(
        "/api/notes/",
        headers={"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"},
        status=204,
    )
    assert reply.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert reply.headers["Access-Control-Allow-Methods"] == "GET, HEAD, POST, OPTIONS"
    assert "Idempotency-Key" in reply.headers["Access-Control-Allow-Headers"]
    assert "Origin" in reply.vary


def test_a_preflight_of_a_foreign_origin_is_not_granted(machinery: MakeApp) -> None:
    reply = machinery(CORS).options(
        "/api/notes/",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
        status=204,
    )
    assert "Access-Control-Allow-Origin" not in reply.headers
    assert "Access-Control-Allow-Methods" not in reply.headers


def test_options_on_an_unknown_path_is_not_found_with_origins_too(machinery: MakeApp) -> None:
    machinery(CORS).options("/api/nothing/", status=404)


def test_refusals_are_readable_by_the_browser_of_a_known_origin(machinery: MakeApp) -> None:
    reply = machinery(CORS).get("/api/notes/", headers={"Origin": "https://shop.example"}, status=401)
    assert reply.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert "X-Request-ID" in reply.headers["Access-Control-Expose-Headers"]


def _next_link(app: TestApp, headers: dict[str, str]) -> str:
    for title in ("one", "two"):
        app.post_json("/api/notes/", {"title": title}, headers=AUTH)
    return str(app.get("/api/notes/?page_size=1", headers={**AUTH, **headers}).json["next"])


FORWARDED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example"}


def test_a_trusted_proxy_names_scheme_and_host(machinery: MakeApp) -> None:
    app = machinery({"http.trusted_proxies": "203.0.113.0/24"})
    assert _next_link(app, FORWARDED) == "https://shop.example/api/notes/?page_size=1&page=2"


def test_forwarded_headers_of_strangers_are_not_believed(app: TestApp) -> None:
    assert _next_link(app, FORWARDED) == "http://localhost/api/notes/?page_size=1&page=2"


def test_a_request_is_logged_by_its_pattern_without_its_address_or_query(app: TestApp) -> None:
    with capture_logs(processors=[merge_contextvars]) as lines:
        reply = app.post_json(f"/api/notes/{KNOWN_ID}/act/?token=canary", {"title": "x"}, headers=AUTH)
    (line,) = [one for one in lines if one["event"] == "request"]
    assert line["route"] == "/api/notes/{id}/act/"
    assert (line["method"], line["status"], line["log_level"]) == ("POST", 202, "info")
    assert line["request_id"] == reply.headers["X-Request-ID"]
    assert line["ms"] > 0
    assert "canary" not in str(lines)
    assert KNOWN_ID not in str(lines)


def test_a_signed_in_users_request_is_logged_with_user_and_team(owner: Any) -> None:
    with capture_logs(processors=[merge_contextvars]) as lines:
        owner.get("/api/auth/me/")
    (line,) = [one for one in lines if one["event"] == "request"]
    assert (line["user_id"], line["team_id"]) == (str(owner.user_id), str(owner.team_id))
