"""Repeated and broken-off streams: one script, one charge, no credit held."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update
from webob import Request

from contentsvc.http import idempotency
from contentsvc.http.streaming import streams_of
from contentsvc.jobs.models import Job
from tests.fakes.scripts import STORY, line, result, said, script
from tests.functional.conftest import Client
from tests.functional.generating import Database, ledger_of
from tests.functional.scripting import Author, author, frames, kinds, only

AUTO = {"mode": "auto"}


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    with author(registry, database, owner) as made:
        made.provider.default = script()
        yield made


def stream(studio: Author, key: str, body: dict[str, Any] | None = None) -> Any:
    return studio.post("script-agent-stream", body or AUTO, key=key)


class OpenReply:
    """A stream that is read by hand, as the web server does."""

    def __init__(self, studio: Author, wsgi: Any) -> None:
        request = Request.blank(f"/api/projects/{studio.project}/script-agent-stream/", method="POST")
        request.headers["Authorization"] = f"Token {studio.owner.token}"
        request.content_type = "application/json"
        request.body = b'{"mode": "auto"}'
        self.status, self.headers, self.frames = request.call_application(wsgi)

    def next(self) -> bytes:
        return next(iter(self.frames))

    def close(self) -> None:
        self.frames.close()


def test_a_repeat_replays_the_end_of_the_stream(studio: Author) -> None:
    first = stream(studio, "once")
    again = stream(studio, "once")
    assert frames(again) == frames(first)[-2:]
    assert kinds(again) == ["saved", "done"]
    assert again.headers["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first.headers


def test_a_repeat_orders_nothing(studio: Author) -> None:
    stream(studio, "once")
    stream(studio, "once")
    assert len(studio.provider.orders) == 1
    assert studio.credit() == ("99.70", "0.00")


def test_another_body_under_the_same_key_is_a_conflict(studio: Author) -> None:
    stream(studio, "once")
    reply = stream(studio, "once", {"mode": "auto", "total_duration": 20})
    assert (reply.status_int, reply.json["code"]) == (409, "conflict")


def test_a_failed_stream_is_not_remembered(studio: Author) -> None:
    studio.provider.replies.append(said(line(error="The model is tired.")))
    assert kinds(stream(studio, "once"))[-1] == "error"
    assert kinds(stream(studio, "once"))[-1] == "done"


def test_a_repeat_waits_for_the_first_stream(studio: Author) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(stream, studio, "once")
        assert studio.provider.ordered.acquire(timeout=20)
        second = pool.submit(stream, studio, "once")
        gate.set()
        assert only(second.result(), "done") == only(first.result(), "done")
    assert len(studio.provider.orders) == 1


def test_a_repeat_gives_up_waiting(studio: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.3)
    gate = threading.Event()
    studio.provider.default = said(gate, result())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(stream, studio, "once")
        assert studio.provider.ordered.acquire(timeout=20)
        reply = stream(studio, "once")
        gate.set()
        assert kinds(first.result())[-1] == "done"
    assert (reply.status_int, reply.json["code"]) == (409, "conflict")
    assert int(reply.headers["Retry-After"]) > 0


def test_another_body_conflicts_while_the_first_stream_runs(studio: Author) -> None:
    gate = threading.Event()
    studio.provider.default = said(gate, result())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(stream, studio, "once")
        assert studio.provider.ordered.acquire(timeout=20)
        reply = stream(studio, "once", {"mode": "auto", "total_duration": 20})
        gate.set()
        first.result()
    assert (reply.status_int, reply.json["code"]) == (409, "conflict")


def test_a_frame_is_there_before_the_author_ends(studio: Author, wsgi: Any) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    assert reply.next() == b'data: {"type":"delta","text":"Well."}\n\n'
    gate.set()
    assert b'"type":"done"' in b"".join(reply.frames)
    reply.close()


def test_a_client_that_leaves_gets_his_credit_back(studio: Author, wsgi: Any) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    reply.next()
    assert studio.credit() == ("100.00", "0.30")
    reply.close()
    assert studio.credit() == ("100.00", "0.00")
    gate.set()
    [task] = studio.tasks()
    assert (task["status"], ledger_of(studio.owner, task["id"])) == ("failed", ["RESERVE", "RELEASE"])


def test_an_author_whose_client_leaves_is_hung_up_on(studio: Author, wsgi: Any) -> None:
    silence = threading.Event()
    studio.provider.default = said(line(text="Well."), silence, result())
    before = set(threading.enumerate())
    reply = OpenReply(studio, wsgi)
    reply.next()
    [writing] = [
        thread for thread in threading.enumerate() if thread.name == "script" and thread not in before
    ]
    reply.close()
    writing.join(5)
    assert not writing.is_alive()
    silence.set()


def test_a_client_that_never_reads_gets_his_credit_back(studio: Author, wsgi: Any) -> None:
    OpenReply(studio, wsgi).close()
    assert studio.credit() == ("100.00", "0.00")
    assert studio.provider.orders == []


def test_a_closed_stream_gives_its_place_back(studio: Author, wsgi: Any) -> None:
    streams = streams_of(studio.registry)
    streams.limit = 1
    try:
        OpenReply(studio, wsgi).close()
        assert kinds(studio.stream())[-1] == "done"
        assert kinds(studio.stream())[-1] == "done"
    finally:
        streams.limit = None


def test_an_open_stream_holds_its_place(studio: Author, wsgi: Any) -> None:
    streams = streams_of(studio.registry)
    streams.limit = 1
    try:
        reply = OpenReply(studio, wsgi)
        assert studio.stream().status_int == 503
        reply.close()
    finally:
        streams.limit = None


def test_a_server_that_stops_ends_its_streams(studio: Author, wsgi: Any) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    reply.next()
    streams_of(studio.registry).draining = True
    try:
        last = reply.next()
    finally:
        streams_of(studio.registry).draining = False
        gate.set()
    assert b'"type":"error"' in last
    assert b'"code":"unavailable"' in last
    reply.close()
    assert studio.credit() == ("100.00", "0.00")


def test_no_database_connection_is_held_while_the_author_thinks(studio: Author, wsgi: Any) -> None:
    from contentsvc.db.session import engine_of

    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    reply.next()
    assert engine_of(studio.registry).pool.checkedout() == 0  # type: ignore[attr-defined]
    gate.set()
    reply.close()


def test_a_stream_whose_server_died_is_released_by_a_worker(studio: Author, wsgi: Any) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    reply.next()
    with studio.database() as session:
        session.execute(update(Job).values(lease_until=None))
    studio.work()
    assert studio.credit() == ("100.00", "0.00")
    gate.set()
    last = b"".join(reply.frames)
    assert b'"type":"error"' in last
    assert studio.read()["current_script"] is None


def test_what_a_stream_stores_outlives_the_project(studio: Author, wsgi: Any) -> None:
    gate = threading.Event()
    studio.provider.default = said(line(text="Well."), gate, result())
    reply = OpenReply(studio, wsgi)
    reply.next()
    studio.owner.delete(f"/api/projects/{studio.project}/")
    gate.set()
    assert STORY[0].encode() in b"".join(reply.frames)
    reply.close()
    assert studio.credit() == ("99.70", "0.00")
