"""How many calls of a provider run at the same moment, and how long they wait."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from contentsvc.plugin import (
    Done,
    Pending,
)
from contentsvc.providers import budgets
from contentsvc.providers.budgets import BUSY_SECONDS, Budgets, ProviderBusy
from contentsvc.providers.calls import POLL_READ_SECONDS, poll_delay
from contentsvc.providers.models import ModelConfig
from tests.functional.calling import (
    Call,
    add_model,
    caller,
    drivers,
    picture,
)


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


def test_a_process_opens_no_more_calls_than_the_budget(
    call: Call, registry: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "BUSY_SECONDS", 0.0)
    monkeypatch.setitem(registry, "contentsvc.provider_budgets", Budgets(1))
    inside, go_on = threading.Event(), threading.Event()

    def occupy() -> None:
        def wait(ctx: Any) -> Any:
            inside.set()
            go_on.wait(10)
            return picture(ctx)

        with call() as (backend, ctx):
            backend.start(wait, ctx)

    thread = threading.Thread(target=occupy)
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(ProviderBusy) as caught, call() as (backend, ctx):
            backend.start(picture, ctx)
    finally:
        go_on.set()
        thread.join()
    assert caught.value.retryable is True
    with call() as (backend, ctx):
        assert isinstance(backend.start(picture, ctx), Done)


def test_a_poll_does_not_wait_for_a_place(call: Call, registry: Any, model: ModelConfig) -> None:
    polls = registry["contentsvc.provider_poll_budgets"]
    with ExitStack() as held:
        while poll_delay(registry, model.provider) is None:
            held.enter_context(polls.hold_at_once(model.provider_id))
        started = time.monotonic()
        with pytest.raises(ProviderBusy), call() as (backend, ctx):
            backend.poll("running", ctx)
        assert time.monotonic() - started < BUSY_SECONDS
    with call() as (backend, ctx):
        assert backend.poll("running", ctx) == Pending(0.5)


def test_polls_leave_half_of_the_threads_to_other_providers(registry: Any, model: ModelConfig) -> None:
    polls = registry["contentsvc.provider_poll_budgets"]
    threads = registry["contentsvc.settings"].workers.poll
    with ExitStack() as held:
        for _ in range(threads // 2):
            assert poll_delay(registry, model.provider) is None
            held.enter_context(polls.hold_at_once(model.provider_id))
        assert poll_delay(registry, model.provider) is not None


def test_a_poll_waits_less_long_for_an_answer_than_an_order(call: Call) -> None:
    with call() as (backend, ctx):
        backend.poll("running", ctx)
        assert ctx.http.timeout.read == POLL_READ_SECONDS
    with call() as (backend, ctx):
        backend.start(picture, ctx)
        assert ctx.http.timeout.read == 60


def test_another_provider_has_a_budget_of_its_own() -> None:
    places = Budgets(1)
    with places.hold(uuid.uuid4(), lambda: False), places.hold(uuid.uuid4(), lambda: False):
        pass
