"""Each cap alone: absent, null, 0 and positive; then their order, their windows, their sums."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.billing import reservations
from contentsvc.billing.models import QuotaPolicy
from contentsvc.billing.reservations import CapState
from contentsvc.settings import BillingSettings
from tests.functional.ledgers import Books

PROJECT = uuid.UUID("0193a000-0000-7000-8000-000000000001")
ANOTHER_PROJECT = uuid.UUID("0193a000-0000-7000-8000-000000000002")


def policy(books: Books, **limits: Any) -> None:
    books.add(QuotaPolicy(team_id=books.team_id, **limits))


def code_of(books: Books, *amounts: int | str, **of: Any) -> str | None:
    error = books.refused(*(books.order(amount, **of) for amount in amounts))
    return None if error is None else str(error.code)


def with_billing(books: Books, **changes: Any) -> Books:
    """The same books under other settings of billing."""
    billing = BillingSettings(**changes)
    books.settings = books.settings.model_copy(update={"billing": billing})
    return books


def test_without_any_limit_only_the_balance_refuses(registry: Registry) -> None:
    books = Books(registry, balance=10)
    assert code_of(books, 10) is None
    assert code_of(books, "0.01") == "insufficient_balance"


@pytest.mark.parametrize("limit", ["per_task_limit", "monthly_limit", "project_limit"])
class TestPolicies:
    def test_null_is_no_cap(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        policy(books, **{limit: None})
        assert code_of(books, 100, project=PROJECT) is None

    @pytest.mark.parametrize("amount", ["0", "0.01"])
    def test_0_allows_nothing(self, registry: Registry, limit: str, amount: str) -> None:
        books = Books(registry)
        policy(books, **{limit: Decimal(0)})
        assert code_of(books, amount, project=PROJECT) == "quota_exceeded"

    def test_a_positive_one_allows_itself_and_no_more(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        policy(books, **{limit: Decimal(5)})
        assert code_of(books, "5.01", project=PROJECT) == "quota_exceeded"
        assert code_of(books, "5.00", project=PROJECT) is None

    def test_an_inactive_one_caps_nothing(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        policy(books, **{limit: Decimal(0)}, is_active=False)
        assert code_of(books, 50, project=PROJECT) is None

    def test_another_teams_caps_nothing(self, registry: Registry, limit: str) -> None:
        policy(Books(registry), **{limit: Decimal(0)})
        assert code_of(Books(registry), 50, project=PROJECT) is None


def test_the_cap_per_task_looks_at_each_order_alone(registry: Registry) -> None:
    books = Books(registry)
    policy(books, per_task_limit=Decimal(5))
    assert code_of(books, 5, 5, 5) is None
    assert code_of(books, 1, "5.01") == "quota_exceeded"


def test_the_cap_per_project_counts_each_project_for_itself(registry: Registry) -> None:
    books = Books(registry)
    policy(books, project_limit=Decimal(5))
    books.spend(3, project=PROJECT)
    assert code_of(books, 3, project=PROJECT) == "quota_exceeded"
    assert code_of(books, 3, project=ANOTHER_PROJECT) is None
    assert code_of(books, 50) is None


class TestTeamMonth:
    def test_null_without_a_default_is_no_cap(self, registry: Registry) -> None:
        assert code_of(Books(registry, monthly_credit_limit=None), 100) is None

    def test_null_takes_the_platforms_default(self, registry: Registry) -> None:
        books = with_billing(
            Books(registry, monthly_credit_limit=None), default_team_monthly_limit=Decimal(5)
        )
        assert code_of(books, "5.01") == "team_limit_exceeded"
        assert code_of(books, 5) is None

    def test_0_is_unlimited_whatever_the_default(self, registry: Registry) -> None:
        books = with_billing(
            Books(registry, monthly_credit_limit=Decimal(0)), default_team_monthly_limit=Decimal(5)
        )
        assert code_of(books, 100) is None

    def test_a_positive_one_goes_before_the_default(self, registry: Registry) -> None:
        books = with_billing(
            Books(registry, monthly_credit_limit=Decimal(50)), default_team_monthly_limit=Decimal(5)
        )
        assert code_of(books, "50.01") == "team_limit_exceeded"
        assert code_of(books, 50) is None

    def test_all_members_count(self, registry: Registry) -> None:
        books = Books(registry, monthly_credit_limit=Decimal(10))
        books.spend(4)
        books.reserve_amount(4, member=books.add_member())
        assert code_of(books, 3) == "team_limit_exceeded"


@pytest.mark.parametrize("limit", ["daily_credit_limit", "monthly_credit_limit", "total_credit_limit"])
class TestMembers:
    def test_0_is_unlimited(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        assert code_of(books, 100, member=books.add_member(**{limit: 0})) is None

    def test_a_positive_one_allows_itself_and_no_more(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        member = books.add_member(**{limit: 5})
        assert code_of(books, "5.01", member=member) == "member_limit_exceeded"
        assert code_of(books, "5.00", member=member) is None

    def test_charges_and_open_orders_count(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        member = books.add_member(**{limit: 10})
        books.spend(4, member=member)
        books.reserve_amount(4, member=member)
        assert code_of(books, 3, member=member) == "member_limit_exceeded"
        assert code_of(books, 2, member=member) is None

    def test_other_members_do_not_count(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        books.spend(50)
        assert code_of(books, 5, member=books.add_member(**{limit: 5})) is None

    def test_a_release_gives_the_room_back(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        member = books.add_member(**{limit: 5})
        books.release(books.reserve_amount(5, member=member))
        assert code_of(books, 5, member=member) is None

    def test_members_of_one_batch_have_each_their_own(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        one, two = books.add_member(**{limit: 5}), books.add_member(**{limit: 5})
        assert books.refused(books.order(5, one), books.order(5, two)) is None

    def test_a_batch_counts_as_its_sum(self, registry: Registry, limit: str) -> None:
        books = Books(registry)
        member = books.add_member(**{limit: 5})
        assert code_of(books, 2, 2, 2, member=member) == "member_limit_exceeded"


def test_the_first_cap_in_the_contracts_order_is_named(registry: Registry) -> None:
    """Every cap refuses at first; one after the other is lifted."""
    books = Books(registry, balance=1, monthly_credit_limit=Decimal(1))
    row = QuotaPolicy(
        team_id=books.team_id, per_task_limit=Decimal(1), monthly_limit=Decimal(1), project_limit=Decimal(1)
    )
    books.add(row)
    member = books.add_member(daily_credit_limit=1, monthly_credit_limit=1, total_credit_limit=1)
    named = []
    for table, key, column, lifted in (
        ("quota_policy", books.team_id, "per_task_limit", None),
        ("quota_policy", books.team_id, "monthly_limit", None),
        ("quota_policy", books.team_id, "project_limit", None),
        ("team", books.team_id, "monthly_credit_limit", 0),
        ("app_user", member, "daily_credit_limit", 0),
        ("app_user", member, "monthly_credit_limit", 0),
        ("app_user", member, "total_credit_limit", 0),
    ):
        named.append(refusal_words(books, member))
        books.set(table, key, column, lifted)
    named.append(refusal_words(books, member))
    assert named == [
        "The quota policy's cap per task",
        "The quota policy's monthly cap",
        "The quota policy's cap per project",
        "The team's monthly limit",
        "The member's daily limit",
        "The member's monthly limit",
        "The member's total limit",
        "The team's balance",
    ]


def refusal_words(books: Books, member: uuid.UUID) -> str:
    error = books.refused(books.order(2, member, PROJECT))
    assert error is not None
    return error.detail.partition(" allows ")[0]


def test_a_refusal_says_what_is_allowed_used_reserved_and_asked(registry: Registry) -> None:
    books = Books(registry)
    member = books.add_member(daily_credit_limit=10)
    books.spend("3.25", member=member)
    books.reserve_amount(4, member=member)
    error = books.refused(books.order(2, member), books.order("1.50", member))
    assert error is not None
    assert error.detail == (
        "The member's daily limit allows 10.00 credits; 3.25 are used, "
        "4.00 are reserved by running tasks, and 3.50 were asked for."
    )


def test_a_refusal_for_lack_of_balance_says_what_there_is(registry: Registry) -> None:
    books = Books(registry, balance=10)
    books.reserve_amount(4)
    error = books.refused(books.order(7))
    assert error is not None
    assert error.detail == (
        "The team's balance allows 10.00 credits; "
        "4.00 are reserved by running tasks, and 7.00 were asked for."
    )


def test_a_refusal_by_the_cap_per_task_names_the_one_order(registry: Registry) -> None:
    books = Books(registry)
    policy(books, per_task_limit=Decimal(5))
    error = books.refused(books.order(1), books.order(6))
    assert error is not None
    assert error.detail == "The quota policy's cap per task allows 5.00 credits; 6.00 were asked for."


def test_every_order_keeps_the_state_of_all_eight_caps(registry: Registry) -> None:
    books = Books(registry, monthly_credit_limit=Decimal(50))
    policy(books, per_task_limit=Decimal(20))
    member = books.add_member(daily_credit_limit=30)
    books.spend(5, member=member, project=PROJECT)
    books.reserve_amount(1, member=member)
    first, second = books.reserve(books.order(2, member, PROJECT), books.order(3, member, PROJECT))
    assert [state.model_dump(mode="json") for state in second] == [
        state_of("policy_task", "20.00", "0.00", "0.00"),
        state_of("policy_month", None, "5.00", "3.00"),
        state_of("policy_project", None, "5.00", "2.00"),
        state_of("team_month", "50.00", "5.00", "3.00"),
        state_of("member_day", "30.00", "5.00", "3.00"),
        state_of("member_month", None, "5.00", "3.00"),
        state_of("member_total", None, "5.00", "3.00"),
        state_of("balance", "95.00", "0.00", "3.00"),
    ]
    assert [int(state.reserved) for state in first] == [0, 1, 0, 1, 1, 1, 1, 1]


def state_of(cap: str, limit: str | None, used: str, reserved: str) -> dict[str, Any]:
    return {"cap": cap, "limit": limit, "used": used, "reserved": reserved, "asked": "3.00", "allowed": True}


def test_without_a_project_its_cap_has_no_limit(registry: Registry) -> None:
    books = Books(registry)
    policy(books, project_limit=Decimal(1))
    states: dict[str, CapState] = {state.cap: state for state in books.reserve(books.order(50))[0]}
    assert states["policy_project"].limit is None


class TestWindows:
    """``at`` is what the database's clock would say."""

    @pytest.fixture
    def books(self, registry: Registry) -> Books:
        return Books(registry, monthly_credit_limit=Decimal(10))

    def spend_at(self, monkeypatch: pytest.MonkeyPatch, at: datetime, books: Books, **of: Any) -> None:
        self.clock(monkeypatch, at)
        books.spend(10, **of)

    def clock(self, monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
        monkeypatch.setattr(reservations, "moment", lambda _session: at)

    def test_a_month_begins_in_the_platforms_zone(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with_billing(books, timezone="Asia/Shanghai")
        midnight = datetime(2031, 2, 28, 16, tzinfo=UTC)
        self.spend_at(monkeypatch, midnight - timedelta(seconds=2), books)
        self.clock(monkeypatch, midnight - timedelta(seconds=1))
        assert code_of(books, 1) == "team_limit_exceeded"
        self.clock(monkeypatch, midnight)
        assert code_of(books, 1) is None

    def test_a_day_begins_in_the_platforms_zone(self, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
        with_billing(books, timezone="America/New_York")
        member = books.add_member(daily_credit_limit=10)
        books.set("team", books.team_id, "monthly_credit_limit", 0)
        midnight = datetime(2031, 7, 2, 4, tzinfo=UTC)
        self.spend_at(monkeypatch, midnight - timedelta(seconds=2), books, member=member)
        self.clock(monkeypatch, midnight - timedelta(seconds=1))
        assert code_of(books, 1, member=member) == "member_limit_exceeded"
        self.clock(monkeypatch, midnight)
        assert code_of(books, 1, member=member) is None

    def test_a_charge_counts_when_it_was_made_not_when_it_was_reserved(
        self, books: Books, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.clock(monkeypatch, datetime(2031, 1, 31, 23, tzinfo=UTC))
        task = books.reserve_amount(10)
        self.clock(monkeypatch, datetime(2031, 2, 1, 1, tzinfo=UTC))
        assert code_of(books, 1) == "team_limit_exceeded"
        books.charge(task, 10)
        assert code_of(books, 1) == "team_limit_exceeded"
        self.clock(monkeypatch, datetime(2031, 1, 31, 23, tzinfo=UTC))
        assert code_of(books, 1) is None

    def test_a_members_total_never_begins_anew(self, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
        member = books.add_member(total_credit_limit=10)
        self.spend_at(monkeypatch, datetime(2031, 1, 1, tzinfo=UTC), books, member=member)
        self.clock(monkeypatch, datetime(2039, 1, 1, tzinfo=UTC))
        assert code_of(books, 1, member=member) == "member_limit_exceeded"
        assert books.faults() == []
