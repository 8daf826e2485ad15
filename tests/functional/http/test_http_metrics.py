"""Who may read the metrics, and what a process tells of itself."""

from __future__ import annotations

import pytest
from webtest import TestApp

from tests.functional.http.conftest import MakeApp

METRICS = "/api/metrics/"
LOCAL = {"REMOTE_ADDR": "127.0.0.1"}
TOKEN = "scrape-me-0123456789"


def series(app: TestApp, start: str) -> list[str]:
    text = app.get(METRICS, extra_environ=LOCAL).text
    return [line for line in text.splitlines() if line.startswith(start)]


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
def test_without_a_token_in_the_ini_this_machine_may_read(app: TestApp, address: str) -> None:
    reply = app.get(METRICS, extra_environ={"REMOTE_ADDR": address})
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE contentsvc_http_requests_total counter\n" in reply.text


@pytest.mark.parametrize("address", ["203.0.113.7", "10.0.0.1", "::2", "", "localhost"])
def test_others_may_not(app: TestApp, address: str) -> None:
    reply = app.get(METRICS, extra_environ={"REMOTE_ADDR": address}, status=403)
    assert reply.json["code"] == "permission_denied"


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host", "X-Forwarded-Proto"]
)
def test_who_came_through_a_proxy_is_not_on_this_machine(machinery: MakeApp, header: str) -> None:
    app = machinery({"http.trusted_proxies": "127.0.0.1"})
    app.get(METRICS, headers={header: "127.0.0.1"}, extra_environ=LOCAL, status=403)


class TestWithATokenInTheIni:
    @pytest.fixture
    def app(self, machinery: MakeApp) -> TestApp:
        return machinery({"http.metrics_token": TOKEN})

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "Token"])
    def test_it_opens_from_anywhere(self, app: TestApp, scheme: str) -> None:
        headers = {"Authorization": f"{scheme} {TOKEN}", "X-Forwarded-For": "198.51.100.1"}
        assert TOKEN not in app.get(METRICS, headers=headers, status=200).text

    @pytest.mark.parametrize("value", ["", TOKEN, "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer \xe9"])
    def test_nothing_else_does(self, app: TestApp, value: str) -> None:
        app.get(METRICS, headers={"Authorization": value}, extra_environ=LOCAL, status=403)


def test_requests_are_counted_by_pattern_and_status(app: TestApp) -> None:
    for _ in range(2):
        app.get("/api/failing/refused/", expect_errors=True)
    app.get("/api/nowhere/", status=404)
    counted = {line.partition("{")[2] for line in series(app, "contentsvc_http_requests_total{")}
    ending = 'method="GET",route="/api/failing/{how}/",status="409"} 2'
    assert sum(line.endswith(ending) for line in counted) == 1
    assert sum('route="none",status="404"} 1' in line for line in counted) == 1


def test_the_histogram_adds_up(app: TestApp) -> None:
    app.get("/api/nowhere/", status=404)
    buckets = [int(line.rpartition(" ")[2]) for line in series(app, "contentsvc_http_request_seconds_bucket")]
    (count,) = [int(line.rpartition(" ")[2]) for line in series(app, "contentsvc_http_request_seconds_count")]
    assert buckets == sorted(buckets)
    assert (len(buckets), buckets[-1]) == (12, count - 1)


def test_figures_that_cannot_be_read_are_told_and_take_nothing_else_down(app: TestApp) -> None:
    def fail(_registry: object) -> list[object]:
        raise RuntimeError("no route to 10.0.0.5")

    app.app.registry["contentsvc.metrics"]["lost"] = fail
    assert series(app, "contentsvc_source_up") == ['contentsvc_source_up{source="lost"} 0']
