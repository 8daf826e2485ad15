"""Reviews of assets that go wrong: failing providers, dying workers, and reviews that are given up."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, update

from contentsvc.assets.models import AssetReview
from contentsvc.assets.reviews import runner
from contentsvc.assets.reviews.services import TIMED_OUT, fail_overdue
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Job
from tests.fakes.provider import Reply
from tests.functional.conftest import Client
from tests.functional.generating import Database
from tests.functional.library import add_asset
from tests.functional.reviewing import (
    APPROVED,
    BUSY,
    DOWN,
    PROCESSING,
    REFUSED,
    TAKEN,
    Reviewer,
    reviewer_of,
    status_of,
    submit,
)


@pytest.fixture
def reviewer(registry: Registry) -> Iterator[Reviewer]:
    with reviewer_of(registry) as reviewer:
        yield reviewer


@pytest.fixture
def portrait(registry: Registry, owner: Client) -> str:
    return add_asset(registry, owner.team_id, category="person", name="Mira")


# Providers that fail


def test_a_busy_provider_is_asked_again_when_it_said(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.replies.append(BUSY)
    submit(owner, portrait)
    reviewer.work()
    assert reviewer.waits() == [pytest.approx(30, abs=0.5)]
    reviewer.finish()
    assert status_of(owner, portrait) == "active"


def test_a_provider_that_is_down_is_asked_again_with_growing_pauses(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.replies.extend([DOWN] * 4)
    submit(owner, portrait)
    waits = []
    for _ in range(4):
        reviewer.work()
        waits.extend(reviewer.waits())
    assert waits == [pytest.approx(seconds, abs=0.5) for seconds in (2, 4, 8, 16)]
    reviewer.finish()
    assert status_of(owner, portrait) == "active"


def test_a_provider_that_refuses_fails_the_review(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reviewer.provider.replies.append(REFUSED)
    submit(owner, portrait)
    reviewer.finish()
    asset = owner.get(f"/api/assets/{portrait}/").json
    assert (asset["review_status"], asset["review_error"]) == ("failed", "The reviewer has failed.")


def test_a_poll_that_fails_is_repeated(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.polls.extend([DOWN, Reply(cut=True), BUSY])
    submit(owner, portrait)
    reviewer.finish()
    assert status_of(owner, portrait) == "active"
    assert reviewer.handed_in() == ["Mira"]


def test_a_poll_that_is_refused_fails_the_review(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.polls.append(REFUSED)
    submit(owner, portrait)
    reviewer.finish()
    assert status_of(owner, portrait) == "failed"


def test_a_model_taken_away_meanwhile_fails_the_review(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.replies.append(TAKEN)
    submit(owner, portrait)
    reviewer.work()
    reviewer.close()
    reviewer.finish()
    asset = owner.get(f"/api/assets/{portrait}/").json
    assert (asset["review_status"], asset["review_error"]) == ("failed", runner.NO_BACKEND)


@pytest.mark.parametrize(("safe", "status", "orders"), [(True, "active", 2), (False, "failed", 1)])
def test_a_lost_answer_is_asked_for_again_only_where_that_does_no_harm(
    reviewer: Reviewer, owner: Client, portrait: str, safe: bool, status: str, orders: int
) -> None:
    reviewer.set_options(resubmit_safe=safe)
    reviewer.provider.replies.append(Reply(cut=True))
    submit(owner, portrait)
    reviewer.finish()
    assert (status_of(owner, portrait), len(reviewer.provider.orders)) == (status, orders)


# Workers that die


@pytest.mark.parametrize(("safe", "status", "orders"), [(True, "active", 1), (False, "failed", 0)])
def test_who_takes_over_within_the_call_repeats_it_only_where_that_does_no_harm(
    reviewer: Reviewer,
    owner: Client,
    portrait: str,
    database: Database,
    safe: bool,
    status: str,
    orders: int,
) -> None:
    reviewer.set_options(resubmit_safe=safe)
    submit(owner, portrait)
    with database() as session:
        session.execute(update(AssetReview).values(intent_at=func.now()))
    reviewer.finish()
    assert (status_of(owner, portrait), len(reviewer.provider.orders)) == (status, orders)


def test_who_takes_over_an_accepted_review_asks_for_it(
    reviewer: Reviewer, owner: Client, portrait: str, database: Database
) -> None:
    reviewer.provider.replies.append(TAKEN)
    submit(owner, portrait)
    reviewer.work()
    with database() as session:
        dead = {"lease_until": in_seconds(-1), "held_by": uuid.uuid4(), "fence": 1}
        session.execute(update(Job).where(Job.state == "open").values(dead))
    reviewer.finish()
    assert status_of(owner, portrait) == "active"
    assert reviewer.handed_in() == ["Mira"]


def test_a_verdict_that_comes_after_the_review_was_given_up_changes_nothing(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str
) -> None:
    gate = Event()
    reviewer.provider.replies.append(Reply(status=200, body=APPROVED.body, gate=gate))
    submit(owner, portrait)
    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(reviewer.work)
        assert reviewer.provider.ordered.acquire(timeout=30)
        reviewer.age(portrait, 16)
        fail_overdue(registry)
        gate.set()
        worker.result(60)
    assert status_of(owner, portrait) == "failed"
    reviewer.finish()
    assert status_of(owner, portrait) == "failed"


# The safety net


def test_a_review_of_15_minutes_has_failed(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.age(portrait, 15.1)
    fail_overdue(registry)
    asset = owner.get(f"/api/assets/{portrait}/").json
    assert (asset["review_status"], asset["review_error"]) == ("failed", TIMED_OUT)


def test_a_review_of_less_than_15_minutes_goes_on(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.age(portrait, 14.9)
    fail_overdue(registry)
    reviewer.finish()
    assert status_of(owner, portrait) == "active"


def test_the_worker_gives_an_old_review_up_without_asking(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.age(portrait, 15.1)
    reviewer.finish()
    assert (status_of(owner, portrait), reviewer.handed_in()) == ("failed", [])


def test_a_review_that_was_given_up_can_be_submitted_again(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.age(portrait, 16)
    fail_overdue(registry)
    assert submit(owner, portrait) == PROCESSING
    reviewer.finish()
    assert status_of(owner, portrait) == "active"


def test_verdicts_of_long_ago_are_left_alone(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.finish()
    reviewer.age(portrait, 600)
    fail_overdue(registry)
    assert status_of(owner, portrait) == "active"
