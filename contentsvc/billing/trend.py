"""What a team was charged, recharged and ordered, day by day, week by week, month by month."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import Date, and_, cast, func, literal_column, or_, select
from sqlalchemy.orm import Session

from contentsvc.billing.clock import moment
from contentsvc.billing.models import ZERO, ChargeCounter, LedgerRow, LedgerType, Scope, Window
from contentsvc.settings import Settings


class TrendRange(StrEnum):
    """How long a period of the trend is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass
class TrendPoint:
    """One period: its first day, credits charged and recharged in it, tasks ordered in it."""

    period: date
    charged: Decimal = ZERO
    recharged: Decimal = ZERO
    tasks: int = 0


@dataclass(frozen=True)
class Trend:
    """The periods up to the one that runs now, oldest first, none left out."""

    range: TrendRange
    points: Sequence[TrendPoint] = field(default_factory=tuple)


def _day_of(day: date) -> date:
    return day


def _week_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _month_of(day: date) -> date:
    return day.replace(day=1)


_PERIOD_OF: Final[Mapping[TrendRange, Callable[[date], date]]] = {
    TrendRange.DAY: _day_of,
    TrendRange.WEEK: _week_of,
    TrendRange.MONTH: _month_of,
}
"""The first day of the period that a day lies in."""

_PERIODS: Final[Mapping[TrendRange, int]] = {
    TrendRange.DAY: 30,
    TrendRange.WEEK: 12,
    TrendRange.MONTH: 12,
}


def periods(range_: TrendRange, today: date) -> list[date]:
    """First days of the periods up to the one ``today`` lies in, ascending."""
    period_of = _PERIOD_OF[range_]
    days = [period_of(today)]
    while len(days) < _PERIODS[range_]:
        days.append(period_of(days[-1] - timedelta(days=1)))
    return days[::-1]


def trend(session: Session, settings: Settings, team_id: uuid.UUID, range_: TrendRange) -> Trend:
    """The team's trend in the platform's time zone; two statements beside the clock's.

    ``recharged`` is what was paid for: bonuses, gifts and adjustments aren't in it. A task
    counts once, on the day it was ordered, however often an administrator has it retried.
    """
    zone = ZoneInfo(settings.billing.timezone)
    today = moment(session).astimezone(zone).date()
    points = {first_day: TrendPoint(first_day) for first_day in periods(range_, today)}
    since = min(points)
    period_of = _PERIOD_OF[range_]
    for day, amount in _charges(session, team_id, range_, since):
        if day <= today:
            points[period_of(day)].charged += amount
    for day, ledger_type, amount, count in _movements(session, team_id, zone, since):
        if day > today:
            continue
        point = points[period_of(day)]
        if ledger_type == LedgerType.RECHARGE:
            point.recharged += amount
        else:
            point.tasks += count
    return Trend(range_, list(points.values()))


def _charges(
    session: Session, team_id: uuid.UUID, range_: TrendRange, since: date
) -> list[tuple[date, Decimal]]:
    window = Window.MONTH if range_ is TrendRange.MONTH else Window.DAY
    counter = ChargeCounter
    rows = session.execute(
        select(counter.starts_on, counter.amount).where(
            counter.team_id == team_id,
            counter.scope == Scope.TEAM,
            counter.scope_id == team_id,
            counter.time_window == window,
            counter.starts_on >= since,
        )
    )
    return [(day, amount) for day, amount in rows]


def _movements(
    session: Session, team_id: uuid.UUID, zone: ZoneInfo, since: date
) -> list[tuple[date, str, Decimal, int]]:
    """``(day, ledger type, sum, rows)`` of recharges and first reservations."""
    row = LedgerRow
    day = cast(func.timezone(zone.key, row.created_at), Date)
    ordered = and_(row.ledger_type == LedgerType.RESERVE, row.reservation_no == 1)
    rows = session.execute(
        select(day, row.ledger_type, func.sum(row.amount), func.count())
        .where(
            row.team_id == team_id,
            row.created_at >= datetime.combine(since, time.min, zone),
            or_(row.ledger_type == LedgerType.RECHARGE, ordered),
        )
        # By position: an expression with a parameter is another expression the second time.
        .group_by(literal_column("1"), literal_column("2"))
    )
    return [(on, kind, amount, count) for on, kind, amount, count in rows]
