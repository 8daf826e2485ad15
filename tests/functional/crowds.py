"""Many threads that begin at one moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(*actions: Callable[[], T]) -> list[T]:
    """Do all of it at the same moment, each in a thread of its own; what came of each."""
    barrier = threading.Barrier(len(actions))

    def act(action: Callable[[], T]) -> T:
        barrier.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(act, actions))


def crowd(threads: int, times: int, action: Callable[[], T]) -> Sequence[T]:
    """``action`` ``times`` times, spread over threads that begin together; what came of each."""

    def work() -> list[T]:
        return [action() for _ in range(times // threads)]

    return [result for results in at_once(*[work] * threads) for result in results]
