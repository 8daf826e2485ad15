"""A provider in bad weather: storms of refusals, replies that get lost, works that come too late."""

from __future__ import annotations

import itertools
import math
import random
import threading
from collections import Counter, deque
from enum import Enum, StrEnum, auto
from typing import Any, Final

from tests.fakes.provider import FakeProvider, Reply

LOST_SHARE: Final = 0.1
LATE_SHARE: Final = 0.05
OUTAGE: Final = 4
STORM: Final = 10
_BUSY: Final = Reply(429, b"", {"Retry-After": "1"})
_CUT: Final = Reply(cut=True)


class Trade(StrEnum):
    """How a provider takes orders: each has another way of being asked again."""

    PLAIN = auto()
    """The picture is the reply; whoever orders again gets, and pays for, another one."""
    KEYED = auto()
    """The same, but an order under a known key is the known order."""
    REMOTE = auto()
    """The reply names a job, which is asked for."""


class Fate(Enum):
    """What becomes of a request that brings an order."""

    FINE = auto()
    BUSY = auto()
    LOST = auto()
    LATE = auto()


def weather(chance: random.Random, orders: int) -> deque[Fate]:
    """A fate a request: 10 % of the orders lost, half of those in outages, 5 % late, and storms on top."""
    lost, late = math.ceil(orders * LOST_SHARE), math.ceil(orders * LATE_SHARE)
    outages = max(1, lost // 2 // OUTAGE)
    spells = [
        *[[Fate.LOST] * OUTAGE] * outages,
        *[[Fate.LOST]] * (lost - outages * OUTAGE),
        *[[Fate.LATE]] * late,
        *[[Fate.FINE]] * (orders - lost - late),
        *[[Fate.BUSY] * STORM] * max(1, orders // 60),
    ]
    chance.shuffle(spells)
    return deque(itertools.chain.from_iterable(spells))


class StormyProvider(FakeProvider):
    """Keeps account of what it made and of what nobody heard of in time; all by key.

    ``made`` counts orders, each of which costs money; ``lost`` are those whose reply was cut
    off. A work that comes too late is held back until ``let_go``: ``waited_for`` are those
    that somebody waits for now.
    """

    def __init__(self, trade: Trade, orders: int, seed: int) -> None:
        super().__init__()
        self.trade = trade
        self.made: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.lost: set[str] = set()
        self.late: dict[str, threading.Event] = {}
        self.waited_for: set[str] = set()
        self.refusals = 0
        self.lost_polls = 0
        self._chance = random.Random(seed)
        self._weather = weather(self._chance, orders)
        self._unfinished: dict[str, int] = {}
        self._ledger = threading.Lock()

    def order(self, document: dict[str, Any]) -> Reply:
        with self._ledger:
            return self._take(str(document["key"]), self._weather.popleft() if self._weather else Fate.FINE)

    def poll(self, job_id: str) -> Reply:
        with self._ledger:
            if job_id in self.late:
                return self._hold_back(job_id)
            luck = self._chance.random()
            if luck < LOST_SHARE:
                self.lost_polls += 1
                return _CUT
            if luck < LOST_SHARE + 0.03:
                self.refusals += 1
                return _BUSY
            if self._unfinished[job_id]:
                self._unfinished[job_id] -= 1
                return Reply.json(202, {"progress": 0.5})
            return self.default

    def let_go(self, key: str) -> None:
        """Hand a late work over."""
        with self._ledger:
            self.waited_for.discard(key)
        self.late[key].set()

    def close(self) -> None:
        for gate in self.late.values():
            gate.set()
        super().close()

    def _take(self, key: str, fate: Fate) -> Reply:
        self.asked[key] += 1
        if fate is Fate.BUSY:
            self.refusals += 1
            return _BUSY
        is_known = self.trade is Trade.KEYED and key in self.made
        if not is_known:
            self.made[key] += 1
            self._unfinished[key] = self._chance.randrange(2)
        if fate is Fate.LOST:
            self.lost.add(key)
            return _CUT
        if fate is Fate.LATE and is_known:
            # It meets the next new order instead.
            self._weather.appendleft(fate)
        elif fate is Fate.LATE:
            self.late[key] = threading.Event()
        if self.trade is Trade.REMOTE:
            return Reply.json(202, {"job": key})
        return self._hold_back(key) if fate is Fate.LATE and not is_known else self.default

    def _hold_back(self, key: str) -> Reply:
        gate = self.late[key]
        if not gate.is_set():
            self.waited_for.add(key)
        return Reply(gate=gate)
