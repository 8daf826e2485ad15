"""Workers killed at each stage of a film: nothing is ordered or paid twice."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psutil
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig
from tests import media_samples
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.filming import add_clip, set_default_model
from tests.functional.projecting import add_project, add_script
from tests.system.installation import LEASE_SECONDS, Installation, Person, installed
from tests.system.processes import descendants, eventually, is_alive

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
            set_default_model(session, Capability.ENTITY_EXTRACTION, provider.url, price="0.02")
            set_default_model(
                session, Capability.IMAGE_GENERATION, provider.url, price="0.02", resubmit_safe=True
            )
            set_default_model(session, Capability.IMAGE_EDIT, provider.url, price="0.02")
            _put_a_price_on_films(session)
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


def _put_a_price_on_films(session: Session) -> None:
    """The real editor's: its ledger is to be seen."""
    film = session.scalars(select(ModelConfig).where(ModelConfig.capability == Capability.EXPORT)).one()
    film.unit_price = Decimal("0.02")


class Film:
    """A project of one segment, and its owner."""

    def __init__(self, service: Installation, provider: FakeProvider) -> None:
        self.person: Person = service.person()
        self.id = add_project(service.registry, self.person.team_id)
        segments = [{"visual_prompt": "a cup on a table"}]
        script = add_script(service.registry, self.person.team_id, self.id, segments=segments, adopted=True)
        self.segment_id = script["segment_ids"][0]
        provider.orders.clear()
        provider.polled.clear()

    def act(self, action: str, **body: Any) -> Any:
        """Call one of the project's actions."""
        reply = self.person.http.post(f"/api/projects/{self.id}/{action}/", json=body)
        return reply.raise_for_status().json()

    def poll_clip(self, segment_id: str) -> Any:
        """How the clip stands."""
        return self.act("poll-video-segment", video_segment_id=segment_id)

    def read(self, part: str = "") -> Any:
        """The project, or one of its parts."""
        return self.person.http.get(f"/api/projects/{self.id}/{part}").raise_for_status().json()

    def frozen(self) -> str:
        """What the team's orders hold."""
        summary = self.person.http.get("/api/billing/summary/").raise_for_status().json()
        return str(summary["frozen"])

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


def ffmpegs(pid: int) -> list[int]:
    """Those below a process that make a film, not those that look at its clips."""
    found = []
    for process in descendants(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "ffmpeg" in process.name() and "libx264" in process.cmdline():
                found.append(process.pid)
    return found


def submit_clip(film: Film) -> str:
    """Order the film's one clip; the video segment's id."""
    [segment] = film.act("skip-storyboard")["video_segments"]
    film.act("submit-video-segment", video_segment_id=segment["video_segment_id"], prompt="steam rises")
    return str(segment["video_segment_id"])


def test_an_extraction_whose_worker_died_fails_and_can_be_made_again(
    service: Installation, provider: FakeProvider, film: Film, gate: threading.Event
) -> None:
    worker = service.start_worker()
    provider.replies.append(Reply(gate=gate))
    lost = film.act("extract-entities")["task_id"]
    eventually(lambda: provider.orders, what="the script reaches the provider")
    service.kill(worker)
    worker = service.start_worker()
    assert service.final_status(lost, TAKE_OVER_SECONDS) == "failed"
    assert (service.ledger(lost), len(provider.orders)) == (["RESERVE", "RELEASE"], 1)
    shown = film.read("extract-status/")
    assert (shown["running"], shown["status"]) == (False, "failed")
    provider.replies.append(Reply.json(200, {"entities": []}))
    again = film.act("extract-entities")["task_id"]
    assert service.final_status(again) == "succeeded"
    service.stop(worker)
    assert (service.ledger(again), film.frozen()) == (["RESERVE", "CHARGE"], "0.00")


def test_a_base_asset_that_may_be_ordered_again_survives_its_worker(
    service: Installation, provider: FakeProvider, film: Film, gate: threading.Event
) -> None:
    worker = service.start_worker()
    provider.replies.append(Reply(gate=gate))
    body = {"kind": "person", "label": "Mira", "prompt": "a baker"}
    task = film.act("generate-base-asset", **body)["task"]["id"]
    eventually(lambda: provider.orders, what="the portrait's order reaches the provider")
    service.kill(worker)
    worker = service.start_worker()
    assert service.final_status(task, TAKE_OVER_SECONDS) == "succeeded"
    service.stop(worker)
    first, second = provider.orders
    assert first["key"] == second["key"]
    assert (service.ledger(task), film.frozen()) == (["RESERVE", "CHARGE"], "0.00")
    [group] = film.read()["base_asset_groups"]
    assert (group["label"], len(group["candidate_assets"])) == ("Mira", 1)


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
    [lost] = film.read()["storyboard"]["shots"]
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


def test_a_film_is_made_anew_and_the_dead_workers_ffmpeg_is_gone(service: Installation, film: Film) -> None:
    data = media_samples.video("mp4")
    add_clip(service.registry, film.person.team_id, film.id, film.segment_id, data=data, seconds=1.0)
    worker = service.start_worker()
    task = film.act("submit-export")["task"]["id"]
    programs = eventually(lambda: ffmpegs(worker.pid), every=0.01, what="an ffmpeg works on the film")
    # The worker alone: it doesn't get to end what it has started.
    worker.kill()
    worker.wait()
    eventually(lambda: not any(is_alive(one) for one in programs), within=5, what="its ffmpeg ends")
    worker = service.start_worker()
    assert service.final_status(task, TAKE_OVER_SECONDS) == "succeeded"
    service.stop(worker)
    assert (service.ledger(task), film.frozen()) == (["RESERVE", "CHARGE"], "0.00")
    assert film.act("poll-export")["status"] == "succeeded"
