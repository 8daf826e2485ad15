"""A provider who takes an order when it is over: his job is noted and asked for, its work kept, uncharged."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from contentsvc_fake import FakeImages
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.generation.admission import LATE_KIND
from contentsvc.generation.models import TaskAttempt
from contentsvc.jobs.models import Job
from contentsvc.plugin import Context
from contentsvc.providers.plugins import Plugins, install, plugins_of
from tests.fakes.provider import Reply
from tests.functional.clipping import ACCEPTED
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read
from tests.functional.grouping import picture_studio
from tests.functional.tasking import at_work, chain, reap, retry, stuck_picture

PENDING = Reply.json(202, {"progress": 0.5})
JOB = "remote-7"


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        with database() as session:
            add_fake_models(session, studio.provider.url)
        yield studio


def accepted_late(studio: Studio, client: Client, act: Callable[[str], object], *polls: Reply) -> str:
    """The task of an order that the provider takes after ``act``; ``polls`` are his later answers."""
    studio.provider.polls.extend(polls)
    task_id = stuck_picture(studio, client)
    with at_work(studio, ACCEPTED):
        act(task_id)
    return task_id


def fetched_late(studio: Studio, client: Client, act: Callable[[str], object], *polls: Reply) -> str:
    """The same, asked for until there is nothing more to ask for."""
    task_id = accepted_late(studio, client, act, *polls)
    studio.work()
    return task_id


def attempts(client: Client, task_id: str) -> list[Any]:
    return list(client.get(f"/api/ai/tasks/{task_id}/explain/").json["attempts"])


def outcomes(studio: Studio, task_id: str) -> list[tuple[str, str | None]]:
    """What came of each order, and what the provider calls it."""
    mine = select(TaskAttempt).where(TaskAttempt.task_id == uuid.UUID(task_id)).order_by(TaskAttempt.id)
    with studio.database() as session:
        return [(attempt.outcome, attempt.remote_job_id) for attempt in session.scalars(mine)]


def late_marks(client: Client, task_id: str) -> list[bool | None]:
    return [asset["metadata"].get("late") for asset in read(client, task_id)["assets"]]


def late_job(studio: Studio) -> Job:
    with studio.database() as session:
        return session.scalars(select(Job).where(Job.kind == LATE_KIND)).one()


def take_over(studio: Studio) -> None:
    """What a worker does that finds another's lease run out."""
    with studio.database() as session:
        session.execute(update(Job).values(fence=Job.fence + 1, lease_until=None, held_by=None))


def test_its_work_is_kept_for_the_customer(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task))
    assert (read(owner, task_id)["status"], late_marks(owner, task_id)) == ("failed", [True])
    assert studio.provider.polled == [JOB]


def test_nothing_is_charged_for_it(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task))
    assert (read(owner, task_id)["actual_cost"], ledger_of(owner, task_id)) == (None, ["RESERVE", "RELEASE"])
    assert studio.faults() == []


def test_the_attempt_tells_that_it_came_late_and_what_was_used(
    studio: Studio, owner: Client, admin: Client
) -> None:
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task))
    [attempt] = attempts(admin, task_id)
    assert (attempt["outcome"], outcomes(studio, task_id)) == ("late", [("late", JOB)])
    assert attempt["usage"] == {"units": None, "raw": {"pictures": 1}}


def test_the_attempt_of_any_accepted_order_keeps_its_job(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(ACCEPTED)
    [task_id] = order(owner)
    studio.work()
    assert outcomes(studio, task_id) == [("succeeded", JOB)]


def test_an_order_that_is_done_at_once_has_no_job(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    studio.work()
    assert outcomes(studio, task_id) == [("succeeded", None)]


def test_it_is_waited_for(studio: Studio, owner: Client, admin: Client) -> None:
    polls = (PENDING, Reply(503), PENDING)
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task), *polls)
    assert (late_marks(owner, task_id), len(studio.provider.polled)) == ([True], 4)


def test_the_job_is_kept_before_it_is_done(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = accepted_late(studio, owner, lambda task: reap(admin, task))
    assert outcomes(studio, task_id) == [("reaped", JOB)]


def test_it_is_asked_for_after_a_while(studio: Studio, owner: Client, admin: Client) -> None:
    accepted_late(studio, owner, lambda task: reap(admin, task))
    job = late_job(studio)
    assert job.state == "open"
    assert job.ring_at - job.created_at > timedelta(seconds=1)


def test_work_that_failed_there_is_not_asked_for_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task), Reply(422))
    assert (late_job(studio).state, len(studio.provider.polled)) == ("done", 1)
    assert (outcomes(studio, task_id), late_marks(owner, task_id)) == ([("reaped", JOB)], [])


def test_work_that_does_not_end_is_given_up(studio: Studio, owner: Client, admin: Client) -> None:
    accepted_late(studio, owner, lambda task: reap(admin, task))
    with studio.database() as session:
        session.execute(update(Job).values(created_at=Job.created_at - timedelta(minutes=31)))
    studio.work()
    assert (late_job(studio).state, studio.provider.polled) == ("done", [])


def test_a_provider_who_is_gone_is_not_asked(studio: Studio, owner: Client, admin: Client) -> None:
    accepted_late(studio, owner, lambda task: reap(admin, task))
    before = plugins_of(studio.registry)
    install(studio.registry, Plugins())
    studio.work()
    install(studio.registry, before)
    assert (late_job(studio).state, studio.provider.polled) == ("done", [])


def test_it_is_kept_beside_the_work_of_a_new_order(studio: Studio, owner: Client, admin: Client) -> None:
    def anew(task_id: str) -> None:
        reap(admin, task_id)
        retry(admin, task_id)

    task_id = fetched_late(studio, owner, anew)
    assert read(owner, task_id)["status"] == "succeeded"
    assert sorted(late_marks(owner, task_id), key=str) == [None, True]
    assert outcomes(studio, task_id) == [("late", JOB), ("succeeded", None)]
    assert chain(owner, task_id) == [("RESERVE", 1), ("RELEASE", 1), ("RESERVE", 2), ("CHARGE", 2)]


def test_its_provider_is_asked_for_the_order_he_took(
    studio: Studio, owner: Client, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []

    def poll(images: FakeImages, job_id: str, ctx: Context) -> object:
        keys.append(ctx.idempotency_key)
        return asked(images, job_id, ctx)

    def anew(task_id: str) -> None:
        reap(admin, task_id)
        retry(admin, task_id)

    asked = FakeImages.poll
    monkeypatch.setattr(FakeImages, "poll", poll)
    task_id = fetched_late(studio, owner, anew)
    assert keys == [f"{task_id}-1"]


def test_so_is_that_of_a_worker_who_only_seemed_dead(studio: Studio, owner: Client) -> None:
    task_id = fetched_late(studio, owner, lambda _task: take_over(studio))
    task = read(owner, task_id)
    assert (task["status"], task["metadata"]["outcome_unknown"]) == ("failed", True)
    assert (outcomes(studio, task_id), late_marks(owner, task_id)) == ([("late", JOB)], [True])


def test_what_was_ordered_twice_and_delivered_once_is_not_fetched(studio: Studio, owner: Client) -> None:
    studio.set_options("fake-one", resubmit_safe=True)
    task_id = fetched_late(studio, owner, lambda _task: take_over(studio))
    assert (read(owner, task_id)["status"], late_marks(owner, task_id)) == ("succeeded", [None])
    assert (outcomes(studio, task_id), studio.provider.polled) == (
        [("unknown", JOB), ("succeeded", None)],
        [],
    )


def test_it_is_asked_of_the_model_that_took_it(
    studio: Studio, owner: Client, admin: Client, database: Database
) -> None:
    from contentsvc.generation.models import AITask
    from contentsvc.providers.models import ModelConfig

    def replaced(task_id: str) -> None:
        reap(admin, task_id)
        with database() as session:
            other = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-two")).first()
            session.execute(update(AITask).values(model_config_id=other.id, model_name=other.name))

    task_id = fetched_late(studio, owner, replaced)
    assert (late_marks(owner, task_id), attempts(owner, task_id)[0]["model"]) == ([True], "fake-one")


def test_who_asks_twice_files_it_once(
    studio: Studio, owner: Client, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = studio.provider.poll

    def poll_and_take_over(job_id: str) -> Reply:
        reply = answer(job_id)
        if len(studio.provider.polled) == 1:
            take_over(studio)
        return reply

    monkeypatch.setattr(studio.provider, "poll", poll_and_take_over)
    task_id = fetched_late(studio, owner, lambda task: reap(admin, task))
    assert (late_marks(owner, task_id), len(studio.provider.polled)) == ([True], 2)


def test_a_task_that_is_purged_meanwhile_leaves_nothing_to_ask_for(
    studio: Studio, owner: Client, admin: Client, database: Database
) -> None:
    from contentsvc.generation.models import TaskAttempt

    accepted_late(studio, owner, lambda task: reap(admin, task))
    with database() as session:
        session.query(TaskAttempt).delete()
    studio.work()
    assert late_job(studio).state == "done"
