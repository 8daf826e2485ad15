"""Recharges: credit for money.

A plugin's channel may talk to a payment service, so the intent is committed before it is
asked, and the job that stands for it outlives the process: whoever holds the job asks the
channel, under the recharge's one id, and credits the team in the transaction that closes
the job. A crash in between means that a worker asks again.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

import structlog
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.billing import accounts
from contentsvc.billing.channels import PaymentRefused, PaymentUnclear, ask
from contentsvc.billing.clock import moment
from contentsvc.billing.models import (
    ZERO,
    BillingConfig,
    LedgerRow,
    LedgerType,
    Recharge,
    RechargeState,
)
from contentsvc.billing.notices import tell_of_recharge
from contentsvc.billing.pricing import CREDIT_VALUE
from contentsvc.billing.schemas import RechargeOut
from contentsvc.db.session import transaction_scope
from contentsvc.http import ApiError, ErrorCode
from contentsvc.http.idempotency import file_reply
from contentsvc.http.operations import Mark
from contentsvc.jobs.claims import claim
from contentsvc.jobs.leases import held
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.services import enqueue
from contentsvc.plugin import Payment
from contentsvc.settings import Settings

KIND: Final = "billing.recharge"
"""Jobs that ask a channel to take a payment, and credit it."""

PATIENCE: Final = timedelta(hours=24)
"""How long a channel is asked for an outcome."""

_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 900.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Purchase:
    """Credits that an owner wants to buy, and the bonus he hopes for."""

    team_id: uuid.UUID
    user_id: uuid.UUID
    channel: str
    amount: Decimal
    bonus: Decimal


@dataclass(frozen=True)
class Credited:
    """What a recharge has brought; ``balance`` is the team's after it."""

    amount: Decimal
    bonus: Decimal
    channel: str
    balance: Decimal
    ledgers: Sequence[LedgerRow]


def credit(
    session: Session,
    registry: Registry,
    purchase: Purchase,
    bonus: Decimal,
    *,
    recharge_id: uuid.UUID | None = None,
) -> Credited:
    """Write a recharge and the bonus granted into the ledger, and tell the owners.

    With a ``recharge_id`` its row has that id, and can't be written twice.

    Raises FieldErrors on ``amount`` for more than an account can hold.
    """

    def row(ledger_type: LedgerType, amount: Decimal, row_id: uuid.UUID | None = None) -> LedgerRow:
        return accounts.book(
            session,
            purchase.team_id,
            ledger_type,
            amount,
            channel=purchase.channel,
            member_id=purchase.user_id,
            row_id=row_id,
        )

    rows = [row(LedgerType.RECHARGE, purchase.amount, recharge_id)]
    if bonus:
        rows.append(row(LedgerType.BONUS, bonus))
    tell_of_recharge(session, registry, rows)
    return Credited(purchase.amount, bonus, purchase.channel, rows[-1].balance_after, rows)


def begin(
    session: Session, registry: Registry, purchase: Purchase, mark: Mark | None
) -> tuple[uuid.UUID, uuid.UUID]:
    """Write down a recharge that a plugin's channel is to take; its id and its job's.

    The job is left alone for a lease's length, for the caller to :func:`carry_out`.
    Raises FieldErrors on ``amount`` for more than an account can hold.
    """
    settings: Settings = registry["contentsvc.settings"]
    accounts.require_room(accounts.holding(session, purchase.team_id), purchase.amount + purchase.bonus)
    recharge = Recharge(
        team_id=purchase.team_id,
        user_id=purchase.user_id,
        channel=purchase.channel,
        amount=purchase.amount,
        bonus_asked=purchase.bonus,
        mark=mark,
    )
    session.add(recharge)
    session.flush()
    job = enqueue(session, registry, KIND, recharge.id, delay_seconds=settings.jobs.lease_seconds)
    return recharge.id, job.id


def carry_out(registry: Registry, job_id: uuid.UUID) -> None:
    """Do a recharge's job in this process, unless somebody else does; no transaction is open."""
    run = claim(registry, job_id, 0)
    if run is not None:
        with held(run):
            run_recharge(run)


def run_recharge(run: JobRun) -> None:
    """Job runner of ``billing.recharge``: ask the channel, then credit, refuse or ask again later."""
    payment, channel = _payment(run)
    try:
        bonus = ask(run.registry, channel, payment)
    except PaymentRefused as refusal:
        _refuse(run, str(refusal))
    except PaymentUnclear as error:
        log.warning("recharge_unclear", recharge=payment.id, channel=channel, error=str(error))
        _ask_again(run)
    else:
        _credit(run, bonus)


def result_of(session: Session, recharge_id: uuid.UUID) -> Credited:
    """What came of a recharge.

    Raises ApiError: ``conflict`` (400) with the channel's words where it refused,
    ``provider_error`` where nobody knows yet.
    """
    recharge = session.get_one(Recharge, recharge_id, populate_existing=True)
    if recharge.state == RechargeState.REFUSED:
        raise ApiError(ErrorCode.CONFLICT, recharge.error, status=400)
    if recharge.state != RechargeState.CREDITED:
        raise ApiError(
            ErrorCode.PROVIDER_ERROR,
            "The payment's outcome is not known yet. Don't pay again: once it is known to have gone "
            "through, your team is credited.",
        )
    ids = [id_ for id_ in (recharge.id, recharge.bonus_ledger_id) if id_ is not None]
    rows = {row.id: row for row in session.scalars(select(LedgerRow).where(LedgerRow.id.in_(ids)))}
    ledgers = [rows[id_] for id_ in ids]
    bonus = sum((row.amount for row in ledgers[1:]), ZERO)
    return Credited(recharge.amount, bonus, recharge.channel, ledgers[-1].balance_after, ledgers)


def running_call(session: Session, user_id: uuid.UUID, mark: Mark) -> Mark | None:
    """The mark of a call of this user, with this path and key, whose payment is under way."""
    marks = select(Recharge.mark).where(
        Recharge.user_id == user_id,
        Recharge.state == RechargeState.PENDING,
        Recharge.mark["key"].astext == mark["key"],
        Recharge.mark["path"].astext == mark["path"],
    )
    return session.scalars(marks.limit(1)).first()


def _payment(run: JobRun) -> tuple[Payment, str]:
    with transaction_scope(run.registry) as session:
        recharge = session.get_one(Recharge, run.subject_id)
        currency = session.get_one(BillingConfig, 1).currency
    payment = Payment(
        id=str(recharge.id),
        team_id=str(recharge.team_id),
        user_id=str(recharge.user_id),
        amount=recharge.amount,
        bonus=recharge.bonus_asked,
        price=recharge.amount * CREDIT_VALUE,
        currency=currency,
    )
    return payment, recharge.channel


def _credit(run: JobRun, bonus: Decimal) -> None:
    with transaction_scope(run.registry) as session:
        if not run.finish(session):
            return
        recharge = session.get_one(Recharge, run.subject_id)
        purchase = Purchase(
            recharge.team_id, recharge.user_id, recharge.channel, recharge.amount, recharge.bonus_asked
        )
        credited = credit(session, run.registry, purchase, bonus, recharge_id=recharge.id)
        recharge.bonus_ledger_id = credited.ledgers[1].id if bonus else None
        _close(session, recharge, RechargeState.CREDITED)
        if recharge.mark is not None:
            # A call with a key is answered from here on, even if its process dies before it answers.
            body = RechargeOut.model_validate(credited).model_dump_json().encode()
            file_reply(session, recharge.mark, status=201, content_type="application/json", body=body)


def _refuse(run: JobRun, words: str) -> None:
    with transaction_scope(run.registry) as session:
        if run.finish(session):
            recharge = session.get_one(Recharge, run.subject_id)
            recharge.error = words
            _close(session, recharge, RechargeState.REFUSED)


def _ask_again(run: JobRun) -> None:
    with transaction_scope(run.registry) as session:
        recharge = session.get_one(Recharge, run.subject_id)
        if moment(session) - recharge.created_at < PATIENCE:
            run.again(session, min(_FIRST_PAUSE * 2.0 ** min(run.attempt - 1, 20), _LONGEST_PAUSE))
        elif run.finish(session):
            _close(session, recharge, RechargeState.UNKNOWN)
            log.error("recharge_given_up", recharge=str(recharge.id), channel=recharge.channel)


def _close(session: Session, recharge: Recharge, state: RechargeState) -> None:
    recharge.state = state
    recharge.settled_at = moment(session)
