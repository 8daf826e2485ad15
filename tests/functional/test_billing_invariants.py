"""The check of the books finds each kind of damage, and nothing where there is none."""

from __future__ import annotations

import uuid

import pytest
from pyramid.registry import Registry
from sqlalchemy import text

from contentsvc.billing import invariants
from contentsvc.db.session import transaction_scope
from tests.functional.ledgers import Books

PROJECT = uuid.UUID(int=1)


@pytest.fixture
def books(registry: Registry) -> Books:
    """A history with every kind of row: charged, released and open, adjusted, recharged."""
    books = Books(registry)
    books.spend(5, project=PROJECT)
    books.release(books.reserve_amount(6, project=PROJECT))
    books.reserve(books.order(7), books.order(8, project=PROJECT))
    books.adjust(-3)
    books.recharge(20)
    return books


def all_faults(registry: Registry, books: Books | None = None) -> list[str]:
    with transaction_scope(registry) as session:
        return invariants.check(session, books.settings if books else None)


def test_sound_books_have_no_faults(registry: Registry, books: Books) -> None:
    assert all_faults(registry, books) == []


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("UPDATE credit_account SET balance = balance + 0.01", "balance of team"),
        ("UPDATE credit_account SET frozen = frozen + 0.01", "frozen credit of team"),
        ("DELETE FROM credit_account", "balance of team"),
        ("UPDATE ledger_row SET balance_after = 1 WHERE ledger_type = 'CHARGE'", "ledger row"),
        ("UPDATE ledger_row SET frozen_after = 1 WHERE ledger_type = 'ADJUSTMENT'", "ledger row"),
        (
            "DELETE FROM ledger_row WHERE ledger_type = 'RELEASE'",
            "its state and the row that closes it differ",
        ),
        (
            "DELETE FROM ledger_row WHERE ledger_type = 'CHARGE'",
            "its state and the row that closes it differ",
        ),
        ("DELETE FROM ledger_row WHERE ledger_type = 'RESERVE'", "its RESERVE row is missing"),
        ("DELETE FROM reservation WHERE state = 'open'", "its RESERVE row is missing"),
        ("UPDATE reservation SET amount = amount + 1", "its RESERVE row is missing or says otherwise"),
        ("UPDATE reservation SET project_id = NULL", "its RESERVE row is missing or says otherwise"),
        ("UPDATE reservation SET state = 'open'", "its state and the row that closes it differ"),
        ("UPDATE reservation SET state = 'released' WHERE state = 'charged'", "closes it differ"),
        ("UPDATE recharge SET amount = amount + 1", "its state and the row that credits it differ"),
        ("UPDATE recharge SET state = 'pending'", "its state and the row that credits it differ"),
        ("UPDATE open_counter SET amount = amount + 1 WHERE scope = 'member'", "open counter of member"),
        ("DELETE FROM open_counter WHERE scope = 'project'", "open counter of project"),
        ("UPDATE charge_counter SET amount = 1 WHERE time_window = 'total'", "total counter of"),
        ("UPDATE charge_counter SET amount = 1 WHERE time_window = 'month'", "month counter of"),
        ("DELETE FROM charge_counter WHERE time_window = 'day'", "its days"),
    ],
)
def test_damage_is_named(registry: Registry, books: Books, damage: str, says: str) -> None:
    with transaction_scope(registry) as session:
        session.execute(text(damage))
    assert any(says in fault for fault in all_faults(registry))


def test_a_charge_counted_in_the_wrong_month_shows_against_the_ledger(
    registry: Registry, books: Books
) -> None:
    with transaction_scope(registry) as session:
        session.execute(
            text("UPDATE charge_counter SET starts_on = date '2001-01-01' WHERE time_window <> 'total'")
        )
    assert all_faults(registry) == []
    assert any(fault.startswith("month counter of team") for fault in all_faults(registry, books))


def test_a_teams_check_sees_that_team_alone(registry: Registry, books: Books) -> None:
    another = Books(registry)
    with transaction_scope(registry) as session:
        session.execute(
            text("UPDATE credit_account SET balance = 1 WHERE team_id = :team"), {"team": another.team_id}
        )
        session.execute(text("DELETE FROM ledger_row WHERE team_id = :team"), {"team": another.team_id})
    assert books.faults() == []
    assert len(another.faults()) == 1
