"""Failures and rates: counted in PostgreSQL, told with Retry-After, in their place in the order."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.http.errors import ApiError
from contentsvc.http.throttling import FailureThrottle
from tests.functional.http.app import OTHER_TOKEN, TOKEN, VIEWER, in_threads
from tests.functional.http.conftest import MakeApp


def _shift(app: TestApp, seconds: float) -> None:
    with engine_of(app.app.registry).begin() as connection:
        connection.execute(
            text("UPDATE rate_counter SET window_start = window_start - make_interval(secs => :seconds)"),
            {"seconds": seconds},
        )


def _refused(throttle: FailureThrottle, bucket: str = "b", limit: int = 3) -> ApiError | None:
    try:
        throttle.check(bucket, limit)
    except ApiError as error:
        return error
    return None


def test_a_bucket_is_closed_by_its_last_allowed_failure(app: TestApp) -> None:
    throttle = FailureThrottle(app.app.registry)
    for _ in range(2):
        throttle.record("b")
    assert _refused(throttle) is None
    throttle.record("b")
    error = _refused(throttle)
    assert error is not None
    assert (error.code, error.status) == ("rate_limited", 429)
    assert 14 * 60 < (error.retry_after or 0) <= 15 * 60


def test_buckets_do_not_share_failures(app: TestApp) -> None:
    throttle = FailureThrottle(app.app.registry)
    for _ in range(3):
        throttle.record("b")
    assert _refused(throttle, "other") is None


def test_after_its_retry_after_a_bucket_is_open_again(app: TestApp) -> None:
    throttle = FailureThrottle(app.app.registry)
    for _ in range(3):
        throttle.record("b")
    error = _refused(throttle)
    assert error is not None
    _shift(app, float(error.retry_after or 0))
    assert _refused(throttle) is None


def test_a_window_slides_with_its_failures(app: TestApp) -> None:
    throttle = FailureThrottle(app.app.registry)
    throttle.record("b")
    _shift(app, 10 * 60)
    for _ in range(2):
        throttle.record("b")
    error = _refused(throttle)
    assert error is not None
    assert 4 * 60 <= (error.retry_after or 0) <= 5 * 60


def test_concurrent_failures_are_all_counted(app: TestApp) -> None:
    throttle = FailureThrottle(app.app.registry)
    in_threads(20, lambda _index: throttle.record("b"))
    assert _refused(throttle, limit=21) is None
    assert _refused(throttle, limit=20) is not None


def _list(app: TestApp, token: str = TOKEN) -> Any:
    return app.get("/api/notes/", headers={"Authorization": token}, status="*")


def test_a_tokens_rate_is_kept(machinery: MakeApp) -> None:
    app = machinery({"http.token_rate": "2/hour"})
    assert [_list(app).status_int for _ in range(3)] == [200, 200, 429]
    reply = _list(app)
    assert reply.json["code"] == "rate_limited"
    assert 1 <= int(reply.headers["Retry-After"]) <= 3600


def test_one_tokens_rate_is_not_anothers(machinery: MakeApp) -> None:
    app = machinery({"http.token_rate": "1/hour"})
    assert [_list(app, token).status_int for token in (TOKEN, OTHER_TOKEN, TOKEN)] == [200, 200, 429]


def test_the_window_ends(machinery: MakeApp) -> None:
    app = machinery({"http.token_rate": "1/hour"})
    assert [_list(app).status_int for _ in range(2)] == [200, 429]
    _shift(app, 3600)
    assert _list(app).status_int == 200


def test_the_rate_comes_after_401_and_before_403(machinery: MakeApp) -> None:
    app = machinery({"http.token_rate": "1/hour"})
    replies = [
        app.post_json("/api/notes/", {}, headers={"Authorization": VIEWER}, status="*") for _ in range(2)
    ]
    assert [reply.status_int for reply in replies] == [403, 429]
    assert _list(app, "Token unknown").status_int == 401


def test_an_addresss_rate_is_kept_without_a_token(machinery: MakeApp) -> None:
    app = machinery({"http.address_rate": "1/hour"})
    statuses = [app.post_json("/api/public/", {}, status="*").status_int for _ in range(2)]
    assert statuses == [200, 429]
    app.post_json("/api/public/", {}, extra_environ={"REMOTE_ADDR": "203.0.113.8"}, status=200)
    assert _list(app).status_int == 200


def test_health_is_never_limited(machinery: MakeApp) -> None:
    app = machinery({"http.address_rate": "1/hour"})
    assert [app.get("/api/health/").status_int for _ in range(3)] == [200, 200, 200]


def test_an_address_behind_a_trusted_proxy_is_its_own(machinery: MakeApp) -> None:
    app = machinery({"http.address_rate": "1/hour", "http.trusted_proxies": "203.0.113.7"})
    statuses = [
        app.post_json("/api/public/", {}, headers={"X-Forwarded-For": address}, status="*").status_int
        for address in ("198.51.100.1", "198.51.100.2", "6.6.6.6, 198.51.100.1")
    ]
    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("header", ["6.6.6.6", "7.7.7.7"])
def test_a_stranger_cannot_choose_his_address(app: TestApp, header: str) -> None:
    seen: list[str] = []
    app.app.registry["test.hook"] = lambda request: seen.append(request.client_address)
    app.post_json("/api/notes/", {"title": "x"}, headers={"Authorization": TOKEN, "X-Forwarded-For": header})
    assert seen == ["203.0.113.7"]
