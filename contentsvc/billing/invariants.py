"""The books, checked: ledger, accounts, reservations and counters must tell the same story.

Each check compares all rows the session can see: one team's in a team's scope, every team's
in the platform's. While credit moves, read in one REPEATABLE READ transaction, or a
movement between two statements looks like a fault.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    Date,
    Select,
    and_,
    case,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session

from contentsvc.billing.counters import WINDOWS_OF
from contentsvc.billing.models import (
    BALANCE_MOVING,
    ZERO,
    ChargeCounter,
    CreditAccount,
    LedgerRow,
    LedgerType,
    OpenCounter,
    Recharge,
    RechargeState,
    Reservation,
    ReservationState,
    Scope,
    Window,
)
from contentsvc.settings import Settings

Figures = dict[tuple[Any, ...], Any]

_IS_OPEN: Final = Reservation.state == ReservationState.OPEN
_IS_CHARGE: Final = LedgerRow.ledger_type == LedgerType.CHARGE


def check(session: Session, settings: Settings | None = None) -> list[str]:
    """One sentence for each thing that doesn't add up; an empty list when all is well.

    With ``settings``, the counters of days and months are compared with the ledger in the
    platform's zone; without, with each other and with the total.
    """
    faults = [
        *_accounts(session),
        *_chains(session),
        *_reserve_rows(session),
        *_settle_rows(session),
        *_recharges(session),
        *_open_counters(session),
        *_charge_counters(session),
    ]
    if settings is not None:
        faults += _windows_of_ledger(session, settings.billing.timezone)
    return faults


def _accounts(session: Session) -> Iterable[str]:
    balance = _figures(session, select(CreditAccount.team_id, CreditAccount.balance))
    moved = _sums(
        session, LedgerRow.amount, LedgerRow.team_id, where=LedgerRow.ledger_type.in_(BALANCE_MOVING)
    )
    yield from _differences("balance of team", balance, moved, "the ledger")
    frozen = _figures(session, select(CreditAccount.team_id, CreditAccount.frozen))
    held = _sums(session, Reservation.amount, Reservation.team_id, where=_IS_OPEN)
    yield from _differences("frozen credit of team", frozen, held, "the open reservations")


def _chains(session: Session) -> Iterable[str]:
    """Every ledger row's ``…_after`` is the sum of the team's movements up to it."""
    moves_balance = case((LedgerRow.ledger_type.in_(BALANCE_MOVING), LedgerRow.amount), else_=0)
    moves_frozen = case(
        (LedgerRow.ledger_type.in_((LedgerType.RESERVE, LedgerType.RELEASE)), LedgerRow.amount),
        (_IS_CHARGE, -Reservation.amount),
        else_=0,
    )
    so_far: dict[str, Any] = {
        "partition_by": LedgerRow.team_id,
        "order_by": (LedgerRow.created_at, LedgerRow.id),
        "rows": (None, 0),
    }
    chain = (
        select(
            LedgerRow.id,
            (func.sum(moves_balance).over(**so_far) - LedgerRow.balance_after).label("balance"),
            (func.sum(moves_frozen).over(**so_far) - LedgerRow.frozen_after).label("frozen"),
        )
        .outerjoin(Reservation, _same_reservation())
        .subquery()
    )
    for row in session.execute(select(chain).where(or_(chain.c.balance != 0, chain.c.frozen != 0))):
        yield f"ledger row {row.id}: off by {row.balance} in the balance, {row.frozen} in frozen credit"


def _reserve_rows(session: Session) -> Iterable[str]:
    """A reservation and its RESERVE row come together, with one amount."""
    reservations = select(Reservation).subquery()
    rows = select(LedgerRow).where(LedgerRow.ledger_type == LedgerType.RESERVE).subquery()
    statement = (
        select(*_either(reservations, rows))
        .select_from(reservations.join(rows, _together(reservations, rows), full=True))
        .where(or_(rows.c.amount.is_distinct_from(reservations.c.amount), _strangers(reservations, rows)))
    )
    for task_id, number in session.execute(statement):
        yield f"reservation {number} of task {task_id}: its RESERVE row is missing or says otherwise"


def _settle_rows(session: Session) -> Iterable[str]:
    """A closed reservation and the row that closed it come together; an open one has none."""
    reservations = select(Reservation).subquery()
    rows = (
        select(LedgerRow).where(LedgerRow.ledger_type.in_((LedgerType.CHARGE, LedgerType.RELEASE))).subquery()
    )
    state = reservations.c.state
    fits = or_(
        and_(state == ReservationState.OPEN, rows.c.id.is_(None)),
        and_(state == ReservationState.CHARGED, rows.c.ledger_type == LedgerType.CHARGE),
        and_(
            state == ReservationState.RELEASED,
            rows.c.ledger_type == LedgerType.RELEASE,
            rows.c.amount == -reservations.c.amount,
        ),
    )
    statement = (
        select(*_either(reservations, rows))
        .select_from(reservations.join(rows, _together(reservations, rows), full=True))
        .where(fits.is_not(True))
    )
    for task_id, number in session.execute(statement):
        yield f"reservation {number} of task {task_id}: its state and the row that closes it differ"


def _recharges(session: Session) -> Iterable[str]:
    """A recharge that was credited has a RECHARGE row of its id and amount; any other has none."""
    credited = Recharge.state == RechargeState.CREDITED
    fits = and_(credited, LedgerRow.ledger_type == LedgerType.RECHARGE, LedgerRow.amount == Recharge.amount)
    statement = (
        select(Recharge.id)
        .outerjoin(LedgerRow, LedgerRow.id == Recharge.id)
        .where(or_(and_(credited, fits.is_not(True)), and_(~credited, LedgerRow.id.is_not(None))))
    )
    for recharge_id in session.scalars(statement):
        yield f"recharge {recharge_id}: its state and the row that credits it differ"


def _open_counters(session: Session) -> Iterable[str]:
    counter = OpenCounter
    counted = _figures(session, select(counter.scope, counter.team_id, counter.scope_id, counter.amount))
    held = _by_scope(session, Reservation, Reservation.amount, where=_IS_OPEN)
    yield from _differences("open counter of", counted, held, "the open reservations")


def _charge_counters(session: Session) -> Iterable[str]:
    """Totals are what the ledger charged, months add up to totals, days to their months."""
    charged = _by_scope(session, LedgerRow, -LedgerRow.amount, where=_IS_CHARGE)
    total = _counted(session, Window.TOTAL)
    yield from _differences("total counter of", total, charged, "the ledger")
    first_of_month = cast(func.date_trunc("month", ChargeCounter.starts_on), Date)
    months = _counted(session, Window.MONTH, first_of_month)
    days = _counted(session, Window.DAY, first_of_month)
    yield from _differences("month counter of", months, days, "its days")
    in_months: Figures = {}
    for (*scope, _), amount in months.items():
        in_months[tuple(scope)] = in_months.get(tuple(scope), ZERO) + amount
    lasting = {key: amount for key, amount in total.items() if Window.MONTH in WINDOWS_OF[Scope(key[0])]}
    yield from _differences("total counter of", lasting, in_months, "its months")


def _windows_of_ledger(session: Session, zone: str) -> Iterable[str]:
    local = func.timezone(zone, LedgerRow.created_at)
    first_days = {Window.DAY: cast(local, Date), Window.MONTH: cast(func.date_trunc("month", local), Date)}
    for window, first_day in first_days.items():
        charged = _by_scope(session, LedgerRow, -LedgerRow.amount, first_day, where=_IS_CHARGE, window=window)
        counted = _counted(session, window, ChargeCounter.starts_on)
        yield from _differences(f"{window} counter of", counted, charged, "the ledger")


def _counted(session: Session, window: Window, *more: Any) -> Figures:
    by = (ChargeCounter.scope, ChargeCounter.team_id, ChargeCounter.scope_id, *more)
    return _sums(session, ChargeCounter.amount, *by, where=ChargeCounter.time_window == window)


def _by_scope(
    session: Session, table: Any, amount: Any, *more: Any, where: Any, window: Window = Window.TOTAL
) -> Figures:
    """Sums for each team, member and project that have counters of the window."""
    ids = {Scope.TEAM: table.team_id, Scope.MEMBER: table.member_id, Scope.PROJECT: table.project_id}
    rows = union_all(
        *(
            select(
                literal(scope.value).label("scope"),
                table.team_id.label("team_id"),
                ids[scope].label("scope_id"),
                *(column.label(f"more_{number}") for number, column in enumerate(more)),
                amount.label("amount"),
            ).where(where, ids[scope].is_not(None))
            for scope, windows in WINDOWS_OF.items()
            if window in windows
        )
    ).subquery()
    *by, summed = rows.c
    return _sums(session, summed, *by, where=true())


def _same_reservation() -> Any:
    return and_(
        Reservation.task_id == LedgerRow.task_id, Reservation.reservation_no == LedgerRow.reservation_no
    )


def _together(reservations: Any, rows: Any) -> Any:
    return and_(
        reservations.c.task_id == rows.c.task_id, reservations.c.reservation_no == rows.c.reservation_no
    )


def _strangers(reservations: Any, rows: Any) -> Any:
    return or_(
        *(
            reservations.c[name].is_distinct_from(rows.c[name])
            for name in ("team_id", "member_id", "project_id")
        )
    )


def _either(reservations: Any, rows: Any) -> tuple[Any, Any]:
    return (
        func.coalesce(reservations.c.task_id, rows.c.task_id),
        func.coalesce(reservations.c.reservation_no, rows.c.reservation_no),
    )


def _sums(session: Session, amount: Any, *by: Any, where: Any) -> Figures:
    # By position: an expression with a parameter is another expression the second time.
    positions: list[Any] = [literal_column(str(number)) for number in range(1, len(by) + 1)]
    return _figures(session, select(*by, func.sum(amount)).where(where).group_by(*positions))


def _figures(session: Session, statement: Select[*tuple[Any, ...]]) -> Figures:
    return {tuple(row[:-1]): row[-1] for row in session.execute(statement)}


def _differences(name: str, found: Figures, expected: Figures, source: str) -> Iterable[str]:
    for key in found.keys() | expected.keys():
        left, right = found.get(key, ZERO), expected.get(key, ZERO)
        if left != right:
            yield f"{name} {' '.join(str(part) for part in key)}: {left}, but {right} by {source}"
