"""Steps the tests of the script stream share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyramid.registry import Registry
from webtest import TestResponse

from contentsvc.plugin import Capability
from tests.fakes.provider import fake_provider
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_default_models
from tests.functional.projecting import add_project


@dataclass
class Author(Studio):
    """A project of ``owner``, and a fake author for its scripts."""

    owner: Client
    project: str

    def stream(self, client: Client | None = None, **fields: Any) -> TestResponse:
        """Ask for a script; by default the owner, in mode auto."""
        return self.post("script-agent-stream", {"mode": "auto", **fields}, client=client)

    def post(
        self, action: str, body: Any, *, client: Client | None = None, key: str | None = None
    ) -> TestResponse:
        """Call an action of the project, whatever it answers."""
        headers = {} if key is None else {"Idempotency-Key": key}
        path = f"/api/projects/{self.project}/{action}/"
        return (client or self.owner).post_json(path, body, headers=headers, expect_errors=True)

    def read(self) -> Any:
        """The project as its owner sees it."""
        return self.owner.get(f"/api/projects/{self.project}/").json

    def tasks(self) -> list[Any]:
        """The project's tasks, newest first."""
        found: list[Any] = self.owner.get("/api/ai/tasks/", {"project": self.project}).json["results"]
        return found

    def credit(self) -> tuple[str, str]:
        """What the owner's team has, and what of it is held."""
        summary = self.owner.get("/api/billing/summary/").json
        return summary["balance"], summary["frozen"]


@contextmanager
def author(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    """A project and a provider whose default model writes its scripts, 0.30 credits each."""
    with fake_provider() as server:
        with database() as session:
            add_default_models(session, server.url, Capability.SCRIPT)
        made = Author(registry, database, server, owner, add_project(registry, owner.team_id))
        yield made
        assert made.faults() == []


def frames(reply: TestResponse) -> list[Any]:
    """The frames of a stream, each checked to be one ``data:`` line."""
    assert reply.content_type == "text/event-stream", reply.text
    blocks = reply.text.split("\n\n")
    assert blocks.pop() == ""
    assert all(block.startswith("data: ") and "\n" not in block for block in blocks)
    return [json.loads(block.removeprefix("data: ")) for block in blocks]


def kinds(reply: TestResponse) -> list[str]:
    """The types of a stream's frames."""
    return [frame["type"] for frame in frames(reply)]


def only(reply: TestResponse, kind: str) -> Any:
    """The one frame of a type."""
    [frame] = [frame for frame in frames(reply) if frame["type"] == kind]
    return frame
