"""A provider who fails: his orders wait or go elsewhere, nobody else's do, and the back office sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select, update
from webtest import TestApp

from contentsvc.generation.models import TaskAttempt
from contentsvc.generation.runner import NOT_CHARGED
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Job, Queue
from contentsvc.jobs.runner import run_due
from contentsvc.plugin import Capability, ProviderError, RateLimited
from contentsvc.providers import budgets, health, turns
from contentsvc.providers.calls import order_delay, poll_delay
from contentsvc.providers.circuit import UNAVAILABLE, CircuitOpen, Circuits, Condition, Outcome
from contentsvc.providers.health import circuits_of
from contentsvc.providers.models import ModelConfig, Provider, ProviderTrouble
from tests.canary import key_of
from tests.fakes.provider import Reply, fake_provider
from tests.functional.calling import Call, add_model, caller, drivers, picture, raising
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read
from tests.functional.queries import count_queries

PROVIDERS = "/api/admin/providers/"
DOWN = Reply(503)


@pytest.fixture(autouse=True)
def hasty(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A circuit that opens at the second failure, for long, and tells as that of the ini does."""
    told = lambda provider, condition: health._note(registry, provider, condition)  # noqa: E731
    monkeypatch.setitem(registry, "contentsvc.provider_circuits", Circuits(2, 3600.0, told))


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        beat_once(registry, list(Queue))
        yield Studio(registry, database, server)


def ring(studio: Studio) -> int:
    """Run each open job once, also those that wait for their time; how many."""
    with studio.database() as session:
        session.execute(update(Job).where(Job.state == "open").values(ring_at=Job.created_at))
        number = session.scalar(select(func.count()).select_from(Job).where(Job.state == "open")) or 0
    run_due(studio.registry, limit=number)
    return number


def provider_id(database: Database, name: str = "fake") -> Any:
    with database() as session:
        return session.scalars(select(Provider.id).where(Provider.name == name)).one()


def fake(studio: Studio) -> Provider:
    """The provider, as an order finds him."""
    with studio.database() as session:
        return session.scalars(select(Provider).where(Provider.name == "fake")).one()


def break_down(studio: Studio, owner: Client) -> None:
    """Two orders that find the provider down; they have failed at the end."""
    studio.provider.replies.extend([DOWN, DOWN])
    order(owner, count=2)
    ring(studio)
    assert circuits_of(studio.registry).is_open(provider_id(studio.database))


def trip(studio: Studio) -> None:
    """Open the provider's circuit."""
    provider = fake(studio)
    for _ in range(2):
        with circuits_of(studio.registry).passage(provider.id, provider.updated_at) as passage:
            passage.outcome = Outcome.FAILED


def add_second(database: Database, url: str) -> None:
    """A second provider with the model ``elsewhere``; the first one's ``fake-one`` is the default."""
    with database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
        named = (ModelConfig.name == "fake-one", ModelConfig.capability == Capability.IMAGE_GENERATION)
        first = session.scalars(select(ModelConfig).where(*named)).one()
        first.is_default = True
        session.add(
            ModelConfig(
                provider=Provider(name="second", display_name="Second", driver="fake", base_url=url),
                name="elsewhere",
                display_name="Elsewhere",
                capability=first.capability,
                unit_price=first.unit_price,
                billing_unit=first.billing_unit,
            )
        )


def health_of(admin: Client, name: str = "fake") -> str:
    return next(row["health"] for row in admin.get(PROVIDERS).json if row["name"] == name)


class TestOrders:
    def test_an_order_waits_unsent_and_uncounted_with_its_credit_reserved(
        self, studio: Studio, owner: Client, database: Database
    ) -> None:
        break_down(studio, owner)
        [task_id] = order(owner)
        for _ in range(3):
            assert ring(studio) == 3
        with database() as session:
            waits = session.scalars(select(Job.ring_at > in_seconds(1000)).where(Job.state == "open")).all()
            attempts = session.scalars(select(TaskAttempt.task_id)).all()
        assert (len(studio.provider.orders), waits) == (2, [True, True, True])
        assert task_id not in [str(each) for each in attempts]
        assert read(owner, task_id)["status"] == "RESERVED"
        assert ledger_of(owner, task_id) == ["RESERVE"]
        assert studio.faults() == []

    def test_it_goes_out_once_the_provider_answers_again(self, studio: Studio, owner: Client) -> None:
        break_down(studio, owner)
        [task_id] = order(owner)
        ring(studio)
        health.install_circuits(studio.registry)
        studio.work()
        assert read(owner, task_id)["status"] == "succeeded"
        assert studio.faults() == []

    def test_a_substitute_takes_over_at_once(self, studio: Studio, owner: Client, database: Database) -> None:
        with fake_provider() as second:
            add_second(database, second.url)
            studio.set_options("fake-one", fallback="elsewhere")
            trip(studio)
            [task_id] = order(owner, image_model=None)
            ring(studio)
            ring(studio)
            assert (len(studio.provider.orders), len(second.orders)) == (0, 1)
        task = read(owner, task_id)
        assert (task["status"], task["provider"]) == ("succeeded", "second")
        assert task["metadata"]["fallback_from"] == "fake-one"

    def test_a_client_who_named_the_model_waits_for_it(
        self, studio: Studio, owner: Client, database: Database
    ) -> None:
        with fake_provider() as second:
            add_second(database, second.url)
            studio.set_options("fake-one", fallback="elsewhere")
            trip(studio)
            [task_id] = order(owner)
            ring(studio)
            ring(studio)
        assert (read(owner, task_id)["status"], second.orders) == ("RESERVED", [])

    def test_one_that_has_waited_too_long_is_failed_and_released(
        self, studio: Studio, owner: Client, database: Database
    ) -> None:
        break_down(studio, owner)
        [task_id] = order(owner)
        with database() as session:
            session.execute(update(Job).values(created_at=in_seconds(-31 * 60)))
        ring(studio)
        task = read(owner, task_id)
        assert (task["status"], task["error_message"]) == ("failed", f"{UNAVAILABLE} {NOT_CHARGED}")
        assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]

    def test_a_poll_is_put_off(self, studio: Studio, owner: Client) -> None:
        studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
        [task_id] = order(owner)
        run_due(studio.registry)
        trip(studio)
        ring(studio)
        assert (read(owner, task_id)["status"], studio.provider.polled) == ("SUBMITTED", [])
        assert poll_delay(studio.registry, fake(studio)) is not None


class TestPauses:
    def test_what_a_provider_asks_for_holds_for_all_his_calls(
        self, studio: Studio, owner: Client, admin: Client
    ) -> None:
        studio.provider.replies.append(Reply(429, headers={"Retry-After": "120"}))
        order(owner)
        ring(studio)
        order(owner)
        ring(studio)
        assert len(studio.provider.orders) == 1
        assert (order_delay(studio.registry, fake(studio)) or 0) >= 120
        assert health_of(admin) == "degraded"

    @pytest.mark.parametrize("asked", [-5.0, float("nan"), float("inf"), 10.0**9, "soon"])
    def test_nonsense_is_not_waited_for(self, call: Call, asked: Any) -> None:
        with pytest.raises(RateLimited) as caught, call() as (backend, ctx):
            backend.start(raising(RateLimited("Slow down.", retry_after=asked)), ctx)
        assert caught.value.retry_after in (None, 0.0, 600.0)


@pytest.fixture
def model(registry: Any, database: Any) -> ModelConfig:
    return add_model(registry, database)


@pytest.fixture
def use_driver(registry: Any) -> Iterator[Callable[..., None]]:
    with drivers(registry) as use:
        yield use


@pytest.fixture
def call(registry: Any, model: ModelConfig, owner: Any, use_driver: Any) -> Call:
    return caller(registry, model, owner.team_id)


class TestWhatCounts:
    """A failure is a provider who doesn't answer, not one who says no."""

    def failures(self, registry: Any, model: ModelConfig) -> int:
        circuit = circuits_of(registry)._circuits.get(model.provider_id)
        return circuit.failures if circuit else 0

    def provoke(self, call: Call, act: Callable[[Any], Any], **arguments: Any) -> None:
        with pytest.raises(ProviderError), call(**arguments) as (backend, ctx):
            backend.start(act, ctx)

    def test_no_connection(self, call: Call, registry: Any, model: ModelConfig) -> None:
        self.provoke(call, lambda ctx: ctx.http.get(ctx.base_url))
        assert self.failures(registry, model) == 1

    @pytest.mark.parametrize(("status", "failures"), [(500, 1), (503, 1), (400, 0), (401, 0), (429, 0)])
    def test_a_status(
        self, call: Call, registry: Any, model: ModelConfig, status: int, failures: int
    ) -> None:
        """Whatever the plugin makes of it."""
        with fake_provider() as server:
            server.default = Reply(status)

            def refuse(ctx: Any) -> Any:
                ctx.http.get(f"{server.url}/x")
                raise ProviderError("no")

            self.provoke(call, refuse)
        assert self.failures(registry, model) == failures

    def test_a_page_of_a_broken_gateway_that_the_plugin_stumbles_over(
        self, call: Call, registry: Any, model: ModelConfig
    ) -> None:
        with fake_provider() as server:
            server.default = Reply(502, b"<html>")
            self.provoke(call, lambda ctx: ctx.http.get(f"{server.url}/x").json())
        assert self.failures(registry, model) == 1

    @pytest.mark.parametrize(
        "act",
        [
            raising(KeyError("a defect")),
            raising(ProviderError("I know better.")),
            lambda ctx: ctx.http.get("http://10.0.0.1/"),
            lambda ctx: ctx.download("http://127.0.0.1:9/f", name="f"),
        ],
    )
    def test_what_says_nothing_of_him(
        self, call: Call, registry: Any, model: ModelConfig, act: Callable[[Any], Any]
    ) -> None:
        self.provoke(call, act)
        assert self.failures(registry, model) == 0

    def test_a_call_that_was_cancelled(self, call: Call, registry: Any, model: ModelConfig) -> None:
        self.provoke(call, lambda ctx: ctx.http.get(ctx.base_url), is_cancelled=lambda: True)
        assert self.failures(registry, model) == 0

    def test_an_open_circuit_is_told_to_who_waits(self, call: Call) -> None:
        for _ in range(2):
            self.provoke(call, lambda ctx: ctx.http.get(ctx.base_url))
        with pytest.raises(CircuitOpen, match=UNAVAILABLE), call() as (backend, ctx):
            backend.start(picture, ctx)
        with pytest.raises(CircuitOpen), call() as (backend, ctx):
            backend.poll("running", ctx)

    def test_a_success_closes_it(self, call: Call, registry: Any, model: ModelConfig) -> None:
        self.provoke(call, lambda ctx: ctx.http.get(ctx.base_url))
        with call() as (backend, ctx):
            backend.start(picture, ctx)
        assert self.failures(registry, model) == 0


class TestHealth:
    def test_it_is_seen_in_the_back_office_and_in_the_metrics(
        self, studio: Studio, owner: Client, admin: Client, api: TestApp
    ) -> None:
        assert health_of(admin) == "healthy"
        studio.provider.replies.append(DOWN)
        order(owner)
        ring(studio)
        assert health_of(admin) == "degraded"
        break_down(studio, owner)
        assert (health_of(admin), health_of(admin, "studio")) == ("open", "healthy")
        metrics = api.get("/api/metrics/", extra_environ={"REMOTE_ADDR": "127.0.0.1"}).text
        assert 'contentsvc_provider_health{provider="fake",state="open"} 1' in metrics
        assert 'contentsvc_provider_health{provider="fake",state="healthy"} 0' in metrics
        assert 'contentsvc_provider_health{provider="studio",state="healthy"} 1' in metrics

    def test_another_address_or_key_begins_anew(self, studio: Studio, owner: Client, admin: Client) -> None:
        break_down(studio, owner)
        admin.patch_json(f"{PROVIDERS}{fake(studio).id}/", {"api_key": key_of("another")})
        assert health_of(admin) == "healthy"
        assert order_delay(studio.registry, fake(studio)) is None

    def test_an_edit_that_changes_nothing_does_not(
        self, studio: Studio, owner: Client, admin: Client
    ) -> None:
        break_down(studio, owner)
        admin.patch_json(f"{PROVIDERS}{fake(studio).id}/", {"status": "active"})
        assert health_of(admin) == "open"

    def test_an_answer_makes_it_healthy_again(
        self, studio: Studio, owner: Client, admin: Client, database: Database
    ) -> None:
        studio.provider.replies.append(DOWN)
        order(owner)
        ring(studio)
        ring(studio)
        assert health_of(admin) == "healthy"
        with database() as session:
            assert session.scalars(select(ProviderTrouble.process)).all() == []

    def test_the_worst_that_any_process_sees_is_told(self, admin: Client, database: Database) -> None:
        fake = provider_id(database)
        with database() as session:
            for process, seconds in (("a:1", None), ("b:2", 60), ("c:3", -60)):
                until = None if seconds is None else in_seconds(seconds)
                session.add(
                    ProviderTrouble(
                        provider_id=fake, process=process, open_until=until, degraded_until=in_seconds(300)
                    )
                )
        assert health_of(admin) == "open"

    def test_what_a_process_that_is_gone_has_seen_is_forgotten(
        self, registry: Registry, admin: Client, database: Database
    ) -> None:
        fake = provider_id(database)
        with database() as session:
            past = in_seconds(-4000)
            session.add(
                ProviderTrouble(provider_id=fake, process="gone:1", open_until=past, degraded_until=past)
            )
        assert health_of(admin) == "healthy"
        health._note(registry, fake, Condition(failing=True))
        with database() as session:
            assert "gone:1" not in session.scalars(select(ProviderTrouble.process)).all()

    def test_a_database_that_is_away_does_not_disturb_the_call(
        self, registry: Registry, monkeypatch: pytest.MonkeyPatch, database: Database
    ) -> None:
        def away(*_arguments: Any) -> None:
            raise RuntimeError("no connection")

        monkeypatch.setattr(health, "_write", away)
        health._note(registry, provider_id(database), Condition(failing=True))

    def test_it_costs_the_list_no_query_a_row(self, registry: Registry, admin: Client) -> None:
        with count_queries(registry) as few:
            admin.get(PROVIDERS)
        for number in range(5):
            admin.post_json(PROVIDERS, {"name": f"p{number}", "display_name": "P"}, status=201)
        with count_queries(registry) as many:
            admin.get(PROVIDERS)
        assert len(many) == len(few)

    def test_it_is_no_change_of_the_provider(self, studio: Studio, owner: Client, admin: Client) -> None:
        """The audit trail tells what administrators do."""
        break_down(studio, owner)
        row = next(row for row in admin.get(PROVIDERS).json if row["name"] == "fake")
        admin.patch_json(f"{PROVIDERS}{row['id']}/", {"display_name": row["display_name"]})
        admin.patch_json(f"{PROVIDERS}{row['id']}/", {"display_name": "Other"})
        [entry] = admin.get("/api/admin/audit/", {"target": row["id"]}).json["results"]
        assert "health" not in {**entry["before"], **entry["after"]}


def test_orders_that_wait_come_back_a_few_at_a_time(
    studio: Studio, owner: Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "ORDERS_A_SPAN", 1)
    studio.provider.replies.append(Reply(429, headers={"Retry-After": "4"}))
    order(owner)
    ring(studio)
    order(owner, count=12)
    ring(studio)
    with database() as session:
        first, last = session.execute(select(func.min(Job.ring_at), func.max(Job.ring_at))).one()
    # By their jitter alone they would come within a second.
    assert (last - first).total_seconds() > 11 * turns.SPAN_SECONDS


def test_a_provider_who_hangs_keeps_no_others_orders_waiting(
    registry: Registry, studio: Studio, owner: Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of his orders than there are threads come first; he answers none of them."""
    monkeypatch.setattr(budgets, "BUSY_SECONDS", 0.05)
    workers = registry["contentsvc.settings"].workers
    release, done = threading.Event(), threading.Event()
    studio.provider.default = Reply(gate=release)

    def work() -> None:
        while not done.is_set():
            if not run_due(registry, limit=1):
                done.wait(0.02)

    with fake_provider() as second:
        add_second(database, second.url)
        for _ in range(2):
            order(owner, count=4)
        order(owner, count=4, image_model="elsewhere")
        threads = [threading.Thread(target=work) for _ in range(workers.threads("generate"))]
        for thread in threads:
            thread.start()
        try:
            answered = [second.ordered.acquire(timeout=20) for _ in range(4)]
            waiting = len(studio.provider.orders)
        finally:
            done.set()
            release.set()
            for thread in threads:
                thread.join()
    assert (answered, waiting) == ([True] * 4, workers.generate)
