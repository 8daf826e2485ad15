"""Credit reserved per second: the step that every order waits for."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from contentsvc.billing.invariants import check
from contentsvc.billing.reservations import Order, reserve
from contentsvc.db.session import transaction_scope
from tools.bench.figures import Figure
from tools.bench.house import House

THREADS = 16
SECONDS = 5.0
AMOUNT = Decimal("0.30")


def measure(house: House) -> Iterator[Figure]:
    """Sixteen threads on one account, then the same on fifty."""
    for count, words in ((1, "one team"), (50, "50 teams")):
        teams = [house.add_team() for _ in range(count)]
        rate = _rate(house, teams)
        yield Figure(
            f"Reservations per second, {words}",
            f"{rate:.0f}",
            f"{THREADS} threads, a committed transaction each, all caps checked",
        )
        _check_books(house, teams)


def _rate(house: House, teams: Sequence[uuid.UUID]) -> float:
    barrier = threading.Barrier(THREADS)

    def work(number: int) -> tuple[int, float]:
        barrier.wait()
        started = time.perf_counter()
        done = 0
        while time.perf_counter() - started < SECONDS:
            _reserve(house, teams[(number + done * THREADS) % len(teams)])
            done += 1
        return done, time.perf_counter() - started

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(work, range(THREADS)))
    return sum(done for done, _ in results) / max(seconds for _, seconds in results)


def _reserve(house: House, team_id: uuid.UUID) -> None:
    order = Order(task_id=uuid.uuid4(), member_id=house.owner_id, project_id=None, amount=AMOUNT)
    with transaction_scope(house.registry, team_id) as session:
        reserve(session, house.registry["contentsvc.settings"], team_id, [order])


def _check_books(house: House, teams: Sequence[uuid.UUID]) -> None:
    for team_id in teams[:3]:
        with transaction_scope(house.registry, team_id) as session:
            if faults := list(check(session)):
                raise RuntimeError(f"the books don't add up: {faults}")
