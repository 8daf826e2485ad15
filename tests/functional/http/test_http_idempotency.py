"""Idempotency-Key: one effect, one reply, however often and however concurrently it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import text
from webtest import TestApp

from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.http import idempotency
from tests.functional.http.app import OTHER_TOKEN, TOKEN, VIEWER, in_threads, new_key, titles

NOTE = {"title": "one"}
FILE = [("file", "a.txt", b"hello")]


def _headers(key: str, token: str = TOKEN) -> dict[str, str]:
    return {"Authorization": token, "Idempotency-Key": key}


def _post(app: TestApp, key: str, body: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    token = kwargs.pop("token", TOKEN)
    return app.post_json("/api/notes/", body or NOTE, headers=_headers(key, token), status="*", **kwargs)


@pytest.fixture
def hook(app: TestApp) -> Iterator[Callable[[Callable[..., Any]], None]]:
    """``hook(function)``: called by the creating views after their work."""
    yield lambda function: app.app.registry.__setitem__("test.hook", function)
    app.app.registry.pop("test.hook", None)


def test_a_repeat_replays_the_first_reply(app: TestApp) -> None:
    key = new_key()
    first, second = _post(app, key), _post(app, key)
    assert second.status_int == first.status_int == 201
    assert second.body == first.body
    assert second.content_type == first.content_type
    assert second.headers["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first.headers
    assert titles(app) == ["one"]


def test_a_repeat_is_told_by_its_content_not_by_its_spelling(app: TestApp) -> None:
    key = new_key()
    headers = {**_headers(key), "Content-Type": "application/json"}
    app.post("/api/notes/", b'{"title": "one", "count": 2}', headers=headers)
    app.post("/api/notes/", b' {"count":2, "title":"\\u006fne"}', headers=headers, status=201)
    assert titles(app) == ["one"]


def test_another_body_under_the_same_key_is_a_conflict(app: TestApp) -> None:
    key = new_key()
    _post(app, key)
    reply = _post(app, key, {"title": "two"})
    assert (reply.status_int, reply.json["code"]) == (409, "conflict")
    assert titles(app) == ["one"]


def test_keys_belong_to_a_user(app: TestApp) -> None:
    key = new_key()
    _post(app, key)
    _post(app, key, {"title": "two"}, token=OTHER_TOKEN)
    assert titles(app) == ["one", "two"]


def test_keys_belong_to_a_path(app: TestApp) -> None:
    key = new_key()
    _post(app, key)
    app.post_json("/api/optional/", {"title": "two"}, headers=_headers(key))
    assert titles(app) == ["one", "two"]


def test_the_case_of_an_id_makes_no_other_path(app: TestApp) -> None:
    key = new_key()
    path = "/api/notes/0190a6e2-1111-7000-8000-000000000001/act/"
    app.post_json(path, NOTE, headers=_headers(key))
    app.post_json(path.replace("a6e2", "A6E2"), NOTE, headers=_headers(key))
    assert titles(app) == ["one"]


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "tab\there", "\x7f", "é"])
def test_a_malformed_key_is_refused(app: TestApp, key: str) -> None:
    app.lint = False
    reply = _post(app, key)
    assert (reply.status_int, reply.json["code"]) == (400, "malformed_json")
    assert titles(app) == []


def test_the_longest_key_is_taken(app: TestApp) -> None:
    assert _post(app, "~" * 255).status_int == 201


def test_a_malformed_key_is_looked_at_after_the_permission(app: TestApp) -> None:
    assert _post(app, "a b", token="").status_int == 401
    assert _post(app, "a b", token=VIEWER).status_int == 403


def test_without_a_user_the_key_is_ignored(app: TestApp) -> None:
    for _ in range(2):
        app.post_json("/api/public/", NOTE, headers={"Idempotency-Key": "same"})
    app.post_json("/api/public/", NOTE, headers={"Idempotency-Key": "not valid"})
    assert titles(app) == ["one", "one", "one"]


def test_a_refusal_is_not_remembered(app: TestApp) -> None:
    key = new_key()
    assert _post(app, key, {"title": ""[:0], "count": 0}).status_int == 400
    assert _post(app, key).status_int == 201
    assert titles(app) == ["one"]


def test_a_first_call_that_died_leaves_nothing_behind(app: TestApp, hook: Any) -> None:
    key = new_key()

    def die(_request: Any) -> None:
        raise RuntimeError("died")

    hook(die)
    assert _post(app, key).status_int == 500
    hook(None)
    assert _post(app, key).status_int == 201
    assert titles(app) == ["one"]


def test_an_empty_reply_is_replayed(app: TestApp) -> None:
    key = new_key()
    replies = [app.post("/api/bodiless/", headers=_headers(key)) for _ in range(2)]
    assert [reply.status_int for reply in replies] == [204, 204]
    assert replies[1].headers["Idempotent-Replay"] == "true"
    assert replies[1].body == b""
    assert titles(app) == ["bodiless"]


def test_a_repeat_is_replayed_before_the_body_is_judged(app: TestApp) -> None:
    key = new_key()
    _post(app, key)
    reply = app.post(
        "/api/notes/", b'{"title": "one"}', headers=_headers(key), content_type="text/plain", status=201
    )
    assert reply.headers["Idempotent-Replay"] == "true"


def test_twenty_concurrent_calls_have_one_effect(app: TestApp) -> None:
    key = new_key()
    replies = in_threads(20, lambda _index: _post(app, key))
    assert {reply.status_int for reply in replies} == {201}
    assert len({reply.body for reply in replies}) == 1
    assert sum("Idempotent-Replay" not in reply.headers for reply in replies) == 1
    assert titles(app) == ["one"]


def test_a_repeat_while_the_first_runs_waits_and_is_then_told_to_come_again(
    app: TestApp, hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.2)
    key, entered, leave = new_key(), threading.Event(), threading.Event()

    def block(_request: Any) -> None:
        entered.set()
        leave.wait(20)

    hook(block)
    replies: list[Any] = []
    first = threading.Thread(target=lambda: replies.append(_post(app, key)))
    first.start()
    assert entered.wait(20)
    reply = _post(app, key)
    leave.set()
    first.join(20)
    assert (reply.status_int, reply.json["code"]) == (409, "conflict")
    assert int(reply.headers["Retry-After"]) >= 1
    assert replies[0].status_int == 201
    hook(None)
    assert _post(app, key).headers["Idempotent-Replay"] == "true"


def test_the_wait_for_a_key_does_not_change_the_views_own_timeouts(app: TestApp, hook: Any) -> None:
    seen: list[str] = []
    hook(lambda request: seen.append(request.db.scalar(text("SHOW lock_timeout"))))
    _post(app, new_key())
    assert seen == ["5s"]


def _upload(app: TestApp, key: str, files: Any = None, **fields: str) -> Any:
    return app.post("/api/files/", fields, headers=_headers(key), upload_files=files or FILE, status="*")


def test_an_upload_is_replayed(app: TestApp) -> None:
    key = new_key()
    first, second = _upload(app, key, name="n"), _upload(app, key, name="n")
    assert second.body == first.body
    assert second.headers["Idempotent-Replay"] == "true"
    assert titles(app) == ["a.txt"]


@pytest.mark.parametrize(
    ("files", "fields"), [([("file", "a.txt", b"hellO")], {"name": "n"}), (FILE, {"name": "m"})]
)
def test_another_upload_under_the_same_key_is_a_conflict(app: TestApp, files: Any, fields: Any) -> None:
    key = new_key()
    _upload(app, key, name="n")
    assert _upload(app, key, files, **fields).status_int == 409
    assert titles(app) == ["a.txt"]


def test_a_repeated_upload_is_replayed_before_its_target_is_looked_for(app: TestApp) -> None:
    key = new_key()
    path = "/api/notes/0190a6e2-1111-7000-8000-000000000001/files/"
    app.post(path, headers=_headers(key), upload_files=FILE, status=201)
    reply = app.post(path, headers=_headers(key), upload_files=FILE, status=201)
    assert reply.headers["Idempotent-Replay"] == "true"


def test_concurrent_uploads_have_one_effect(app: TestApp) -> None:
    key = new_key()
    replies = in_threads(8, lambda _index: _upload(app, key))
    assert {reply.status_int for reply in replies} == {201}
    assert len({reply.body for reply in replies}) == 1
    assert titles(app) == ["a.txt"]


def test_a_view_that_leaves_its_transaction_makes_one_thing_of_two_calls(app: TestApp, hook: Any) -> None:
    from contentsvc.http import outside_transaction

    key, both = new_key(), threading.Barrier(2)

    def store(request: Any) -> None:
        with outside_transaction(request):
            both.wait(20)

    hook(store)
    replies = in_threads(2, lambda _index: _upload(app, key))
    assert [reply.status_int for reply in replies] == [201, 201]
    assert sorted("Idempotent-Replay" in reply.headers for reply in replies) == [False, True]
    assert titles(app) == ["a.txt"]


def _age(app: TestApp, hours: int) -> None:
    with engine_of(app.app.registry).begin() as connection:
        connection.execute(
            text("UPDATE idempotency_record SET created_at = created_at - make_interval(hours => :hours)"),
            {"hours": hours},
        )


def test_a_reply_is_remembered_for_a_day(app: TestApp) -> None:
    key = new_key()
    _post(app, key)
    _age(app, 23)
    assert "Idempotent-Replay" in _post(app, key).headers
    _age(app, 2)
    reply = _post(app, key, {"title": "two"})
    assert reply.status_int == 201
    assert "Idempotent-Replay" in _post(app, key, {"title": "two"}).headers
    assert titles(app) == ["one", "two"]


def test_old_replies_and_counters_are_forgotten(app: TestApp) -> None:
    registry = app.app.registry
    _post(app, new_key())
    _age(app, 25)
    _post(app, new_key(), {"title": "two"})
    with transaction_scope(registry) as session:
        session.execute(
            text(
                "INSERT INTO rate_counter VALUES ('old', clock_timestamp() - interval '2 hours', 1),"
                " ('new', clock_timestamp(), 1)"
            )
        )
    assert idempotency.forget_expired(registry) == 2
    with transaction_scope(registry) as session:
        assert session.scalars(text("SELECT bucket FROM rate_counter")).all() == ["new"]
