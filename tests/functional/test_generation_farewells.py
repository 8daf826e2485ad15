"""Many tasks given up at the same moment: each released once, whoever's they are."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.generation import farewells
from contentsvc.generation.admission import INLINE_KIND, Buyer, admit
from contentsvc.generation.farewells import farewells_of
from contentsvc.generation.inline import InlineTask, hold_inline
from contentsvc.generation.models import AITask, TaskAttempt
from contentsvc.generation.settlement import fail, lock_open
from contentsvc.jobs.models import Job
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.stream.orders import ScriptOrders
from contentsvc.projects.scripts.stream.schemas import ScriptStreamIn
from contentsvc.security.models import Team
from tests.functional.conftest import Client
from tests.functional.generating import Database, ledger_of
from tests.functional.projecting import add_project
from tests.functional.scripting import Author, author

GONE = "The client has gone."


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    with author(registry, database, owner) as made:
        yield made


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def held_tasks(
    studio: Author, stack: ExitStack, client: Client, project: str, count: int
) -> list[InlineTask]:
    """Ordered scripts, held as the web server does while it streams them."""
    assert client.team_id is not None
    with studio.database(client.team_id) as session:
        found = session.get_one(Project, uuid.UUID(project))
        order = ScriptOrders(session, studio.registry, found).read(ScriptStreamIn(mode="auto"))
        buyer = Buyer(session.get_one(Team, client.team_id), client.user_id)
        plans = [order.plan(found, None) for _ in range(count)]
        tasks = admit(session, studio.registry, buyer, plans, order.model, kind=INLINE_KIND)
    held = [stack.enter_context(hold_inline(studio.registry, task.id)) for task in tasks]
    for task in held:
        task.prepare()
    return held


def give_up_all(studio: Author, tasks: list[InlineTask]) -> None:
    together = farewells_of(studio.registry)
    with ThreadPoolExecutor(len(tasks)) as pool:
        list(pool.map(lambda task: together.give_up(task, GONE), tasks))


def task_of(studio: Author, task: InlineTask) -> AITask:
    with studio.database() as session:
        return session.get_one(AITask, task.run.subject_id)


def test_all_are_released(studio: Author, stack: ExitStack) -> None:
    tasks = held_tasks(studio, stack, studio.owner, studio.project, 8)
    assert studio.credit() == ("100.00", "2.40")
    give_up_all(studio, tasks)
    assert studio.credit() == ("100.00", "0.00")
    assert {(task["status"], task["error_message"]) for task in studio.tasks()} == {("failed", GONE)}


def test_each_has_its_own_ledger_row(studio: Author, stack: ExitStack) -> None:
    tasks = held_tasks(studio, stack, studio.owner, studio.project, 8)
    give_up_all(studio, tasks)
    assert [ledger_of(studio.owner, str(task.run.subject_id)) for task in tasks] == [
        ["RESERVE", "RELEASE"]
    ] * len(tasks)
    released = select(LedgerRow.frozen_after).where(LedgerRow.ledger_type == LedgerType.RELEASE)
    with studio.database() as session:
        after = sorted(session.scalars(released))
    assert [str(frozen) for frozen in after] == [
        "0.00", "0.30", "0.60", "0.90", "1.20", "1.50", "1.80", "2.10",
    ]  # fmt: skip


def test_several_teams_are_kept_apart(studio: Author, stack: ExitStack, other: Client) -> None:
    project = add_project(studio.registry, other.team_id)
    mine = held_tasks(studio, stack, studio.owner, studio.project, 4)
    theirs = held_tasks(studio, stack, other, project, 4)
    give_up_all(studio, [*mine, *theirs])
    assert studio.credit() == ("100.00", "0.00")
    assert other.get("/api/billing/summary/").json["frozen"] == "0.00"


def test_jobs_and_attempts_end_too(studio: Author, stack: ExitStack) -> None:
    give_up_all(studio, held_tasks(studio, stack, studio.owner, studio.project, 3))
    with studio.database() as session:
        states = set(session.scalars(select(Job.state)))
        ended = {(row.outcome, row.error) for row in session.scalars(select(TaskAttempt))}
    assert (states, ended) == ({"done"}, {("failed", GONE)})


def test_a_task_that_is_over_is_left_alone(studio: Author, stack: ExitStack) -> None:
    first, second = held_tasks(studio, stack, studio.owner, studio.project, 2)
    with studio.database() as session:
        task = lock_open(session, first.run.subject_id)
        assert task is not None
        fail(session, studio.registry, task, "Reaped.")
    give_up_all(studio, [first, second])
    assert task_of(studio, first).error_message == "Reaped."
    assert task_of(studio, second).error_message == GONE


def test_when_together_fails_each_is_given_up_alone(
    studio: Author, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_arguments: Any) -> None:
        raise RuntimeError("stumbled")

    monkeypatch.setattr(farewells, "end_attempts", stumble)
    give_up_all(studio, held_tasks(studio, stack, studio.owner, studio.project, 3))
    assert studio.credit() == ("100.00", "0.00")
    assert {task["error_message"] for task in studio.tasks()} == {GONE}
