"""What is changed in one process is what the others do next; a plugin that is removed leaves its past."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc import configure
from contentsvc.db.session import engine_of
from contentsvc.generation.steps import NO_BACKEND
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.jobs.models import Queue
from contentsvc.jobs.runner import run_due
from contentsvc.plugin import Capability
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.plugins import Plugins, install, plugins_of
from tests.canary import key_of
from tests.fakes.provider import Reply, fake_provider
from tests.functional.conftest import Client, stranger
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read

PROVIDERS = "/api/admin/providers/"
MODELS = "/api/admin/models/"
FIRST, SECOND = key_of("first"), key_of("second")


@dataclass
class Process:
    """Another process of the service: an application of its own on the same database."""

    registry: Registry
    wsgi: Any

    def client(self, client: Client) -> Client:
        """The same user, there."""
        return Client(stranger(self.wsgi), client.token, client.user_id, client.team_id)


@pytest.fixture(scope="module")
def elsewhere(configured: Any, app_settings: dict[str, Any]) -> Iterator[Process]:
    config = configure(None, **app_settings)
    yield Process(config.registry, config.make_wsgi_app())
    close_doorbells(config.registry)
    engine_of(config.registry).dispose()


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        beat_once(registry, list(Queue))
        yield Studio(registry, database, server)


@pytest.fixture
def there(elsewhere: Process, studio: Studio, owner: Client) -> Client:
    """The owner's client in the other process, which has served an order before."""
    client = elsewhere.client(owner)
    order(client)
    run_due(elsewhere.registry)
    studio.provider.orders.clear()
    return client


def fake(studio: Studio) -> str:
    with studio.database() as session:
        return str(session.scalars(select(Provider.id).where(Provider.name == "fake")).one())


def model(studio: Studio, name: str = "fake-one") -> str:
    with studio.database() as session:
        named = (ModelConfig.name == name, ModelConfig.capability == Capability.IMAGE_GENERATION)
        return str(session.scalars(select(ModelConfig.id).where(*named)).one())


class TestInAnotherProcess:
    def test_a_key_is_used_by_the_next_order(
        self, studio: Studio, there: Client, admin: Client, elsewhere: Process
    ) -> None:
        for key in (FIRST, SECOND):
            admin.patch_json(f"{PROVIDERS}{fake(studio)}/", {"api_key": key})
            order(there)
            run_due(elsewhere.registry)
        sent = [order["authorization"] for order in studio.provider.orders]
        assert sent == [f"Bearer {FIRST}", f"Bearer {SECOND}"]

    def test_an_address_is_where_a_waiting_order_goes(
        self, studio: Studio, there: Client, admin: Client, elsewhere: Process
    ) -> None:
        order(there)
        with fake_provider() as moved:
            admin.patch_json(f"{PROVIDERS}{fake(studio)}/", {"base_url": moved.url})
            run_due(elsewhere.registry)
        assert (len(moved.orders), studio.provider.orders) == (1, [])

    def test_a_price_is_that_of_the_next_order_and_not_of_the_last(
        self, studio: Studio, there: Client, admin: Client
    ) -> None:
        [before] = order(there)
        admin.patch_json(f"{MODELS}{model(studio)}/", {"unit_price": "0.2"})
        [after] = order(there)
        cheap, dear = (float(read(there, task)["estimated_cost"]) for task in (before, after))
        assert dear == pytest.approx(10 * cheap)

    def test_a_default_model_is_who_gets_the_next_order(
        self, studio: Studio, there: Client, admin: Client
    ) -> None:
        for name in ("fake-one", "fake-two"):
            admin.post(f"{MODELS}{model(studio, name)}/set-default/")
            [task] = order(there, image_model=None)
            assert read(there, task)["model"] == model(studio, name)

    def test_a_provider_that_is_switched_off_gets_none(
        self, studio: Studio, there: Client, admin: Client
    ) -> None:
        body = {"prompt": "a quiet table", "image_model": "fake-one"}
        for status, code in (("inactive", 400), ("active", 202)):
            admin.patch_json(f"{PROVIDERS}{fake(studio)}/", {"status": status})
            there.post_json("/api/ai/generate-image/", body, status=code)

    def test_a_model_that_is_switched_off_is_not_offered(
        self, studio: Studio, there: Client, admin: Client
    ) -> None:
        def offered() -> bool:
            rows = there.get("/api/ai/models/?page_size=200").json["results"]
            return model(studio) in [row["id"] for row in rows]

        seen = [offered()]
        for status in ("inactive", "active"):
            admin.patch_json(f"{MODELS}{model(studio)}/", {"status": status})
            seen.append(offered())
        assert seen == [True, False, True]


@pytest.fixture
def uninstall(registry: Registry) -> Iterator[Any]:
    """Run on without any plugin, as after a restart."""
    before = plugins_of(registry)
    yield lambda: install(registry, Plugins())
    install(registry, before)


class TestARemovedPlugin:
    def test_its_tasks_can_be_read(
        self, studio: Studio, owner: Client, admin: Client, uninstall: Any
    ) -> None:
        [done] = order(owner)
        studio.work()
        before = read(owner, done)
        uninstall()
        assert read(owner, done) == before
        assert done in [task["id"] for task in owner.get("/api/ai/tasks/").json["results"]]
        assert owner.get(f"/api/ai/tasks/{done}/explain/").json["task"]["id"] == done
        assert admin.get(f"/api/admin/tasks/{done}/").json["provider"] == "fake"

    def test_its_models_are_inactive_and_refused(self, studio: Studio, owner: Client, uninstall: Any) -> None:
        def status() -> str:
            rows = owner.get("/api/ai/models/?page_size=200").json["results"]
            return str(next(row["status"] for row in rows if row["id"] == model(studio)))

        assert status() == "active"
        uninstall()
        assert status() == "inactive"
        body = {"prompt": "a quiet table", "image_model": "fake-one"}
        assert owner.post_json("/api/ai/generate-image/", body, status=503).json["code"] == "no_model"

    @pytest.mark.parametrize("reply", [None, Reply.json(202, {"job": "remote-7"})])
    def test_what_was_ordered_of_it_is_failed_and_released(
        self, studio: Studio, owner: Client, uninstall: Any, reply: Reply | None
    ) -> None:
        [task] = order(owner)
        if reply is not None:
            studio.provider.replies.append(reply)
            run_due(studio.registry)
        uninstall()
        studio.work()
        failed = read(owner, task)
        assert (failed["status"], failed["error_message"]) == ("failed", NO_BACKEND)
        assert ledger_of(owner, task) == ["RESERVE", "RELEASE"]
        assert studio.faults() == []

    def test_it_is_told_in_the_back_office_and_stays_set_up(
        self, studio: Studio, admin: Client, uninstall: Any
    ) -> None:
        uninstall()
        tested = admin.post(f"{PROVIDERS}{fake(studio)}/test/").json
        assert (tested["ok"], tested["detail"]) == (
            False,
            "The plugin behind this provider is not installed.",
        )
        assert model(studio) in [row["id"] for row in admin.get(MODELS).json]
