"""Orders that wait for one provider come back a few at a time."""

from __future__ import annotations

import uuid
from collections import Counter

import pytest

from contentsvc.providers import turns
from contentsvc.providers.turns import MOST_SPANS, ORDERS_A_SPAN, SPAN_SECONDS, Turns

ALICE, BOB = uuid.uuid4(), uuid.uuid4()
LONGEST = MOST_SPANS * SPAN_SECONDS


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is: its only element."""
    now = [1000.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: now[0])
    return now


def test_a_few_orders_come_back_as_soon_as_they_may() -> None:
    waiting = Turns()
    assert {waiting.after(ALICE, 1.2) for _ in range(ORDERS_A_SPAN)} == {1.2}


def test_more_follow_span_by_span() -> None:
    waiting = Turns()
    delays = [waiting.after(ALICE, 1.2) for _ in range(4 * ORDERS_A_SPAN)]
    assert Counter(delays) == dict.fromkeys((1.2, 1.5, 2.0, 2.5), ORDERS_A_SPAN)


def test_one_providers_orders_dont_put_anothers_off() -> None:
    waiting = Turns()
    for _ in range(10 * ORDERS_A_SPAN):
        waiting.after(ALICE, 1.2)
    assert waiting.after(BOB, 1.2) == 1.2


def test_a_longer_wait_finds_its_own_span_free() -> None:
    waiting = Turns()
    for _ in range(3 * ORDERS_A_SPAN):
        waiting.after(ALICE, 1.2)
    assert waiting.after(ALICE, 7.7) == 7.7


def test_spans_that_are_over_are_forgotten(clock: list[float]) -> None:
    waiting = Turns()
    for _ in range(3 * ORDERS_A_SPAN):
        waiting.after(ALICE, 1.2)
    clock[0] += 10
    assert waiting.after(ALICE, 1.2) == 1.2
    assert len(waiting._taken[ALICE]) == 1


def test_nobody_is_put_off_for_ever() -> None:
    waiting = Turns()
    delays = [waiting.after(ALICE, 1.2) for _ in range((MOST_SPANS + 40) * ORDERS_A_SPAN)]
    assert max(delays) <= 1.2 + LONGEST
    beyond = delays[MOST_SPANS * ORDERS_A_SPAN :]
    assert min(beyond) < 1.2 + LONGEST / 4
    assert max(beyond) > 1.2 + LONGEST * 3 / 4
