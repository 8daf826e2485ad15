"""Workers killed while they make shots and clips: nothing is ordered or paid twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import BillingUnit, Capability
from tests import media_samples
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.filming import set_default_model
from tests.functional.projecting import add_project, add_script
from tests.system.installation import LEASE_SECONDS, Installation, Person, installed
from tests.system.processes import eventually

# The lease of the dead worker, the scan that finds it, and a busy machine.
TAKE_OVER_SECONDS = LEASE_SECONDS + 20


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as server:
        yield server


@pytest.fixture(scope="module")
def service(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider
) -> Iterator[Installation]:
    """One for all of this module: a test looks at its own project only, and leaves no worker."""
    with installed(postgres_url, tmp_path_factory.mktemp("service")) as made:
        with transaction_scope(made.registry) as session:
            set_default_model(session, Capability.IMAGE_EDIT, provider.url, price="0.02")
            set_default_model(
                session,
                Capability.VIDEO_GENERATION,
                provider.url,
                unit=BillingUnit.THOUSAND_TOKENS,
                price="0.02",
                tokens_per_second=1000,
            )
        made.start_web()
        yield made
        assert made.faults() == []


class Film:
    """A project of one segment, and its owner."""

    def __init__(self, service: Installation, provider: FakeProvider) -> None:
        self.person: Person = service.person()
        self.id = add_project(service.registry, self.person.team_id)
        segments = [{"visual_prompt": "a cup on a table"}]
        add_script(service.registry, self.person.team_id, self.id, segments=segments, adopted=True)
        provider.orders.clear()
        provider.polled.clear()

    def act(self, action: str, **body: Any) -> Any:
        """Call one of the project's actions."""
        reply = self.person.http.post(f"/api/projects/{self.id}/{action}/", json=body)
        return reply.raise_for_status().json()

    def poll_clip(self, segment_id: str) -> Any:
        """How the clip stands."""
        return self.act("poll-video-segment", video_segment_id=segment_id)

    def task(self, task_type: str) -> str:
        """The project's one task of a type."""
        query = {"project": self.id, "task_type": task_type}
        [task] = self.person.http.get("/api/ai/tasks/", params=query).json()["results"]
        return str(task["id"])


@pytest.fixture
def film(service: Installation, provider: FakeProvider) -> Film:
    return Film(service, provider)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds a reply back until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def clip(tokens: int) -> Reply:
    return Reply(body=media_samples.video("mp4"), headers={"X-Tokens": str(tokens)})


def submit_clip(film: Film) -> str:
    """Order the film's one clip; the video segment's id."""
    [segment] = film.act("skip-storyboard")["video_segments"]
    film.act("submit-video-segment", video_segment_id=segment["video_segment_id"], prompt="steam rises")
    return str(segment["video_segment_id"])


def test_a_shot_whose_worker_died_fails_and_can_be_made_again(
    service: Installation, provider: FakeProvider, film: Film, gate: threading.Event
) -> None:
    worker = service.start_worker()
    provider.replies.append(Reply(gate=gate))
    whole = film.act("generate-storyboard")["task"]["id"]
    eventually(lambda: provider.orders, what="the shot's order reaches the provider")
    service.kill(worker)
    worker = service.start_worker()
    shot = film.task("storyboard_image")
    assert service.final_status(shot, TAKE_OVER_SECONDS) == "failed"
    assert service.ledger(shot) == ["RESERVE", "RELEASE"]
    assert (service.final_status(whole), len(provider.orders)) == ("failed", 1)
    [lost] = film.person.http.get(f"/api/projects/{film.id}/").json()["storyboard"]["shots"]
    again = film.act("rerun-storyboard-shot", shot_id=lost["shot_id"])["task"]["id"]
    assert service.final_status(again) == "succeeded"
    service.stop(worker)
    assert film.act("poll-storyboard")["status"] == "succeeded"


def test_a_clip_whose_order_was_lost_is_released_not_repeated(
    service: Installation, provider: FakeProvider, film: Film, gate: threading.Event
) -> None:
    worker = service.start_worker()
    provider.replies.append(Reply(gate=gate))
    segment = submit_clip(film)
    eventually(lambda: provider.orders, what="the clip's order reaches the provider")
    service.kill(worker)
    worker = service.start_worker()
    task = film.task("video_segment")
    assert service.final_status(task, TAKE_OVER_SECONDS) == "failed"
    service.stop(worker)
    assert service.ledger(task) == ["RESERVE", "RELEASE"]
    assert (len(provider.orders), service.metadata(task)["outcome_unknown"]) == (1, True)
    assert film.poll_clip(segment)["status"] == "failed"


def test_an_accepted_clip_is_asked_for_not_ordered_again(
    service: Installation, provider: FakeProvider, film: Film, gate: threading.Event
) -> None:
    worker = service.start_worker()
    provider.replies.append(Reply.json(202, {"job": "clip-1"}))
    provider.polls.append(Reply(gate=gate))
    segment = submit_clip(film)
    eventually(lambda: provider.polled, within=20, what="the clip is asked for")
    service.kill(worker)
    provider.polls.append(clip(6000))
    worker = service.start_worker()
    task = film.task("video_segment")
    assert service.final_status(task, TAKE_OVER_SECONDS) == "succeeded"
    service.stop(worker)
    assert service.ledger(task) == ["RESERVE", "CHARGE"]
    assert (len(provider.orders), set(provider.polled)) == (1, {"clip-1"})
    assert film.person.task(task)["actual_cost"] == "1.80"
    assert film.poll_clip(segment)["status"] == "succeeded"
