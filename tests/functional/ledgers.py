"""Teams, members and orders for tests of billing, and what the books say about them."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select, text

from contentsvc.billing import invariants, reservations
from contentsvc.billing.accounts import Holding, adjust, holding, open_account
from contentsvc.billing.models import LedgerRow, Recharge, RechargeState
from contentsvc.billing.recharges import Purchase, begin, credit
from contentsvc.billing.reservations import CapState, Order
from contentsvc.db.session import transaction_scope
from contentsvc.http import ApiError
from contentsvc.security.models import Team, User
from contentsvc.settings import Settings


class Books:
    """One team's credit: orders in committed transactions of their own, in the team's scope."""

    def __init__(self, registry: Registry, balance: Decimal | int = 100, **team: Any) -> None:
        self.registry = registry
        self.settings: Settings = registry["contentsvc.settings"]
        with transaction_scope(registry) as session:
            row = Team(name="Books", **team)
            session.add(row)
            session.flush()
            self.team_id = row.id
            open_account(session, row.id)
            if balance:
                adjust(session, row.id, Decimal(balance), reason="test credit")
        self.member_id = self.add_member()

    def add_member(self, **limits: Decimal | int) -> uuid.UUID:
        with transaction_scope(self.registry) as session:
            user = User(username=f"member-{uuid.uuid4()}", password_hash="", team_id=self.team_id, **limits)
            session.add(user)
        return user.id

    def order(
        self, amount: Decimal | int | str, member: uuid.UUID | None = None, project: uuid.UUID | None = None
    ) -> Order:
        return Order(uuid.uuid4(), member or self.member_id, project, Decimal(amount))

    def reserve(self, *orders: Order, number: int = 1) -> list[list[CapState]]:
        with transaction_scope(self.registry, self.team_id) as session:
            return reservations.reserve(session, self.settings, self.team_id, orders, number)

    def reserve_amount(
        self, amount: Decimal | int | str, member: uuid.UUID | None = None, project: uuid.UUID | None = None
    ) -> uuid.UUID:
        order = self.order(amount, member, project)
        self.reserve(order)
        return order.task_id

    def refused(self, *orders: Order) -> ApiError | None:
        """The error the orders are refused with; None, and the credit held, if they aren't."""
        try:
            self.reserve(*orders)
        except ApiError as error:
            return error
        return None

    def charge(self, task_id: uuid.UUID, amount: Decimal | int | str, number: int = 1) -> bool:
        with transaction_scope(self.registry, self.team_id) as session:
            return reservations.charge(session, self.settings, task_id, number, Decimal(amount))

    def release(self, task_id: uuid.UUID, number: int = 1) -> bool:
        with transaction_scope(self.registry, self.team_id) as session:
            return reservations.release(session, self.settings, task_id, number)

    def spend(self, amount: Decimal | int | str, **of: uuid.UUID | None) -> None:
        """Reserve and charge at once."""
        self.charge(self.reserve_amount(amount, **of), amount)

    def adjust(self, amount: Decimal | int | str) -> None:
        with transaction_scope(self.registry, self.team_id) as session:
            adjust(session, self.team_id, Decimal(amount), reason="test")

    def recharge(self, amount: int) -> None:
        """A recharge through a plugin's channel, with its record."""
        purchase = Purchase(self.team_id, self.member_id, "card", Decimal(amount), Decimal(0))
        with transaction_scope(self.registry, self.team_id) as session:
            recharge_id, _ = begin(session, self.registry, purchase, None)
            credit(session, self.registry, purchase, Decimal(0), recharge_id=recharge_id)
            session.get_one(Recharge, recharge_id).state = RechargeState.CREDITED

    def add(self, row: Any) -> None:
        with transaction_scope(self.registry) as session:
            session.add(row)

    def holding(self) -> Holding:
        with transaction_scope(self.registry, self.team_id) as session:
            return holding(session, self.team_id)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Type, amount, balance and frozen credit after it, oldest first."""
        with transaction_scope(self.registry, self.team_id) as session:
            rows = session.scalars(select(LedgerRow).order_by(LedgerRow.created_at, LedgerRow.id)).all()
        return [(r.ledger_type, str(r.amount), str(r.balance_after), str(r.frozen_after)) for r in rows]

    def faults(self) -> list[str]:
        return self.audit()[1]

    def audit(self) -> tuple[Holding, list[str]]:
        """What the account holds, and what doesn't add up."""
        with transaction_scope(self.registry, self.team_id) as session:
            return holding(session, self.team_id), invariants.check(session, self.settings)

    def set(self, table: str, key: uuid.UUID, column: str, value: Any) -> None:
        """Change one column of the team's policy, the team or a member."""
        name = "team_id" if table == "quota_policy" else "id"
        with transaction_scope(self.registry) as session:
            session.execute(
                text(f"UPDATE {table} SET {column} = :value WHERE {name} = :key"),
                {"value": value, "key": key},
            )
