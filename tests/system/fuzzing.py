"""The service with everything behind it, and a fuzzer that knows its OpenAPI document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyramid.registry import Registry
from pyramid.router import Router
from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.plugin import Capability
from contentsvc.providers.models import ModelConfig, Provider
from tests.contract.populating import populate
from tests.fakes.trades import every_trade
from tests.functional.conftest import PASSWORD, Client, sign_up, stranger
from tests.functional.filming import set_default_model
from tests.system.installation import Installation, installed

# Nothing about the fuzzer's own pace is under test.
SETTINGS = {
    "auth__password_failures": "1000000",
    "auth__invite_failures": "1000000",
    "auth__argon2_memory_kib": "8",
    "auth__argon2_time_cost": "1",
    "log__level": "warning",
    "jobs__lease_seconds": "30",
    "jobs__online_seconds": "60",
}


@dataclass(frozen=True)
class Person:
    """Who the fuzzer signs in as."""

    name: str
    username: str
    is_peer: bool
    """Whether nothing of his may be shown to the other peers."""


@dataclass
class Fuzzed:
    """A running service and the fuzzer's people: two teams' owners, and the platform's administrator."""

    service: Installation
    people: list[Person]
    own: list[str]
    """Ids of what the fuzzer itself can't do without."""
    ids: dict[str, str]
    """Of the things of the first team, by their kind."""
    folder: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The fuzzer's report on one run; its exit status is 0 when it found nothing."""
        (self.folder / "schemathesis.toml").write_text(self._configuration(), encoding="utf-8")
        (self.folder / "people.json").write_text(json.dumps(self._credentials()), encoding="utf-8")
        url = f"http://127.0.0.1:{self.service.port}"
        return subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"),
                "--config-file",
                "schemathesis.toml",
                "run",
                f"{url}/api/openapi.json",
                "--url",
                url,
                *words,
            ],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parents[2]),
                "SCHEMATHESIS_HOOKS": "tests.system.fuzz_hooks",
                "FUZZ_OWN_IDS": ",".join(self.own),
                "FUZZ_IDS": json.dumps(self.ids),
                "NO_PROXY": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def _configuration(self) -> str:
        peers = json.dumps([person.name for person in self.people if person.is_peer])
        return f"""\
hooks = "tests.system.fuzz_hooks"
continue-on-failure = true
request-timeout = 30
warnings = false
suppress-health-check = ["all"]
[generation]
database = "none"
allow-x00 = false
[checks.positive_data_acceptance]
# 400: an id that names nothing, a state that doesn't fit; 402: a quota that the fuzzer has set itself.
expected-statuses = ["2xx", "3xx", "400", "401", "402", "403", "404", "409", "429", "5xx"]
[auth.wfc]
path = "people.json"
refresh_interval = 100000
peers = {peers}
[cache]
enabled = false
"""

    def _credentials(self) -> dict[str, Any]:
        def entry(person: Person) -> dict[str, Any]:
            login = {
                "endpoint": "/api/auth/login/",
                "verb": "POST",
                "contentType": "application/json",
                "payloadRaw": json.dumps({"username": person.username, "password": PASSWORD}),
                "token": {
                    "extractFrom": "body",
                    "extractSelector": "/token",
                    "sendIn": "header",
                    "sendName": "Authorization",
                    "sendTemplate": "Token {token}",
                },
            }
            return {"name": person.name, "loginEndpointAuth": login}

        return {"schemaVersion": "1.0", "auth": [entry(person) for person in self.people]}


@contextmanager
def fuzzed(postgres_url: str, folder: Path) -> Iterator[Fuzzed]:
    """The service, running, with two teams that are rich enough for everything."""
    with every_trade() as provider, installed(postgres_url, folder, **SETTINGS) as made:
        with transaction_scope(made.registry) as session:
            for capability in Capability:
                set_default_model(session, capability, provider.url, price="0.0001")
        strangers = stranger(Router(made.registry))
        first, second = (sign_up(made.registry, strangers, balance=1_000_000_000) for _ in range(2))
        platform = sign_up(made.registry, strangers, platform=True)
        beat_once(made.registry, list(Queue))
        ids = populate(made.registry, first, "quagga").ids
        populate(made.registry, second, "okapi")
        people = [_person("first", first), _person("platform", platform), _person("second", second)]
        made.start_web()
        made.start_worker()
        yield Fuzzed(made, people, _own(made.registry, first, platform, second), ids, folder)
        assert made.faults() == []


def _person(name: str, client: Client) -> Person:
    username = client.get("/api/auth/me/").json["user"]["username"]
    return Person(name, username, client.team_id is not None)


def _own(registry: Registry, *clients: Client) -> list[str]:
    """The people and their teams, and the models that do the work."""
    with transaction_scope(registry) as session:
        provider = session.scalars(select(Provider.id).where(Provider.name == "fake")).one()
        models = session.scalars(select(ModelConfig.id).where(ModelConfig.provider_id == provider))
        people = [one for client in clients for one in (client.user_id, client.team_id) if one]
        return [str(one) for one in (provider, *models, *people)]
