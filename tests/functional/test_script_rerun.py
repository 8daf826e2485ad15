"""One segment of the working script, rewritten while the client waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update

from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.fakes.scripts import STORY, line, result, said
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, ledger_of, unknown_id
from tests.functional.projecting import add_script
from tests.functional.scripting import Author, author


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    with author(registry, database, owner) as made:
        made.provider.default = said(result("A new beginning."))
        yield made


@pytest.fixture
def script(studio: Author) -> dict[str, Any]:
    return add_script(studio.registry, studio.owner.team_id, studio.project)


def rerun(studio: Author, segment_id: str, *, key: str | None = None, **fields: Any) -> Any:
    return studio.post("rerun-script-segment", {"segment_id": segment_id, **fields}, key=key)


def test_it_answers_a_new_version(studio: Author, script: dict[str, Any]) -> None:
    reply = rerun(studio, script["segment_ids"][1], instruction="warmer")
    assert reply.status_int == 200
    assert (reply.json["version"], reply.json["base_version"], reply.json["prompt"]) == (
        2,
        script["id"],
        "warmer",
    )
    assert reply.json == studio.read()["current_script"]


def test_only_that_segment_changes(studio: Author, script: dict[str, Any]) -> None:
    before = studio.read()["current_script"]["segments"]
    after = rerun(studio, script["segment_ids"][1]).json["segments"]
    assert [after[0], after[2]] == [before[0], before[2]]
    assert (after[1]["segment_id"], after[1]["narration"]) == (before[1]["segment_id"], "A new beginning.")


def test_the_author_is_told_which(studio: Author, script: dict[str, Any]) -> None:
    rerun(studio, script["segment_ids"][2], instruction="warmer")
    [order] = studio.provider.orders
    assert (order["mode"], order["target_index"], order["instruction"]) == ("revise", 2, "warmer")
    assert order["narrations"] == list(STORY)


def test_it_is_charged(studio: Author, script: dict[str, Any]) -> None:
    rerun(studio, script["segment_ids"][0])
    [task] = studio.tasks()
    assert (task["task_type"], task["status"], task["actual_cost"]) == (
        "script_segment",
        "succeeded",
        "0.30",
    )
    assert studio.credit() == ("99.70", "0.00")


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (said(line(error="The model is tired.")), "The model is tired."),
        (said(result("One.", "Two.")), "The model returned a script that can't be used."),
        (Reply.json(500, {}), "The provider has failed."),
    ],
    ids=["an error", "too much", "a refusal"],
)
def test_a_failure_is_told_and_released(
    studio: Author, script: dict[str, Any], answer: Reply, detail: str
) -> None:
    studio.provider.default = answer
    reply = rerun(studio, script["segment_ids"][0])
    assert (reply.status_int, reply.json) == (502, {"detail": detail, "code": "provider_error"})
    [task] = studio.tasks()
    assert (task["status"], task["error_message"]) == ("failed", detail)
    assert ledger_of(studio.owner, task["id"]) == ["RESERVE", "RELEASE"]
    assert studio.read()["current_script"]["id"] == script["id"]


def test_a_repeat_answers_the_same_version(studio: Author, script: dict[str, Any]) -> None:
    first = rerun(studio, script["segment_ids"][0], key="once")
    again = rerun(studio, script["segment_ids"][0], key="once")
    assert again.json == first.json
    assert (first.headers.get("Idempotent-Replay"), again.headers["Idempotent-Replay"]) == (None, "true")
    assert len(studio.provider.orders) == 1


def test_a_repeat_waits_for_the_first(studio: Author, script: dict[str, Any]) -> None:
    gate = threading.Event()
    studio.provider.default = said(gate, result("A new beginning."))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(rerun, studio, script["segment_ids"][0], key="once")
        assert studio.provider.ordered.acquire(timeout=20)
        second = pool.submit(rerun, studio, script["segment_ids"][0], key="once")
        gate.set()
        assert second.result().json == first.result().json
    assert studio.credit() == ("99.70", "0.00")


def test_a_failure_is_not_remembered(studio: Author, script: dict[str, Any]) -> None:
    studio.provider.replies.append(said(line(error="The model is tired.")))
    assert rerun(studio, script["segment_ids"][0], key="once").status_int == 502
    assert rerun(studio, script["segment_ids"][0], key="once").status_int == 200


@pytest.mark.parametrize("segment", ["first", unknown_id()])
def test_an_unknown_segment_is_not_found(studio: Author, script: dict[str, Any], segment: str) -> None:
    assert rerun(studio, segment).status_int == 404
    assert studio.tasks() == []


def test_before_any_script_no_segment_is_found(studio: Author) -> None:
    assert rerun(studio, unknown_id()).status_int == 404


def test_a_segment_is_needed(studio: Author) -> None:
    reply = studio.post("rerun-script-segment", {})
    assert (reply.status_int, list(reply.json)) == (400, ["segment_id"])


def test_an_empty_instruction_is_refused(studio: Author, script: dict[str, Any]) -> None:
    reply = rerun(studio, script["segment_ids"][0], instruction="")
    assert (reply.status_int, list(reply.json)) == (400, ["instruction"])


def test_without_any_model_nothing_is_rewritten(
    studio: Author, script: dict[str, Any], database: Database
) -> None:
    with database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
    reply = rerun(studio, script["segment_ids"][0])
    assert (reply.status_int, reply.json["code"]) == (503, "no_model")


def test_an_empty_account_is_refused(studio: Author, script: dict[str, Any], database: Database) -> None:
    with database() as session:
        session.execute(update(ModelConfig).where(ModelConfig.name == "fake-script").values(unit_price=1000))
    reply = rerun(studio, script["segment_ids"][0])
    assert (reply.status_int, reply.json["code"]) == (402, "insufficient_balance")


def test_a_viewer_may_not_order(studio: Author, script: dict[str, Any], make_client: MakeClient) -> None:
    viewer = make_client("viewer", team_id=studio.owner.team_id)
    body = {"segment_id": script["segment_ids"][0]}
    assert studio.post("rerun-script-segment", body, client=viewer).status_int == 403


def test_another_teams_project_is_unknown(studio: Author, script: dict[str, Any], other: Client) -> None:
    body = {"segment_id": script["segment_ids"][0]}
    assert studio.post("rerun-script-segment", body, client=other).status_int == 404
