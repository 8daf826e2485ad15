"""What becomes of an order: success, every kind of failure, death of the worker, late results."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select, update

from contentsvc.generation.models import AITask, TaskAttempt
from contentsvc.generation.settlement import fail, lock_open
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Job, Queue
from contentsvc.jobs.runner import run_due
from contentsvc.providers.calls import poll_delay
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply, fake_provider
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        made = Studio(registry, database, server)
        yield made
        assert made.faults() == []


def test_a_finished_picture_becomes_an_asset(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner, prompt="a quiet table")
    studio.work()
    [asset] = read(owner, task_id)["assets"]
    assert (asset["width"], asset["height"], asset["category"], asset["source"]) == (
        96,
        96,
        "free_create",
        "generated",
    )


def test_a_finished_picture_can_be_downloaded(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    studio.work()
    [asset] = read(owner, task_id)["assets"]
    assert owner.get(asset["preview_url"]).content_type == "image/png"


def test_a_finished_task_is_charged_once(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["actual_cost"], task["progress"]) == ("succeeded", "0.30", 1.0)
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]


def test_the_asset_knows_its_batch(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner, mode="image")
    studio.work()
    task = read(owner, task_id)
    metadata = task["assets"][0]["metadata"]
    assert (metadata["batch_id"], metadata["mode"], metadata["index"]) == (task["batch_id"], "image", 0)


def test_the_timeline_tells_every_status(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    studio.work()
    with studio.database() as session:
        timeline = session.get_one(AITask, uuid.UUID(task_id)).timeline
    assert [step["status"] for step in timeline] == ["RESERVED", "succeeded"]


def test_an_attempt_keeps_the_raw_usage(studio: Studio, owner: Client) -> None:
    order(owner)
    studio.work()
    with studio.database() as session:
        [attempt] = session.scalars(select(TaskAttempt))
        assert (attempt.outcome, attempt.usage["raw"]) == ("succeeded", {"pictures": 1})


def test_refused_content_fails_at_once_and_is_released(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(422)
    [task_id] = order(owner)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["error_message"]) == ("failed", "The provider refuses this content.")
    assert task["actual_cost"] is None
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]
    assert len(studio.provider.orders) == 1


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_passing_failure_is_tried_again(studio: Studio, owner: Client, status: int) -> None:
    studio.provider.replies.extend([Reply(status), Reply(status)])
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert len(studio.provider.orders) == 3


def test_a_lasting_failure_ends_after_the_attempts_allowed(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(503)
    [task_id] = order(owner)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["error_message"]) == ("failed", "The provider has failed.")
    assert len(studio.provider.orders) == 4


def test_the_fallback_takes_over_once_the_attempts_are_used_up(studio: Studio, owner: Client) -> None:
    _make_default(studio, "fake-one")
    studio.set_options("fake-one", fallback="fake-two")
    studio.provider.replies.extend([Reply(503)] * 4)
    [task_id] = order(owner, image_model=None)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert [sent["model"] for sent in studio.provider.orders] == ["fake-one"] * 4 + ["fake-two"]


def test_an_order_of_unknown_outcome_is_not_repeated(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(cut=True)
    [task_id] = order(owner)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["metadata"]["outcome_unknown"]) == ("failed", True)
    assert len(studio.provider.orders) == 1


def test_a_resubmit_safe_model_repeats_an_order_of_unknown_outcome(studio: Studio, owner: Client) -> None:
    studio.set_options("fake-one", resubmit_safe=True)
    studio.provider.replies.append(Reply(cut=True))
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]


def test_every_attempt_carries_the_same_idempotency_key(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply(503))
    order(owner)
    studio.work()
    assert len({sent["key"] for sent in studio.provider.orders}) == 1


def test_a_broken_picture_fails_the_task(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(body=b"<html>not a picture</html>")
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["error_message"] == "The model returned a picture that can't be used."


def test_the_fallback_takes_over_at_the_orders_price(
    studio: Studio, owner: Client, database: Database
) -> None:
    _make_default(studio, "fake-one")
    studio.set_options("fake-one", fallback="fake-two")
    studio.provider.replies.append(Reply(401))
    [task_id] = order(owner, image_model=None)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["model_name"], task["actual_cost"]) == ("succeeded", "fake-two", "0.30")
    assert [sent["model"] for sent in studio.provider.orders] == ["fake-one", "fake-two"]


def test_a_model_the_client_named_has_no_fallback(studio: Studio, owner: Client) -> None:
    studio.set_options("fake-one", fallback="fake-two")
    studio.provider.default = Reply(401)
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["error_message"] == "The provider refuses the key."
    assert len(studio.provider.orders) == 1


def _make_default(studio: Studio, name: str) -> None:
    from contentsvc.providers.models import ModelConfig

    with studio.database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
        session.execute(
            update(ModelConfig)
            .where(ModelConfig.name == name, ModelConfig.capability == "image_generation")
            .values(is_default=True)
        )


def test_remote_work_is_polled_until_it_is_done(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply()
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.extend([Reply.json(202, {"progress": 0.4}), Reply.json(202, {"progress": 0.7})])
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert (len(studio.provider.orders), studio.provider.polled) == (1, ["remote-7"] * 3)


def test_remote_work_passes_through_its_statuses(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.append(Reply.json(202, {"progress": 0.4}))
    [task_id] = order(owner)
    studio.work()
    with studio.database() as session:
        timeline = session.get_one(AITask, uuid.UUID(task_id)).timeline
    assert [s["status"] for s in timeline] == ["RESERVED", "SUBMITTED", "POLLING", "succeeded"]


def test_a_poll_whose_job_is_anothers_by_now_writes_nothing(
    studio: Studio, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.append(Reply.json(202, {"progress": 0.1}))
    [task_id] = order(owner)
    run_due(studio.registry)
    _ring_now(studio)
    run_due(studio.registry)

    def taken_over(_job_id: str) -> Reply:
        with studio.database() as session:
            session.execute(update(Job).where(Job.state == "open").values(fence=Job.fence + 1))
        return Reply.json(202, {"progress": 0.9})

    monkeypatch.setattr(studio.provider, "poll", taken_over)
    _ring_now(studio)
    assert run_due(studio.registry) == 1
    task = read(owner, task_id)
    assert (task["status"], task["progress"]) == ("POLLING", 0.1)


def test_a_poll_that_breaks_is_repeated_and_orders_nothing(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.extend([Reply(cut=True), Reply(500), Reply(429)])
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert len(studio.provider.orders) == 1


def test_a_poll_without_a_place_is_rung_again_soon_and_asks_nobody(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    [task_id] = order(owner)
    run_due(studio.registry)
    with _no_place(studio, task_id):
        _ring_now(studio)
        assert run_due(studio.registry) == 1
        assert (read(owner, task_id)["status"], studio.provider.polled) == ("SUBMITTED", [])
        with studio.database() as session:
            waits = select(func.extract("epoch", Job.ring_at - func.clock_timestamp()))
            assert session.scalars(waits.where(Job.state == "open")).one() < 2.5
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


@contextmanager
def _no_place(studio: Studio, task_id: str) -> Iterator[None]:
    """As many polls are open as the task's provider may have."""
    with studio.database() as session:
        task = session.get_one(AITask, uuid.UUID(task_id))
        provider = session.get_one(ModelConfig, task.model_config_id).provider
    with ExitStack() as held:
        while poll_delay(studio.registry, provider) is None:
            held.enter_context(studio.registry["contentsvc.provider_poll_budgets"].hold_at_once(provider.id))
        yield


def _ring_now(studio: Studio) -> None:
    with studio.database() as session:
        session.execute(update(Job).where(Job.state == "open").values(ring_at=Job.created_at))


def test_remote_work_that_fails_is_released(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.append(Reply(422))
    [task_id] = order(owner)
    studio.work()
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


def test_remote_work_is_given_up_after_its_time(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.append(Reply.json(202, {"progress": 0.1}))
    [task_id] = order(owner)
    run_due(studio.registry)
    with studio.database() as session:
        session.execute(update(AITask).values(submitted_at=AITask.submitted_at - timedelta(minutes=31)))
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["metadata"]["outcome_unknown"]) == ("failed", True)
    assert studio.provider.polled == []


def test_a_worker_that_died_during_an_order_leaves_a_lost_order(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    _pretend_death_during_the_call(studio, task_id)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["metadata"]["outcome_unknown"]) == ("failed", True)
    assert studio.provider.orders == []


def test_a_resubmit_safe_order_survives_its_workers_death(studio: Studio, owner: Client) -> None:
    studio.set_options("fake-one", resubmit_safe=True)
    [task_id] = order(owner)
    _pretend_death_during_the_call(studio, task_id)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]


def _pretend_death_during_the_call(studio: Studio, task_id: str) -> None:
    with studio.database() as session:
        session.execute(
            update(AITask).where(AITask.id == uuid.UUID(task_id)).values(intent_at=AITask.created_at)
        )


def test_a_result_after_the_task_has_failed_is_kept_uncharged(
    studio: Studio, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    [task_id] = order(owner)
    _during_the_order(studio, monkeypatch, lambda: _reap(studio, task_id))
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["actual_cost"]) == ("failed", None)
    assert [asset["metadata"]["late"] for asset in task["assets"]] == [True]
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


def test_a_worker_that_was_fenced_out_writes_nothing(
    studio: Studio, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    [task_id] = order(owner)
    _during_the_order(studio, monkeypatch, lambda: _take_over(studio))
    run_due(studio.registry)
    assert read(owner, task_id)["status"] == "RESERVED"
    assert ledger_of(owner, task_id) == ["RESERVE"]


def _during_the_order(studio: Studio, monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    answer = studio.provider.order

    def order_and_act(document: dict[str, Any]) -> Reply:
        reply = answer(document)
        act()
        return reply

    monkeypatch.setattr(studio.provider, "order", order_and_act)


def _reap(studio: Studio, task_id: str) -> None:
    with studio.database() as session:
        task = lock_open(session, uuid.UUID(task_id))
        assert task is not None
        fail(session, studio.registry, task, "Given up by the administrator.")


def _take_over(studio: Studio) -> None:
    with studio.database() as session:
        session.execute(update(Job).values(fence=Job.fence + 1))


def test_a_reaped_task_ends_its_job(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    _reap(studio, task_id)
    studio.work()
    with studio.database() as session:
        assert session.scalars(select(Job.state)).all() == ["done"]
    assert studio.provider.orders == []


def test_a_deleted_reference_still_serves_the_order(studio: Studio, owner: Client) -> None:
    [first] = order(owner)
    studio.work()
    reference = read(owner, first)["assets"][0]["id"]
    [second] = order(owner, reference_image_ids=[reference])
    with studio.database() as session:
        from contentsvc.assets.models import Asset

        session.execute(update(Asset).values(deleted_at=Asset.created_at))
    studio.work()
    assert read(owner, second)["status"] == "succeeded"
    assert studio.provider.orders[1]["references"] == ["other"]


def test_a_batch_settles_to_the_sum_of_its_rounded_prices(studio: Studio, owner: Client) -> None:
    order(owner, count=7)
    studio.work()
    summary = owner.get("/api/billing/summary/").json
    assert Decimal(summary["balance"]) == Decimal(100) - 7 * Decimal("0.30")
    assert summary["frozen"] == "0.00"
