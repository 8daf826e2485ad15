"""Reserve, charge, release: what the account and the ledger show afterwards."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from pyramid.registry import Registry
from sqlalchemy.exc import IntegrityError, NoResultFound

from contentsvc.billing import reservations
from contentsvc.billing.accounts import Holding
from contentsvc.billing.reservations import Order
from contentsvc.db.session import transaction_scope
from tests.functional.ledgers import Books


@pytest.fixture
def books(registry: Registry) -> Books:
    return Books(registry)


def held(balance: str, frozen: str) -> Holding:
    return Holding(Decimal(balance), Decimal(frozen))


def test_a_reservation_freezes_its_amount(books: Books) -> None:
    books.reserve_amount("12.50")
    assert books.holding() == held("100.00", "12.50")
    assert books.rows()[1:] == [("RESERVE", "12.50", "100.00", "12.50")]
    assert books.faults() == []


def test_a_batch_writes_one_row_an_order_each_with_the_sum_so_far(books: Books) -> None:
    books.reserve(books.order(1), books.order(2), books.order(3))
    assert books.rows()[1:] == [
        ("RESERVE", "1.00", "100.00", "1.00"),
        ("RESERVE", "2.00", "100.00", "3.00"),
        ("RESERVE", "3.00", "100.00", "6.00"),
    ]
    assert books.faults() == []


def test_a_batch_that_is_too_much_together_is_refused_whole(books: Books) -> None:
    error = books.refused(books.order(60), books.order(60))
    assert error is not None
    assert error.code == "insufficient_balance"
    assert books.holding() == held("100.00", "0.00")
    assert len(books.rows()) == 1


def test_no_orders_hold_nothing(books: Books) -> None:
    assert books.reserve() == []
    assert len(books.rows()) == 1


@pytest.mark.parametrize("amount", ["4.00", "10.00"])
def test_a_charge_takes_its_amount_and_frees_the_whole_reservation(books: Books, amount: str) -> None:
    task = books.reserve_amount(10)
    assert books.charge(task, amount) is True
    left = str(Decimal("100.00") - Decimal(amount))
    assert books.holding() == held(left, "0.00")
    assert books.rows()[-1] == ("CHARGE", f"-{amount}", left, "0.00")
    assert books.faults() == []


def test_a_charge_over_what_was_reserved_may_leave_less_than_nothing(books: Books) -> None:
    task = books.reserve_amount(90)
    books.charge(task, "130.25")
    assert books.holding() == held("-30.25", "0.00")
    assert books.faults() == []


@pytest.mark.parametrize("amount", ["0.00", "0.01"])
def test_debt_refuses_further_orders_until_it_is_covered(books: Books, amount: str) -> None:
    books.charge(books.reserve_amount(90), 130)
    error = books.refused(books.order(amount))
    assert error is not None
    assert error.code == "insufficient_balance"
    books.adjust("30.01")
    assert books.refused(books.order(amount)) is None


def test_a_release_gives_everything_back(books: Books) -> None:
    task = books.reserve_amount(10)
    assert books.release(task) is True
    assert books.holding() == held("100.00", "0.00")
    assert books.rows()[-1] == ("RELEASE", "-10.00", "100.00", "0.00")
    assert books.faults() == []


def test_work_that_costs_nothing_has_its_rows_too(books: Books) -> None:
    task = books.reserve_amount(0)
    books.charge(task, 0)
    assert books.rows()[1:] == [
        ("RESERVE", "0.00", "100.00", "0.00"),
        ("CHARGE", "0.00", "100.00", "0.00"),
    ]
    assert books.faults() == []


@pytest.mark.parametrize("first", ["charge", "release"])
@pytest.mark.parametrize("second", ["charge", "release"])
def test_what_is_settled_stays_settled(books: Books, first: str, second: str) -> None:
    task = books.reserve_amount(10)
    settle = {"charge": lambda: books.charge(task, 7), "release": lambda: books.release(task)}
    settle[first]()
    before = books.rows(), books.holding()
    assert settle[second]() is False
    assert (books.rows(), books.holding()) == before
    assert books.faults() == []


def test_a_task_can_be_reserved_again_under_the_next_number(books: Books) -> None:
    order = books.order(10)
    books.reserve(order)
    books.release(order.task_id)
    books.reserve(order, number=2)
    books.charge(order.task_id, 10, number=2)
    assert [row[0] for row in books.rows()[1:]] == ["RESERVE", "RELEASE", "RESERVE", "CHARGE"]
    assert books.faults() == []


def test_one_number_of_a_task_is_reserved_once(books: Books) -> None:
    order = books.order(10)
    books.reserve(order)
    with pytest.raises(IntegrityError):
        books.reserve(order)
    assert books.holding() == held("100.00", "10.00")


def test_settling_what_never_was_is_an_error(books: Books) -> None:
    with pytest.raises(NoResultFound):
        books.charge(uuid.uuid4(), 1)


def test_a_session_of_one_team_cannot_settle_for_another(registry: Registry, books: Books) -> None:
    task = books.reserve_amount(10)
    with transaction_scope(registry, Books(registry).team_id) as session, pytest.raises(NoResultFound):
        reservations.release(session, books.settings, task, 1)


@pytest.mark.parametrize("amount", ["-0.01", "0.001", "NaN", "1e16"])
def test_what_is_no_amount_of_credits_is_refused_before_the_database(books: Books, amount: str) -> None:
    with pytest.raises(ValueError, match="no amount of credits"):
        Order(uuid.uuid4(), books.member_id, None, Decimal(amount))
    task = books.reserve_amount(1)
    with pytest.raises(ValueError, match="no amount of credits"):
        books.charge(task, amount)


def test_fifty_threads_share_credit_for_twenty(registry: Registry) -> None:
    books = Books(registry, balance=20)
    together = threading.Barrier(50)

    def order_one() -> bool:
        together.wait()
        return books.refused(books.order(1)) is None

    with ThreadPoolExecutor(50) as pool:
        accepted = [future.result() for future in [pool.submit(order_one) for _ in range(50)]]
    assert sum(accepted) == 20
    assert books.holding() == held("20.00", "20.00")
    assert len(books.rows()) == 21
    assert books.faults() == []


def test_settling_from_many_threads_happens_once(books: Books) -> None:
    task = books.reserve_amount(10)
    together = threading.Barrier(16)

    def settle(number: int) -> bool:
        together.wait()
        return books.release(task) if number % 2 else books.charge(task, 10)

    with ThreadPoolExecutor(16) as pool:
        settled = list(pool.map(settle, range(16)))
    assert sum(settled) == 1
    assert len(books.rows()) == 3
    assert books.faults() == []
