"""Workers killed while a picture is reviewed: the review goes on, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry

from tests.fakes.provider import Reply
from tests.functional.library import add_asset
from tests.functional.reviewing import APPROVED, RUNNING, TAKEN, Reviewer, reviewer_of
from tests.system.installation import LEASE_SECONDS, Installation, Person, installed
from tests.system.processes import eventually

# The lease of the dead worker, the scan that finds it, a pause of the poll, and a busy machine.
TAKE_OVER_SECONDS = LEASE_SECONDS + 25


@pytest.fixture(scope="module")
def service(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One for all of this module; a test leaves no worker."""
    with installed(postgres_url, tmp_path_factory.mktemp("service")) as made:
        made.start_web()
        yield made


@pytest.fixture(scope="module")
def reviewer(service: Installation) -> Iterator[Reviewer]:
    with reviewer_of(service.registry) as reviewer:
        yield reviewer


@pytest.fixture
def portrait(service: Installation, reviewer: Reviewer) -> Portrait:
    reviewer.provider.orders.clear()
    reviewer.provider.polled.clear()
    reviewer.provider.default = APPROVED
    reviewer.set_options()
    return Portrait(service.registry, service.person())


class Portrait:
    """A picture of a person, and its team."""

    def __init__(self, registry: Registry, person: Person) -> None:
        self._person = person
        self._id = add_asset(registry, person.team_id, category="person")

    def submit(self) -> None:
        self._person.http.post(f"/api/assets/{self._id}/submit-review/").raise_for_status()

    def verdict(self) -> str:
        """The status once it is no longer under review."""

        def decided() -> Any:
            asset = self._person.http.get(f"/api/assets/{self._id}/").raise_for_status().json()
            return asset["review_status"] if asset["review_status"] != "processing" else None

        status: str = eventually(decided, within=TAKE_OVER_SECONDS, what="the review is over")
        return status


def verdict_of_another_worker(service: Installation, portrait: Portrait) -> str:
    worker = service.start_worker()
    status = portrait.verdict()
    service.stop(worker)
    return status


@pytest.mark.parametrize(("safe", "status", "orders"), [(True, "active", 2), (False, "failed", 1)])
def test_a_picture_on_its_way_is_handed_in_again_only_where_that_does_no_harm(
    service: Installation, reviewer: Reviewer, portrait: Portrait, safe: bool, status: str, orders: int
) -> None:
    reviewer.set_options(resubmit_safe=safe)
    gate = threading.Event()
    reviewer.provider.replies.append(Reply(gate=gate))
    worker = service.start_worker()
    portrait.submit()
    eventually(lambda: reviewer.provider.orders, what="the picture reaches the provider")
    service.kill(worker)
    assert verdict_of_another_worker(service, portrait) == status
    gate.set()
    assert len(reviewer.provider.orders) == orders
    assert len({order["group"] for order in reviewer.provider.orders}) == 1


def test_a_picture_that_was_taken_is_asked_for(
    service: Installation, reviewer: Reviewer, portrait: Portrait
) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.default = RUNNING
    worker = service.start_worker()
    portrait.submit()
    eventually(lambda: reviewer.provider.polled, what="the provider is asked for the verdict")
    service.kill(worker)
    reviewer.provider.default = APPROVED
    assert verdict_of_another_worker(service, portrait) == "active"
    assert len(reviewer.provider.orders) == 1
    assert set(reviewer.provider.polled) == {"job-1"}
