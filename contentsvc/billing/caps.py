"""What limits an order: the platform's policy, the team's month, the member's limits, the balance."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.billing.accounts import Holding, require_credits
from contentsvc.billing.counters import ScopeKey, Usage, scopes_of
from contentsvc.billing.models import ZERO, QuotaPolicy, Scope, Window
from contentsvc.http import ApiError, ErrorCode
from contentsvc.http.types import Credits, credits_text
from contentsvc.security.models import Team, User
from contentsvc.settings import Settings


class Cap(StrEnum):
    """The caps, in the order in which they are looked at; the first that fails is named."""

    POLICY_TASK = "policy_task"
    POLICY_MONTH = "policy_month"
    POLICY_PROJECT = "policy_project"
    TEAM_MONTH = "team_month"
    MEMBER_DAY = "member_day"
    MEMBER_MONTH = "member_month"
    MEMBER_TOTAL = "member_total"
    BALANCE = "balance"


_POLICIES: Final = (Cap.POLICY_TASK, Cap.POLICY_MONTH, Cap.POLICY_PROJECT)

_NAMES: Final[Mapping[Cap, str]] = {
    Cap.POLICY_TASK: "The quota policy's cap per task",
    Cap.POLICY_MONTH: "The quota policy's monthly cap",
    Cap.POLICY_PROJECT: "The quota policy's cap per project",
    Cap.TEAM_MONTH: "The team's monthly limit",
    Cap.MEMBER_DAY: "The member's daily limit",
    Cap.MEMBER_MONTH: "The member's monthly limit",
    Cap.MEMBER_TOTAL: "The member's total limit",
    Cap.BALANCE: "The team's balance",
}

_CODES: Final[Mapping[Cap, ErrorCode]] = {
    Cap.POLICY_TASK: ErrorCode.QUOTA_EXCEEDED,
    Cap.POLICY_MONTH: ErrorCode.QUOTA_EXCEEDED,
    Cap.POLICY_PROJECT: ErrorCode.QUOTA_EXCEEDED,
    Cap.TEAM_MONTH: ErrorCode.TEAM_LIMIT_EXCEEDED,
    Cap.MEMBER_DAY: ErrorCode.MEMBER_LIMIT_EXCEEDED,
    Cap.MEMBER_MONTH: ErrorCode.MEMBER_LIMIT_EXCEEDED,
    Cap.MEMBER_TOTAL: ErrorCode.MEMBER_LIMIT_EXCEEDED,
    Cap.BALANCE: ErrorCode.INSUFFICIENT_BALANCE,
}


_MEASURES: Final[Mapping[Cap, tuple[Scope, Window]]] = {
    Cap.POLICY_MONTH: (Scope.TEAM, Window.MONTH),
    Cap.POLICY_PROJECT: (Scope.PROJECT, Window.TOTAL),
    Cap.TEAM_MONTH: (Scope.TEAM, Window.MONTH),
    Cap.MEMBER_DAY: (Scope.MEMBER, Window.DAY),
    Cap.MEMBER_MONTH: (Scope.MEMBER, Window.MONTH),
    Cap.MEMBER_TOTAL: (Scope.MEMBER, Window.TOTAL),
}
"""Whose use over what time a cap looks at; the other two look at the task and the account."""


@dataclass(frozen=True)
class Order:
    """Credit wanted for one attempt at one task: who orders it, for which project, how much."""

    task_id: uuid.UUID
    member_id: uuid.UUID
    project_id: uuid.UUID | None
    amount: Decimal

    def __post_init__(self) -> None:
        require_credits(self.amount)


class CapState(BaseModel):
    """How one cap stood when one order came; amounts in credits.

    ``used`` and ``reserved`` are as before the order, orders of the same batch that come
    before it included. ``limit`` is null where nothing is limited. For the balance, ``limit``
    is the balance itself, and nothing counts as used: charges have left it already.
    """

    model_config = ConfigDict(frozen=True)

    cap: Cap
    limit: Credits | None
    used: Credits
    reserved: Credits
    asked: Credits
    allowed: bool


@dataclass(frozen=True)
class Limits:
    """The limits that hold for a team and some of its members; None is no limit."""

    team: Mapping[Cap, Decimal | None] = field(default_factory=dict)
    members: Mapping[uuid.UUID, Mapping[Cap, Decimal | None]] = field(default_factory=dict)

    def of(self, cap: Cap, order: Order) -> Decimal | None:
        """What ``cap`` allows for ``order``."""
        if cap in self.team:
            return self.team[cap]
        return self.members.get(order.member_id, {}).get(cap)


def read_limits(
    session: Session, settings: Settings, team_id: uuid.UUID, member_ids: set[uuid.UUID]
) -> Limits:
    """The limits as they are stored now; two statements."""
    team = session.execute(
        select(
            Team.monthly_credit_limit,
            QuotaPolicy.per_task_limit,
            QuotaPolicy.monthly_limit,
            QuotaPolicy.project_limit,
        )
        .outerjoin(QuotaPolicy, (QuotaPolicy.team_id == Team.id) & QuotaPolicy.is_active)
        .where(Team.id == team_id)
    ).one()
    members = session.execute(
        select(User.id, User.daily_credit_limit, User.monthly_credit_limit, User.total_credit_limit).where(
            User.id.in_(member_ids)
        )
    )
    return Limits(
        team={
            Cap.POLICY_TASK: team.per_task_limit,
            Cap.POLICY_MONTH: team.monthly_limit,
            Cap.POLICY_PROJECT: team.project_limit,
            Cap.TEAM_MONTH: team_monthly_limit(settings, team.monthly_credit_limit),
        },
        members={
            member_id: {
                Cap.MEMBER_DAY: day or None,
                Cap.MEMBER_MONTH: month or None,
                Cap.MEMBER_TOTAL: total or None,
            }
            for member_id, day, month, total in members
        },
    )


def team_monthly_limit(settings: Settings, stored: Decimal | None) -> Decimal | None:
    """The cap a team's stored limit means: null the platform's default, 0 none."""
    if stored is None:
        return settings.billing.default_team_monthly_limit
    return stored or None


def weigh(
    team_id: uuid.UUID,
    orders: Sequence[Order],
    limits: Limits,
    usage: Mapping[ScopeKey, Usage],
    account: Holding,
) -> list[list[CapState]]:
    """The state of every cap for each order, as if the orders before it were reserved."""
    ahead: dict[ScopeKey, Decimal] = dict.fromkeys(usage, ZERO)
    states = []
    for order in orders:
        scopes = dict(scopes_of(team_id, order.member_id, order.project_id))
        standing = [_standing(cap, order, scopes, limits, usage, ahead) for cap in _MEASURES]
        states.append(
            [
                _state(Cap.POLICY_TASK, order, limits.of(Cap.POLICY_TASK, order), ZERO, ZERO),
                *standing,
                _state(
                    Cap.BALANCE, order, account.balance, ZERO, account.frozen + ahead[Scope.TEAM, team_id]
                ),
            ]
        )
        for key in scopes.items():
            ahead[key] += order.amount
    return states


def first_refused(states: Sequence[Sequence[CapState]], cap: Cap) -> int | None:
    """Place of the first order that ``cap`` refuses."""
    for place, of_order in enumerate(states):
        if any(state.cap is cap and not state.allowed for state in of_order):
            return place
    return None


def refusal(cap: Cap, orders: Sequence[Order], states: Sequence[Sequence[CapState]], place: int) -> ApiError:
    """The error that names ``cap``, what it allows, what is used, and what was asked.

    Orders under the same cap are refused together, so the figures are those before the first
    of them, and the sum that all of them ask.
    """
    together = [
        (order, state)
        for order, of_order in zip(orders, states, strict=True)
        for state in of_order
        if state.cap is cap and _bound(cap, order) == _bound(cap, orders[place])
    ]
    first = together[0][1]
    asked = credits_text(sum((order.amount for order, _ in together), ZERO))
    figures = [f"{_NAMES[cap]} allows {credits_text(first.limit or ZERO)} credits;"]
    if cap in _MEASURES:
        figures.append(f"{credits_text(first.used)} are used,")
    if cap is not Cap.POLICY_TASK:
        figures.append(f"{credits_text(first.reserved)} are reserved by running tasks, and")
    return ApiError(_CODES[cap], " ".join([*figures, f"{asked} were asked for."]))


def _standing(
    cap: Cap,
    order: Order,
    scopes: Mapping[Scope, uuid.UUID],
    limits: Limits,
    usage: Mapping[ScopeKey, Usage],
    ahead: Mapping[ScopeKey, Decimal],
) -> CapState:
    scope, window = _MEASURES[cap]
    if scope not in scopes:
        return _state(cap, order, None, ZERO, ZERO)
    key = scope, scopes[scope]
    return _state(
        cap, order, limits.of(cap, order), usage[key].charged(window), usage[key].reserved + ahead[key]
    )


def _state(cap: Cap, order: Order, limit: Decimal | None, used: Decimal, reserved: Decimal) -> CapState:
    fits = limit is None or used + reserved + order.amount <= limit
    # A policy of 0 allows nothing, work that costs nothing included.
    closed = cap in _POLICIES and limit == 0
    return CapState(
        cap=cap, limit=limit, used=used, reserved=reserved, asked=order.amount, allowed=fits and not closed
    )


def _bound(cap: Cap, order: Order) -> uuid.UUID | None:
    """What orders have in common that ``cap`` adds up."""
    if cap is Cap.POLICY_TASK:
        return order.task_id
    scope, _ = _MEASURES.get(cap, (Scope.TEAM, Window.TOTAL))
    return {Scope.TEAM: None, Scope.MEMBER: order.member_id, Scope.PROJECT: order.project_id}[scope]
