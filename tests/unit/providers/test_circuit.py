"""When a provider is left alone, and when he is tried again."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from contentsvc.providers import circuit
from contentsvc.providers.circuit import CircuitOpen, Circuits, Condition, Outcome

ACME = uuid.UUID(int=1)
OTHER = uuid.UUID(int=2)


class Clock:
    """Time that goes on when the test says so; pauses without jitter, waits with the most."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 100.0
        monkeypatch.setattr(circuit, "time", self)
        monkeypatch.setattr(circuit, "random", self)

    def monotonic(self) -> float:
        return self.seconds

    def uniform(self, low: float, high: float) -> float:
        return 1.0 if low < 1 else high


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def told() -> list[Condition]:
    return []


@pytest.fixture
def circuits(told: list[Condition]) -> Circuits:
    """Opens for ten seconds at the third failure."""
    return Circuits(3, 10.0, lambda _provider, condition: told.append(condition))


def call(circuits: Circuits, outcome: Outcome, provider: uuid.UUID = ACME, pause: float = 0.0) -> None:
    with circuits.passage(provider) as passage:
        passage.outcome = outcome
        passage.pause = pause


def fail(circuits: Circuits, times: int = 3) -> None:
    for _ in range(times):
        call(circuits, Outcome.FAILED)


def test_it_opens_at_the_failure_that_is_one_too_many(circuits: Circuits) -> None:
    fail(circuits, 2)
    assert (circuits.delay(ACME), circuits.is_open(ACME)) == (None, False)
    fail(circuits, 1)
    assert circuits.is_open(ACME)
    with pytest.raises(CircuitOpen) as caught, circuits.passage(ACME):
        raise AssertionError("nothing is let through")
    assert caught.value.retry_after == caught.value.seconds == 10 * 1.25


def test_an_answer_between_failures_begins_the_count_anew(circuits: Circuits) -> None:
    fail(circuits, 2)
    call(circuits, Outcome.ANSWERED)
    fail(circuits, 2)
    assert circuits.delay(ACME) is None


def test_what_says_nothing_of_the_provider_counts_neither_way(circuits: Circuits) -> None:
    fail(circuits, 2)
    call(circuits, Outcome.UNCLEAR)
    fail(circuits, 1)
    assert circuits.is_open(ACME)


def test_an_error_of_the_block_is_unclear_and_gives_the_probe_back(circuits: Circuits, clock: Clock) -> None:
    fail(circuits)
    clock.seconds += 10
    with pytest.raises(KeyError), circuits.passage(ACME):
        raise KeyError
    assert circuits.delay(ACME) is None


def test_another_provider_is_another_circuit(circuits: Circuits) -> None:
    fail(circuits)
    assert circuits.delay(OTHER) is None


def test_after_the_pause_one_call_is_let_through_and_the_others_wait_for_it(
    circuits: Circuits, clock: Clock
) -> None:
    fail(circuits)
    clock.seconds += 10
    with circuits.passage(ACME) as probe:
        assert probe.is_probe
        assert circuits.delay(ACME) == 5 * 1.25
        probe.outcome = Outcome.ANSWERED
    assert (circuits.delay(ACME), circuits.is_open(ACME)) == (None, False)


def test_each_probe_that_fails_doubles_the_pause_up_to_eightfold(circuits: Circuits, clock: Clock) -> None:
    fail(circuits)
    pauses = []
    for _ in range(5):
        clock.seconds += 1000
        fail(circuits, 1)
        pauses.append((circuits.delay(ACME) or 0) / 1.25)
    assert pauses == [20, 40, 80, 80, 80]


def test_a_call_from_before_that_fails_late_lengthens_nothing(circuits: Circuits, clock: Clock) -> None:
    with circuits.passage(ACME) as early:
        fail(circuits)
        clock.seconds += 4
        early.outcome = Outcome.FAILED
    assert circuits.delay(ACME) == 6 * 1.25


def test_a_call_from_before_that_succeeds_closes_it(circuits: Circuits) -> None:
    with circuits.passage(ACME) as early:
        fail(circuits)
        early.outcome = Outcome.ANSWERED
    assert circuits.delay(ACME) is None


def test_a_pause_that_was_asked_for_is_kept_and_is_no_failure(circuits: Circuits, clock: Clock) -> None:
    call(circuits, Outcome.ANSWERED, pause=7)
    assert (circuits.delay(ACME), circuits.is_open(ACME)) == (7 * 1.25, False)
    clock.seconds += 7
    assert circuits.delay(ACME) is None


def test_a_shorter_pause_does_not_replace_a_longer_one(circuits: Circuits) -> None:
    with circuits.passage(ACME) as late:
        call(circuits, Outcome.ANSWERED, pause=30)
        late.outcome, late.pause = Outcome.ANSWERED, 3
    assert circuits.delay(ACME) == 30 * 1.25


def test_every_change_is_told_and_nothing_else(
    circuits: Circuits, clock: Clock, told: list[Condition]
) -> None:
    call(circuits, Outcome.ANSWERED)
    fail(circuits)
    clock.seconds += 10
    call(circuits, Outcome.ANSWERED, pause=4)
    call(circuits, Outcome.ANSWERED, OTHER)
    assert told == [
        Condition(failing=True),
        Condition(failing=True, open_seconds=10),
        Condition(paused_seconds=4),
    ]


def test_another_revision_of_the_provider_begins_anew(circuits: Circuits, told: list[Condition]) -> None:
    with circuits.passage(ACME, "old") as early:
        fail(circuits)
        assert circuits.delay(ACME, "old") is not None
        assert circuits.delay(ACME, "new") is None
        early.outcome = Outcome.FAILED
    assert circuits._circuits[ACME].failures == 0
    assert len(told) == 2


def test_who_is_told_may_ask(clock: Clock) -> None:
    """Outside of the lock: a note that takes long must not hold up the calls."""
    seen: list[Any] = []
    made = Circuits(1, 10.0, lambda provider, _condition: seen.append(made.is_open(provider)))
    call(made, Outcome.FAILED)
    assert seen == [True]
