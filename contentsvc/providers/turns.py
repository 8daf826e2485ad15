"""When orders that wait for a provider come back: so many a second, however many they are.

While he is left alone, a thousand orders that all came back after the same second would keep the
workers busy with finding out that he still can't be called, and everybody else's orders waiting.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from typing import Final, cast

from pyramid.registry import Registry

SPAN_SECONDS: Final = 0.5
ORDERS_A_SPAN: Final = 10
MOST_SPANS: Final = 60
"""No order is put off by more spans than this, beyond what its provider needs."""

_TURNS: Final = "contentsvc.provider_turns"


class Turns:
    """A process's waiting orders, by provider and the span in which they come back."""

    def __init__(self) -> None:
        self._taken: defaultdict[uuid.UUID, Counter[int]] = defaultdict(Counter)
        self._lock = threading.Lock()

    def after(self, provider_id: uuid.UUID, seconds: float) -> float:
        """Seconds until one more order's turn: ``seconds`` at least, longer where many come back then."""
        now = time.monotonic()
        first = int((now + seconds) / SPAN_SECONDS)
        with self._lock:
            taken = self._taken[provider_id]
            for span in [span for span in taken if span < int(now / SPAN_SECONDS)]:
                del taken[span]
            for span in range(first, first + MOST_SPANS):
                if taken[span] < ORDERS_A_SPAN:
                    taken[span] += 1
                    return max(seconds, span * SPAN_SECONDS - now)
        return seconds + random.uniform(0, MOST_SPANS * SPAN_SECONDS)  # noqa: S311


def install_turns(registry: Registry) -> None:
    """Make the process's turns; once, at configuration."""
    registry[_TURNS] = Turns()


def turns_of(registry: Registry) -> Turns:
    """The process's turns."""
    return cast("Turns", registry[_TURNS])
