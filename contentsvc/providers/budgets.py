"""How many calls a process has open to each provider at once."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from contentsvc.plugin import ProviderError, RateLimited

BUSY_SECONDS: Final = 5.0
"""How long an order waits for a place."""

LOOK_SECONDS: Final = 0.25
LONGEST_STUCK_SECONDS: Final = 15.0
ORDER_AGAIN_SECONDS: Final = 2.0
# With the second that the due scan may take, still soon.
ASK_AGAIN_SECONDS: Final = 0.5


class NotSent(ProviderError):
    """The order never left this process, and won't at another try."""


class ProviderBusy(RateLimited):
    """This process has as many calls open to the provider as it may; nothing was sent."""

    def __init__(self, seconds: float, message: str = "Too many calls to this provider are open.") -> None:
        super().__init__(message, retry_after=seconds)
        self.seconds = seconds


class Budgets:
    """Places for calls, so many for each provider."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._open: dict[uuid.UUID, list[float]] = {}
        self._changed = threading.Condition()

    @contextmanager
    def hold(self, provider_id: uuid.UUID, is_cancelled: Callable[[], bool]) -> Iterator[None]:
        """One call. Waits up to five seconds for a place, then raises ProviderBusy."""
        deadline = time.monotonic() + BUSY_SECONDS
        while (began := self._take(provider_id, LOOK_SECONDS)) is None:
            if is_cancelled() or time.monotonic() > deadline:
                raise ProviderBusy(ORDER_AGAIN_SECONDS)
        try:
            yield
        finally:
            self._give_back(provider_id, began)

    @contextmanager
    def hold_at_once(self, provider_id: uuid.UUID) -> Iterator[None]:
        """One call, for which nobody waits: raises ProviderBusy where there is no place."""
        began = self._take(provider_id, 0)
        if began is None:
            raise ProviderBusy(self.full_for(provider_id) or ASK_AGAIN_SECONDS)
        try:
            yield
        finally:
            self._give_back(provider_id, began)

    def full_for(self, provider_id: uuid.UUID) -> float | None:
        """Seconds after which a place is worth another try; None: there is one now.

        Soon, as a rule; where a provider doesn't answer, twice as long as the oldest call
        has waited for him.
        """
        with self._changed:
            held = self._open.get(provider_id, ())
            if len(held) < self._size:
                return None
            return max(ASK_AGAIN_SECONDS, 2 * (time.monotonic() - min(held)))

    def stuck_for(self, provider_id: uuid.UUID) -> float | None:
        """As :meth:`full_for`, but None also where waiting a moment for a place is worth it."""
        with self._changed:
            held = self._open.get(provider_id, ())
            if len(held) < self._size or (waited := time.monotonic() - min(held)) < BUSY_SECONDS:
                return None
            return min(LONGEST_STUCK_SECONDS, waited)

    def _take(self, provider_id: uuid.UUID, seconds: float) -> float | None:
        with self._changed:
            held = self._open.setdefault(provider_id, [])
            if not self._changed.wait_for(lambda: len(held) < self._size, seconds):
                return None
            began = time.monotonic()
            held.append(began)
            return began

    def _give_back(self, provider_id: uuid.UUID, began: float) -> None:
        with self._changed:
            self._open[provider_id].remove(began)
            self._changed.notify_all()
