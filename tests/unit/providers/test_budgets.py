"""Places for calls of a provider."""

from __future__ import annotations

import uuid

import pytest

from contentsvc.providers import budgets
from contentsvc.providers.budgets import Budgets, ProviderBusy


class Clock:
    """Time that goes on when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 100.0
        monkeypatch.setattr(budgets, "time", self)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_who_asks_at_once_is_refused_at_once(clock: Clock) -> None:
    places, provider = Budgets(1), uuid.uuid4()
    with places.hold_at_once(provider), pytest.raises(ProviderBusy), places.hold_at_once(provider):
        raise AssertionError("there is one place")


def test_a_place_is_given_back_after_an_error() -> None:
    places, provider = Budgets(1), uuid.uuid4()
    with pytest.raises(KeyError), places.hold_at_once(provider):
        raise KeyError
    assert places.full_for(provider) is None


def test_of_a_provider_who_answers_a_place_is_worth_another_try_soon(clock: Clock) -> None:
    places, provider = Budgets(1), uuid.uuid4()
    with places.hold_at_once(provider):
        clock.seconds += 0.1
        assert places.full_for(provider) == budgets.ASK_AGAIN_SECONDS


def test_of_a_provider_who_hangs_it_is_worth_one_later_and_later(clock: Clock) -> None:
    places, provider = Budgets(2), uuid.uuid4()
    with places.hold_at_once(provider):
        clock.seconds += 4
        with places.hold_at_once(provider):
            clock.seconds += 1
            with pytest.raises(ProviderBusy) as caught, places.hold_at_once(provider):
                raise AssertionError("there are two places")
    assert caught.value.seconds == caught.value.retry_after == 10


def test_a_provider_with_a_place_left_is_not_full() -> None:
    places, provider = Budgets(2), uuid.uuid4()
    with places.hold_at_once(provider):
        assert places.full_for(provider) is None


def test_another_provider_has_places_of_its_own() -> None:
    places = Budgets(1)
    with places.hold_at_once(uuid.uuid4()):
        assert places.full_for(uuid.uuid4()) is None
