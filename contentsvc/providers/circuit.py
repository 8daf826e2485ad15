"""Leaving a provider alone who fails, until one call has shown that he answers again.

The state is this process's: each finds out for itself, with a few calls. What the
administrator sees is put together from all of them, see ``health``.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

from contentsvc.providers.budgets import ProviderBusy

UNAVAILABLE: Final = "The provider does not answer at present."
LONGEST_PAUSES: Final = 8
"""A pause doubles with each probe that fails, up to so many times the first one."""

_JITTER: Final = (0.8, 1.2)
_SPREAD: Final = 0.25


class CircuitOpen(ProviderBusy):
    """The provider has failed too often, or has asked to be left alone; nothing was sent."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds, UNAVAILABLE)


class Outcome(Enum):
    """What a call has shown of its provider."""

    ANSWERED = auto()
    FAILED = auto()
    UNCLEAR = auto()


@dataclass(slots=True)
class Passage:
    """One call that was let through. Whoever makes it sets ``outcome``, and ``pause``: seconds asked for."""

    is_probe: bool = False
    outcome: Outcome = Outcome.UNCLEAR
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Condition:
    """How a provider is seen from here: failing or not, closed for so many seconds, asked to wait so many."""

    failing: bool = False
    open_seconds: float = 0.0
    paused_seconds: float = 0.0


Told: TypeAlias = Callable[[uuid.UUID, Condition], None]


@dataclass(slots=True, eq=False)
class _Circuit:
    revision: object = None
    failures: int = 0
    openings: int = 0
    open_until: float = 0.0
    paused_until: float = 0.0
    probing: bool = False


class Circuits:
    """The circuits of a process, one for each provider it has called.

    After ``failures`` calls in a row without an answer the circuit opens for ``seconds``;
    then one call is let through to see. ``told`` hears of every change, outside of any lock.
    """

    def __init__(
        self, failures: int, seconds: float, told: Told = lambda _provider, _condition: None
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._told = told
        self._circuits: dict[uuid.UUID, _Circuit] = {}
        self._lock = threading.Lock()

    def delay(self, provider_id: uuid.UUID, revision: object = None) -> float | None:
        """Seconds after which a call is worth another try; None: now.

        Spread, so that those who wait don't come back all at once. ``revision`` is anything
        that differs once the provider's settings have been changed: then nothing is held
        against him any more.
        """
        with self._lock:
            return self._wait(self._circuit(provider_id, revision), time.monotonic())

    def is_open(self, provider_id: uuid.UUID) -> bool:
        """Whether the provider has failed and not answered since; a pause he asked for is another matter."""
        with self._lock:
            return self._circuit(provider_id, None).open_until > 0

    @contextmanager
    def passage(self, provider_id: uuid.UUID, revision: object = None) -> Iterator[Passage]:
        """One call. Raises CircuitOpen where it must not be made."""
        circuit, passage = self._enter(provider_id, revision)
        try:
            yield passage
        finally:
            self._leave(provider_id, circuit, passage)

    def _circuit(self, provider_id: uuid.UUID, revision: object) -> _Circuit:
        circuit = self._circuits.get(provider_id)
        if circuit is None or (revision is not None and circuit.revision != revision):
            circuit = self._circuits[provider_id] = _Circuit(revision)
        return circuit

    def _enter(self, provider_id: uuid.UUID, revision: object) -> tuple[_Circuit, Passage]:
        with self._lock:
            circuit = self._circuit(provider_id, revision)
            wait = self._wait(circuit, time.monotonic())
            if wait is not None:
                raise CircuitOpen(wait)
            circuit.probing = circuit.open_until > 0
            return circuit, Passage(circuit.probing)

    def _wait(self, circuit: _Circuit, now: float) -> float | None:
        until = max(circuit.open_until, circuit.paused_until)
        if circuit.probing:
            until = max(until, now + self._seconds / 2)
        if until <= now:
            return None
        return (until - now) * random.uniform(1, 1 + _SPREAD)  # noqa: S311

    def _leave(self, provider_id: uuid.UUID, circuit: _Circuit, passage: Passage) -> None:
        with self._lock:
            if circuit is not self._circuits.get(provider_id):
                return  # of a provider who was set up otherwise
            if passage.is_probe:
                circuit.probing = False
            now = time.monotonic()
            if passage.outcome is Outcome.ANSWERED:
                changed = circuit.failures > 0
                circuit.failures = circuit.openings = 0
                circuit.open_until = 0.0
            else:
                changed = passage.outcome is Outcome.FAILED and self._failed(circuit, passage, now)
            if passage.pause > 0 and now + passage.pause > circuit.paused_until + 1:
                circuit.paused_until = now + passage.pause
                changed = True
            condition = Condition(
                circuit.failures > 0, max(0.0, circuit.open_until - now), max(0.0, circuit.paused_until - now)
            )
        if changed:
            self._told(provider_id, condition)

    def _failed(self, circuit: _Circuit, passage: Passage, now: float) -> bool:
        """Count it, and open the circuit where that was one too many; whether anything is new."""
        circuit.failures += 1
        is_open = circuit.open_until > 0
        if passage.is_probe or (circuit.failures >= self._most and not is_open):
            factor = min(LONGEST_PAUSES, 2**circuit.openings) * random.uniform(*_JITTER)  # noqa: S311
            circuit.open_until = now + self._seconds * factor
            circuit.openings = min(circuit.openings + 1, LONGEST_PAUSES)
            return True
        return circuit.failures == 1
