"""Orders are taken only while somebody lives who will do them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from contentsvc.db.session import transaction_scope
from tests.fakes.provider import fake_provider
from tests.functional.generating import add_fake_models
from tests.system.installation import ONLINE_SECONDS, Installation, Person, installed
from tests.system.processes import eventually


@pytest.fixture(scope="module")
def service(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("service")
    with fake_provider() as provider, installed(postgres_url, folder) as made:
        with transaction_scope(made.registry) as session:
            add_fake_models(session, provider.url)
        made.start_web()
        yield made
        assert made.faults() == []


@pytest.fixture
def person(service: Installation) -> Person:
    return service.person()


def _is_refused(person: Person) -> bool:
    """Whether orders are refused because nobody works."""
    reply = person.try_order()
    assert reply.status_code in (httpx.codes.ACCEPTED, httpx.codes.SERVICE_UNAVAILABLE), reply.text
    return reply.status_code == httpx.codes.SERVICE_UNAVAILABLE


def _tasks_and_frozen(person: Person) -> tuple[int, str]:
    tasks = person.http.get("/api/ai/tasks/").raise_for_status().json()["count"]
    return tasks, person.http.get("/api/billing/summary/").raise_for_status().json()["frozen"]


def test_a_killed_worker_is_missed_within_the_online_time(service: Installation, person: Person) -> None:
    worker = service.start_worker()
    assert not _is_refused(person)
    service.kill(worker)
    killed_at = time.monotonic()
    eventually(lambda: _is_refused(person), within=ONLINE_SECONDS + 2, what="orders are refused")
    assert time.monotonic() - killed_at < ONLINE_SECONDS + 1


def test_a_stopped_worker_is_missed_at_once(service: Installation, person: Person) -> None:
    worker = service.start_worker_command()
    assert not _is_refused(person)
    eventually(lambda: not service.open_tasks(), what="its work is done")
    assert service.stop(worker) == 0
    assert _is_refused(person)


def test_a_refusal_says_why_and_reserves_nothing(service: Installation, person: Person) -> None:
    eventually(lambda: _is_refused(person), within=ONLINE_SECONDS + 2, what="orders are refused")
    before = _tasks_and_frozen(person)
    reply = person.try_order()
    assert (reply.status_code, reply.json()["code"]) == (503, "no_worker")
    assert int(reply.headers["Retry-After"]) > 0
    assert _tasks_and_frozen(person) == before


def test_orders_are_taken_again_once_a_worker_is_back(service: Installation, person: Person) -> None:
    eventually(lambda: _is_refused(person), within=ONLINE_SECONDS + 2, what="orders are refused")
    service.start_worker()
    [task_id] = person.order()
    assert person.finished(task_id)["status"] == "succeeded"
