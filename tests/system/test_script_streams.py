"""Script streams on a real web server: unbuffered, watched, drained, and released whatever dies."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import Capability
from tests.fakes.provider import FakeProvider, fake_provider
from tests.fakes.scripts import line, result, said
from tests.functional.generating import add_default_models
from tests.functional.projecting import add_project
from tests.system.installation import LEASE_SECONDS, Installation, Person, installed
from tests.system.processes import eventually

# Of 16 threads, rounded down.
LARGEST_NUMBER = 11
# A second, and a busy machine.
NOTICE_SECONDS = 1.5
TAKE_OVER_SECONDS = LEASE_SECONDS + 12


class Stage:
    """A running web server and an author who says one word and then waits for ``gate``."""

    def __init__(self, service: Installation, provider: FakeProvider) -> None:
        self.service = service
        self.provider = provider
        self.gate = threading.Event()
        self.person: Person = service.person()
        self.project = add_project(service.registry, self.person.team_id)
        provider.default = said(line(text="Well."), self.gate, result())

    @contextmanager
    def stream(self) -> Iterator[Frames]:
        """An open stream."""
        path = f"/api/projects/{self.project}/script-agent-stream/"
        with self.person.http.stream("POST", path, json={"mode": "auto"}) as reply:
            # Kept: httpx closes a response whose lines nobody can read any more.
            frames = Frames(reply)
            yield frames

    def held(self) -> str:
        """Credit that is reserved."""
        return str(self.person.http.get("/api/billing/summary/").json()["frozen"])

    def outcome(self) -> tuple[str, list[str]]:
        """Status and ledger of the newest task, once it is over."""
        [task, *_] = self.person.http.get("/api/ai/tasks/").json()["results"]
        status = self.service.final_status(task["id"], TAKE_OVER_SECONDS)
        return status, self.service.ledger(str(uuid.UUID(task["id"])))


class Frames:
    """The frames of an open stream, one after the other."""

    def __init__(self, reply: httpx.Response) -> None:
        self.reply = reply
        self._lines = reply.iter_lines()

    def next(self) -> Any:
        """The next frame."""
        text = next(self._lines)
        assert next(self._lines) == ""
        return json.loads(text.removeprefix("data: "))


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as server:
        yield server


@contextmanager
def installation(postgres_url: str, folder: Path, provider: FakeProvider) -> Iterator[Installation]:
    with installed(postgres_url, folder) as made:
        with transaction_scope(made.registry) as session:
            add_default_models(session, provider.url, Capability.SCRIPT)
        made.start_web()
        yield made
        assert made.faults() == []


@pytest.fixture(scope="module")
def shared(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory, provider: FakeProvider
) -> Iterator[Installation]:
    """One web server for the tests that leave it alive."""
    with installation(postgres_url, tmp_path_factory.mktemp("service"), provider) as made:
        yield made


@pytest.fixture
def stage(shared: Installation, provider: FakeProvider) -> Iterator[Stage]:
    made = Stage(shared, provider)
    yield made
    made.gate.set()


@pytest.fixture
def doomed(postgres_url: str, tmp_path: Path, provider: FakeProvider) -> Iterator[Stage]:
    """A web server of the test's own, to be stopped or killed."""
    with installation(postgres_url, tmp_path, provider) as service:
        made = Stage(service, provider)
        yield made
        made.gate.set()


def test_a_frame_arrives_while_the_author_still_writes(stage: Stage) -> None:
    with stage.stream() as frames:
        assert frames.next() == {"type": "delta", "text": "Well."}
        stage.gate.set()
        assert [frames.next()["type"] for _ in range(3)] == ["draft", "saved", "done"]
    assert stage.outcome() == ("succeeded", ["RESERVE", "CHARGE"])


def test_a_client_that_leaves_a_silent_author_is_noticed(stage: Stage) -> None:
    with stage.stream() as frames:
        frames.next()
        assert stage.held() == "0.30"
    eventually(lambda: stage.held() == "0.00", within=NOTICE_SECONDS, what="the credit is released")
    assert stage.outcome() == ("failed", ["RESERVE", "RELEASE"])


def test_a_connection_serves_on_after_a_stream(stage: Stage) -> None:
    stage.gate.set()
    with stage.stream() as frames:
        while frames.next()["type"] != "done":
            pass
    assert stage.person.http.get("/api/auth/me/").status_code == httpx.codes.OK


def test_streams_leave_threads_for_everybody_else(stage: Stage) -> None:
    with ExitStack() as stack:
        for _ in range(LARGEST_NUMBER):
            stack.enter_context(stage.stream()).next()
        with stage.stream() as frames:
            assert frames.reply.status_code == httpx.codes.SERVICE_UNAVAILABLE
            assert int(frames.reply.headers["Retry-After"]) > 0
            assert json.loads(frames.reply.read())["code"] == "unavailable"
        assert stage.held() == "3.30"
    eventually(lambda: stage.held() == "0.00", within=NOTICE_SECONDS, what="all credit is released")
    with stage.stream() as frames:
        assert frames.next()["type"] == "delta"


def test_a_server_told_to_stop_ends_its_streams(doomed: Stage) -> None:
    [web] = doomed.service.processes
    with doomed.stream() as frames:
        frames.next()
        web.terminate()
        assert frames.next()["code"] == "unavailable"
    assert web.wait(15) == 0
    doomed.service.start_web()
    assert doomed.outcome() == ("failed", ["RESERVE", "RELEASE"])


def test_a_killed_servers_stream_is_released_by_a_worker(doomed: Stage) -> None:
    [web] = doomed.service.processes
    with doomed.stream() as frames:
        frames.next()
        doomed.service.kill(web)
    doomed.service.start_web()
    assert doomed.held() == "0.30"
    doomed.service.start_worker()
    assert doomed.outcome() == ("failed", ["RESERVE", "RELEASE"])
    assert doomed.held() == "0.00"
