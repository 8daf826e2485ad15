"""What a backend remembers from one call to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from contentsvc.plugin import (
    Done,
    ProviderError,
)
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


def test_state_is_there_at_the_next_call(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}


def test_state_is_kept_after_an_error(call: Call) -> None:
    def remember_and_fail(ctx: Any) -> Any:
        ctx.state["group"] = "g-1"
        raise ProviderError("no")

    with pytest.raises(ProviderError), call() as (backend, ctx):
        backend.start(remember_and_fail, ctx)
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}


def test_a_removed_member_of_the_state_stays_removed(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state.update(group="g-1", cursor=5)
    with call() as (_, ctx):
        del ctx.state["group"]
    with call() as (_, ctx):
        assert ctx.state == {"cursor": 5}


def test_a_change_deep_in_the_state_is_kept(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state["groups"] = {"a": [1]}
    with call() as (_, ctx):
        ctx.state["groups"]["a"].append(2)
    with call() as (_, ctx):
        assert ctx.state == {"groups": {"a": [1, 2]}}


def test_overlapping_calls_do_not_undo_one_anothers_state(call: Call) -> None:
    with call() as (_, first):
        with call() as (_, second):
            second.state["second"] = 2
        first.state["first"] = 1
    with call() as (_, ctx):
        assert ctx.state == {"first": 1, "second": 2}


def test_another_teams_state_is_another_document(call: Call, other: Any) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call(team_id=other.team_id) as (_, ctx):
        assert ctx.state == {}


@pytest.mark.parametrize("value", [object(), float("nan"), "x" * 70_000])
def test_a_state_that_cannot_be_stored_does_not_lose_the_result(call: Call, value: Any) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call() as (backend, ctx):
        ctx.state["value"] = value
        assert isinstance(backend.start(picture, ctx), Done)
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}
