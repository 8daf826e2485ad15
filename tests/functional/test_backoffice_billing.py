"""The administrator's billing routes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from contentsvc.backoffice.models import AuditRecord
from contentsvc.billing import invariants
from contentsvc.billing.accounts import book
from contentsvc.billing.models import LedgerType
from contentsvc.billing.pricing import quote
from contentsvc.security.models import Team

ADJUST = "/api/admin/ledgers/adjust/"
CONFIG = "/api/admin/billing-config/"
Database = Callable[..., Any]


def audited(database: Database) -> list[AuditRecord]:
    with database() as session:
        return list(session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)).all())


class TestAdjust:
    def test_it_answers_the_ledger_row(self, admin: Any, owner: Any) -> None:
        reply = admin.post_json(
            ADJUST, {"team": str(owner.team_id), "amount": "12.50", "reason": "goodwill"}, status=201
        ).json
        assert uuid.UUID(reply.pop("id")).version == 7
        assert reply.pop("created_at").endswith("Z")
        assert reply == {
            "ledger_type": "ADJUSTMENT",
            "amount": "12.50",
            "balance_after": "112.50",
            "frozen_after": "0.00",
            "task": None,
            "project": None,
            "member": None,
            "reason": "goodwill",
            "channel": "",
            "reservation_no": None,
        }
        assert owner.get("/api/billing/summary/").json["balance"] == "112.50"

    def test_it_may_take_the_balance_below_zero(self, admin: Any, owner: Any, database: Database) -> None:
        admin.post_json(ADJUST, {"team": str(owner.team_id), "amount": -100.25, "reason": "chargeback"})
        assert owner.get("/api/billing/summary/").json["available"] == "-0.25"
        with database() as session:
            assert invariants.check(session) == []

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("team", str(uuid.UUID(int=7))),
            ("team", "not-an-id"),
            ("team", None),
            ("amount", 0),
            ("amount", "0.00"),
            ("amount", "0.001"),
            ("amount", "NaN"),
            ("amount", True),
            ("amount", 1e13),
            ("amount", None),
            ("reason", ""),
            ("reason", " "),
            ("reason", 5),
        ],
    )
    def test_a_bad_member_is_refused_on_its_name(
        self, admin: Any, owner: Any, field: str, value: object
    ) -> None:
        body = {"team": str(owner.team_id), "amount": 5, "reason": "gift", field: value}
        assert list(admin.post_json(ADJUST, body, status=400).json) == [field]
        assert owner.get("/api/billing/ledgers/").json["count"] == 1

    def test_every_member_is_needed(self, admin: Any) -> None:
        assert set(admin.post_json(ADJUST, {}, status=400).json) == {"team", "amount", "reason"}

    def test_an_account_has_an_end(self, admin: Any, owner: Any, database: Database) -> None:
        with database() as session:
            book(session, owner.team_id, LedgerType.GRANT, Decimal(10) ** 15 - 100)
        body = {"team": str(owner.team_id), "amount": "0.01", "reason": "one more"}
        assert list(admin.post_json(ADJUST, body, status=400).json) == ["amount"]

    def test_it_is_audited(self, admin: Any, owner: Any, database: Database) -> None:
        row = admin.post_json(ADJUST, {"team": str(owner.team_id), "amount": 5, "reason": "gift"}).json
        (record,) = audited(database)
        assert (record.actor_id, record.action, record.target_id) == (
            admin.user_id,
            "ledger.adjust",
            owner.team_id,
        )
        assert record.after == row

    def test_repeated_under_one_key_it_adjusts_once(self, admin: Any, owner: Any) -> None:
        body = {"team": str(owner.team_id), "amount": 5, "reason": "gift"}
        replies = [
            admin.post_json(ADJUST, body, headers={"Idempotency-Key": "once"}, status=201) for _ in range(2)
        ]
        assert replies[0].json == replies[1].json
        assert owner.get("/api/billing/summary/").json["balance"] == "105.00"


class TestLedgers:
    @pytest.mark.usefixtures("owner")
    def test_all_teams_rows_are_listed_newest_first(self, admin: Any, other: Any) -> None:
        admin.post_json(ADJUST, {"team": str(other.team_id), "amount": 5, "reason": "newest"})
        page = admin.get("/api/admin/ledgers/").json
        assert page["count"] == 3
        assert page["results"][0]["reason"] == "newest"

    @pytest.mark.usefixtures("other")
    def test_team_and_type_filter(self, admin: Any, owner: Any) -> None:
        assert admin.get(f"/api/admin/ledgers/?team={owner.team_id}").json["count"] == 1
        assert admin.get(f"/api/admin/ledgers/?team={uuid.uuid4()}").json["count"] == 0
        assert admin.get("/api/admin/ledgers/?ledger_type=ADJUSTMENT").json["count"] == 2
        assert admin.get("/api/admin/ledgers/?ledger_type=CHARGE").json["count"] == 0

    @pytest.mark.parametrize("query", ["ledger_type=GIFT", "team=12"])
    def test_a_query_that_means_nothing_is_refused(self, admin: Any, query: str) -> None:
        reply = admin.get(f"/api/admin/ledgers/?{query}", status=400).json
        assert list(reply) == [query.partition("=")[0]]


class TestConfig:
    def test_the_defaults(self, admin: Any) -> None:
        config = admin.get(CONFIG).json
        assert config.pop("updated_at").endswith("Z")
        assert config == {
            "exchange_rate": "1",
            "margin_factor": "1.5",
            "reserve_buffer": "1.1",
            "currency": "USD",
        }

    def test_a_change_holds_for_the_next_order(self, admin: Any, owner: Any, database: Database) -> None:
        changed = admin.patch_json(CONFIG, {"exchange_rate": "7.123456", "currency": "CNY"}).json
        assert (changed["exchange_rate"], changed["margin_factor"]) == ("7.123456", "1.5")
        assert owner.get("/api/billing/summary/").json["currency"] == "CNY"
        with database() as session:
            price = quote(
                session,
                session.get_one(Team, owner.team_id),
                unit_price=Decimal("0.04"),
                billing_unit="image",
                units=Decimal(1),
                buffered=True,
            )
        assert (str(price.list), str(price.estimated)) == ("4.27", "4.70")

    def test_a_change_is_audited_with_before_and_after(self, admin: Any, database: Database) -> None:
        admin.patch_json(CONFIG, {"margin_factor": 2})
        (record,) = audited(database)
        assert record.action == "billing_config.change"
        assert (record.before or {})["margin_factor"] == "1.5"
        assert (record.after or {})["margin_factor"] == "2"

    def test_a_patch_that_changes_nothing_is_no_change(self, admin: Any, database: Database) -> None:
        before = admin.get(CONFIG).json
        assert admin.patch_json(CONFIG, {"margin_factor": "1.50"}).json == before
        assert admin.patch_json(CONFIG, {}).json == before
        assert audited(database) == []

    @pytest.mark.parametrize("field", ["exchange_rate", "margin_factor", "reserve_buffer"])
    @pytest.mark.parametrize("value", [0, -1, None, "NaN", True, "1.0000001", 10**12, []])
    def test_a_rate_is_a_positive_number(self, admin: Any, field: str, value: object) -> None:
        assert list(admin.patch_json(CONFIG, {field: value}, status=400).json) == [field]

    @pytest.mark.parametrize("value", ["", "usd", "DOLLAR", None, 5])
    def test_a_currency_is_three_capitals(self, admin: Any, value: object) -> None:
        assert list(admin.patch_json(CONFIG, {"currency": value}, status=400).json) == ["currency"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", "/api/admin/ledgers/"), ("post_json", ADJUST), ("get", CONFIG), ("patch_json", CONFIG)],
)
def test_a_teams_owner_has_no_business_here(owner: Any, method: str, path: str) -> None:
    assert getattr(owner, method)(path, status=403).json["code"] == "permission_denied"
