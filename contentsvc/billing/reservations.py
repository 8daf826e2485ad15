"""Reserve before work, then charge or release, once.

Each of the three is one decision in the caller's transaction: the account row is locked
first, and every figure is read after that. Who also locks rows of jobs or tasks in the same
transaction does so before calling these, so that nobody waits in a circle.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

from sqlalchemy import ColumnElement, and_, insert, select, tuple_, update
from sqlalchemy.orm import Session

from contentsvc.billing import accounts, caps, counters
from contentsvc.billing.accounts import Holding
from contentsvc.billing.caps import Cap, CapState, Order
from contentsvc.billing.clock import moment
from contentsvc.billing.counters import ScopeKey
from contentsvc.billing.models import ZERO, LedgerRow, LedgerType, Reservation, ReservationState
from contentsvc.settings import Settings

__all__ = ["CapState", "Order", "charge", "release", "release_all", "reserve"]


@dataclass(frozen=True)
class _Settled:
    """A reservation that was closed just now."""

    team_id: uuid.UUID
    scopes: list[ScopeKey]
    at: datetime


def reserve(
    session: Session,
    settings: Settings,
    team_id: uuid.UUID,
    orders: Sequence[Order],
    reservation_no: int = 1,
) -> list[list[CapState]]:
    """Hold credit for all the orders or for none of them.

    The cap per task looks at each order, all other caps at the sum. Returns the state of every
    cap for each order, in the orders' order. Raises ApiError with status 402 that names the
    first cap that refuses; nothing is written then, but the account stays locked until the
    caller's transaction ends. An order of 0 is held like any other, so that its task has a
    complete history too.
    """
    if not orders:
        return []
    account = accounts.lock(session, team_id)
    at = moment(session)
    held = _held_by_scope(team_id, orders)
    states = caps.weigh(
        team_id,
        orders,
        caps.read_limits(session, settings, team_id, {order.member_id for order in orders}),
        counters.read(session, settings, team_id, held, at),
        account,
    )
    for cap in Cap:
        place = caps.first_refused(states, cap)
        if cap is not Cap.BALANCE and place is not None:
            raise caps.refusal(cap, orders, states, place)
    total = sum((order.amount for order in orders), ZERO)
    if accounts.freeze(session, team_id, total) is None:
        raise caps.refusal(Cap.BALANCE, orders, states, 0)
    session.execute(insert(Reservation), [_identity(team_id, order, reservation_no, at) for order in orders])
    session.execute(insert(LedgerRow), _reserve_rows(team_id, orders, reservation_no, account, at))
    counters.raise_open(session, team_id, held)
    return states


def charge(
    session: Session, settings: Settings, task_id: uuid.UUID, reservation_no: int, amount: Decimal
) -> bool:
    """Close a reservation and take ``amount`` credits from the balance.

    The amount may be less or more than what was held; more can leave less than nothing
    available. False: it was settled before, and nothing changes. Raises NoResultFound for a
    reservation that never was, ValueError for what is no amount of credits.
    """
    accounts.require_credits(amount)
    settled = _settle(session, task_id, reservation_no, ReservationState.CHARGED, amount)
    if settled is None:
        return False
    counters.add_charge(session, settings, settled.team_id, settled.scopes, amount, settled.at)
    return True


def release(
    session: Session,
    settings: Settings,  # noqa: ARG001  # both ways to settle are called alike
    task_id: uuid.UUID,
    reservation_no: int,
) -> bool:
    """Close a reservation and take nothing.

    False: it was settled before, and nothing changes. Raises NoResultFound for a reservation
    that never was.
    """
    return _settle(session, task_id, reservation_no, ReservationState.RELEASED, ZERO) is not None


def release_all(session: Session, team_id: uuid.UUID, reservations: Sequence[tuple[uuid.UUID, int]]) -> bool:
    """Close many reservations of one team, each a ``(task_id, reservation_no)``, and take nothing.

    A ledger row each; False where one of them was settled before: roll back then.
    """
    before = accounts.lock(session, team_id)
    at = moment(session)
    these = tuple_(Reservation.task_id, Reservation.reservation_no).in_(reservations)
    closed = session.execute(
        update(Reservation)
        .where(Reservation.team_id == team_id, these, _is_open())
        .values(state=ReservationState.RELEASED, settled_at=at)
        .returning(Reservation)
        .execution_options(synchronize_session=False)
    )
    orders = [
        (Order(row.task_id, row.member_id, row.project_id, row.amount), row.reservation_no)
        for row in closed.scalars()
    ]
    held = _held_by_scope(team_id, [order for order, _ in orders])
    for amount in set(held.values()):
        scopes = [scope for scope, sum_ in held.items() if sum_ == amount]
        counters.lower_open(session, team_id, scopes, amount)
    frozen = before.frozen
    rows = []
    for order, number in orders:
        frozen -= order.amount
        moved = {"amount": -order.amount, "balance_after": before.balance, "frozen_after": frozen}
        row = _identity(team_id, order, number, at) | moved
        rows.append(row | {"ledger_type": LedgerType.RELEASE})
    if rows:
        accounts.move(session, team_id, frozen=frozen - before.frozen)
        session.execute(insert(LedgerRow), rows)
    return len(orders) == len(reservations)


def _settle(
    session: Session, task_id: uuid.UUID, reservation_no: int, state: ReservationState, taken: Decimal
) -> _Settled | None:
    this = and_(Reservation.task_id == task_id, Reservation.reservation_no == reservation_no)
    team_id = session.scalars(select(Reservation.team_id).where(this)).one()
    accounts.lock(session, team_id)
    at = moment(session)
    closed = session.execute(
        update(Reservation)
        .where(this, _is_open())
        .values(state=state, settled_at=at)
        .returning(Reservation.member_id, Reservation.project_id, Reservation.amount)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if closed is None:
        return None
    after = accounts.move(session, team_id, balance=-taken, frozen=-closed.amount)
    scopes = counters.scopes_of(team_id, closed.member_id, closed.project_id)
    counters.lower_open(session, team_id, scopes, closed.amount)
    charged = state is ReservationState.CHARGED
    row = {
        "team_id": team_id,
        "ledger_type": LedgerType.CHARGE if charged else LedgerType.RELEASE,
        "amount": -taken if charged else -closed.amount,
        "balance_after": after.balance,
        "frozen_after": after.frozen,
        "task_id": task_id,
        "project_id": closed.project_id,
        "member_id": closed.member_id,
        "reservation_no": reservation_no,
        "created_at": at,
    }
    session.execute(insert(LedgerRow), [row])
    return _Settled(team_id, scopes, at)


def _is_open() -> ColumnElement[bool]:
    return Reservation.state == ReservationState.OPEN


def _held_by_scope(team_id: uuid.UUID, orders: Sequence[Order]) -> dict[ScopeKey, Decimal]:
    held: dict[ScopeKey, Decimal] = {}
    for order in orders:
        for key in counters.scopes_of(team_id, order.member_id, order.project_id):
            held[key] = held.get(key, ZERO) + order.amount
    return held


def _identity(team_id: uuid.UUID, order: Order, reservation_no: int, at: datetime) -> dict[str, Any]:
    return {
        "team_id": team_id,
        "task_id": order.task_id,
        "reservation_no": reservation_no,
        "member_id": order.member_id,
        "project_id": order.project_id,
        "amount": order.amount,
        "created_at": at,
    }


def _reserve_rows(
    team_id: uuid.UUID, orders: Sequence[Order], reservation_no: int, before: Holding, at: datetime
) -> list[dict[str, Any]]:
    """One RESERVE row an order, each with what the account held after it."""
    frozen = accumulate((order.amount for order in orders), initial=before.frozen)
    next(frozen)
    return [
        _identity(team_id, order, reservation_no, at)
        | {"ledger_type": LedgerType.RESERVE, "balance_after": before.balance, "frozen_after": after}
        for order, after in zip(orders, frozen, strict=True)
    ]
