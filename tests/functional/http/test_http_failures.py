"""What goes wrong inside: one envelope, nothing internal told, nothing half done."""

from __future__ import annotations

import pytest
from webtest import TestApp

from tests.functional.http.app import titles


def test_a_crash_says_only_that_and_its_request_id(app: TestApp) -> None:
    reply = app.get("/api/failing/crash/", status=500)
    assert reply.json == {
        "detail": f"Something went wrong. Request id: {reply.headers['X-Request-ID']}.",
        "code": "internal_error",
    }


def test_a_refusal_carries_its_extra_members(app: TestApp) -> None:
    assert app.get("/api/failing/refused/", status=409).json == {
        "detail": "Not now.",
        "code": "conflict",
        "which": 7,
    }


def test_a_refusal_rolls_back(app: TestApp) -> None:
    app.get("/api/failing/leaky/", status=404)
    assert titles(app) == []


@pytest.mark.parametrize("how", ["serialization", "deadlock"])
def test_a_lost_race_is_tried_three_times_and_then_unavailable(app: TestApp, how: str) -> None:
    reply = app.get(f"/api/failing/{how}/", status=503)
    assert reply.json["code"] == "unavailable"
    assert int(reply.headers["Retry-After"]) >= 1
    assert app.app.registry["test.calls"] == [how] * 3


def test_a_race_lost_once_is_won_the_second_time(app: TestApp) -> None:
    app.get("/api/failing/once/", status=204)
    assert app.app.registry["test.calls"] == ["once", "once"]


def test_what_was_committed_half_way_is_not_done_again(app: TestApp) -> None:
    app.get("/api/failing/committed/", status=503)
    assert app.app.registry["test.calls"] == ["committed"]
    assert titles(app) == ["kept"]


@pytest.mark.parametrize("how", ["lock", "killed"])
def test_what_is_only_busy_or_away_is_unavailable_at_once(app: TestApp, how: str) -> None:
    reply = app.get(f"/api/failing/{how}/", status=503)
    assert reply.json["code"] == "unavailable"
    assert int(reply.headers["Retry-After"]) >= 1
    assert app.app.registry["test.calls"] == [how]


def test_a_taken_unique_value_is_a_conflict(app: TestApp) -> None:
    assert app.get("/api/failing/unique/", status=409).json["code"] == "conflict"


def test_a_value_the_database_cannot_hold_is_the_clients_fault(app: TestApp) -> None:
    assert app.get("/api/failing/data/", status=400).json["code"] == "malformed_json"


def test_a_broken_statement_is_ours(app: TestApp) -> None:
    assert app.get("/api/failing/defect/", status=500).json["code"] == "internal_error"
