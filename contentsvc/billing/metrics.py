"""Figures of all teams' credit."""

from __future__ import annotations

from pyramid.registry import Registry
from sqlalchemy import func, select

from contentsvc.billing.models import ZERO, CreditAccount, Reservation, ReservationState
from contentsvc.db.session import transaction_scope
from contentsvc.http.metrics import Family, Kind, Sample


def read(registry: Registry) -> list[Family]:
    """What teams own, what running work holds, and in how many reservations."""
    sums = select(func.sum(CreditAccount.balance), func.sum(CreditAccount.frozen))
    held = select(func.count()).select_from(Reservation).where(Reservation.state == ReservationState.OPEN)
    with transaction_scope(registry) as session:
        balance, frozen = session.execute(sums).one()
        reservations = session.scalar(held) or 0
    return [
        Family("credits_balance", Kind.GAUGE, "Credits of all teams.", [Sample(balance or ZERO)]),
        Family("credits_frozen", Kind.GAUGE, "Credits held by running work.", [Sample(frozen or ZERO)]),
        Family("reservations_open", Kind.GAUGE, "Reservations not settled yet.", [Sample(reservations)]),
    ]
