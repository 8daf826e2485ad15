"""Recharges: by the service's own channel, and by plugins' that may die half-way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update
from structlog.testing import capture_logs

from contentsvc.billing import invariants, recharges
from contentsvc.billing.accounts import book
from contentsvc.billing.channels import warn_of_unknown_channels
from contentsvc.billing.models import LedgerRow, LedgerType, Recharge
from contentsvc.db.session import engine_of
from contentsvc.http import idempotency
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_due
from contentsvc.plugin import Payment, PaymentChannel
from contentsvc.providers.plugins import Plugin, Plugins, install, plugins_of
from contentsvc.settings import Settings
from tests.functional.conftest import Client, MakeClient

RECHARGE = "/api/billing/recharge/"
Database = Callable[..., Any]


class Bank:
    """A payment service: takes money once for each id, and does what the test says besides."""

    def __init__(self) -> None:
        self.paid: dict[str, Payment] = {}
        self.asked: list[str] = []
        self.then: list[Callable[[], None]] = []

    def pay(self, payment: Payment) -> Decimal:
        self.asked.append(payment.id)
        self.paid.setdefault(payment.id, payment)
        if self.then:
            self.then.pop(0)()
        return payment.bonus / 2


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


class Killed(BaseException):
    """The process dies."""


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
def channels(registry: Registry, bank: Bank) -> Iterator[None]:
    """Two channels of a plugin: ``bank`` takes money, ``invoice`` grants no bonus and never more than 500."""
    before = plugins_of(registry)
    plugins = Plugins()
    plugin = Plugin("pay", "contentsvc-pay", "1.0")
    for channel in (PaymentChannel("bank", pay=bank.pay), PaymentChannel("invoice", invoice)):
        plugins.declared.channels[channel.name] = (plugin, channel)
    install(registry, plugins)
    yield
    install(registry, before)


def invoice(_team: str, amount: Decimal, _bonus: Decimal) -> Decimal:
    if amount > 500:
        raise ValueError("Invoices end at 500 credits; see https://pay.example/help")
    return Decimal(0)


@pytest.fixture
def open_channels(registry: Registry) -> Iterator[Callable[..., None]]:
    """``open_channels("a", "b")``: what the ini says."""
    before: Settings = registry["contentsvc.settings"]

    def use(*names: str) -> None:
        billing = before.billing.model_copy(update={"recharge_channels": names})
        registry["contentsvc.settings"] = before.model_copy(update={"billing": billing})

    yield use
    registry["contentsvc.settings"] = before


def balance(client: Client) -> str:
    return str(client.get("/api/billing/summary/").json["balance"])


def moved(client: Client) -> list[tuple[str, str, str]]:
    """Type, amount and channel of the team's rows after its first, oldest first."""
    rows = client.get("/api/billing/ledgers/").json["results"][::-1]
    return [(row["ledger_type"], row["amount"], row["channel"]) for row in rows[1:]]


def lose_leases(database: Database) -> None:
    """As if the processes that held jobs had been gone for a while."""
    with database() as session:
        session.execute(update(Job).values(lease_until=None, ring_at=Job.created_at))


def test_a_manual_recharge_credits_amount_and_bonus(owner: Client, database: Database) -> None:
    reply = owner.post_json(RECHARGE, {"amount": 50, "bonus": "5.5"}, status=201).json
    rows = owner.get("/api/billing/ledgers/").json["results"]
    assert reply == {
        "amount": "50.00",
        "bonus": "5.50",
        "channel": "manual",
        "balance": "155.50",
        "ledgers": [rows[1], rows[0]],
    }
    assert moved(owner) == [("RECHARGE", "50.00", "manual"), ("BONUS", "5.50", "manual")]
    assert {row["member"] for row in reply["ledgers"]} == {str(owner.user_id)}
    with database() as session:
        assert invariants.check(session) == []


def test_without_a_bonus_there_is_one_row(owner: Client) -> None:
    for bonus in ({}, {"bonus": None}, {"bonus": 0}, {"bonus": "0.00"}):
        reply = owner.post_json(RECHARGE, {"amount": "0.34", "channel": "manual", **bonus}).json
        assert (reply["bonus"], len(reply["ledgers"])) == ("0.00", 1)
    assert reply["balance"] == "101.36"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("amount", (0, "0.00", -1, "0.001", "NaN", True, 1e13, None, "", [])),
        ("bonus", (-1, "0.001", "NaN", True, 1e13)),
        ("channel", (5, [])),
    ],
)
def test_a_bad_member_is_refused_on_its_name(owner: Client, field: str, values: tuple[object, ...]) -> None:
    for value in values:
        assert list(owner.post_json(RECHARGE, {"amount": 5, field: value}, status=400).json) == [field]
    assert moved(owner) == []


def test_the_amount_is_needed(owner: Client) -> None:
    assert list(owner.post_json(RECHARGE, {}, status=400).json) == ["amount"]


def test_an_account_has_an_end(owner: Client, database: Database) -> None:
    with database() as session:
        book(session, owner.team_id, LedgerType.GRANT, Decimal(10) ** 15 - 100)
    assert list(owner.post_json(RECHARGE, {"amount": "0.01"}, status=400).json) == ["amount"]


def test_only_an_owner_recharges(make_client: MakeClient, owner: Client) -> None:
    for role in ("admin", "member", "viewer"):
        client = make_client(role=role, team_id=owner.team_id)
        assert client.post_json(RECHARGE, {"amount": 0}, status=403).json["code"] == "permission_denied"


def test_without_a_team_nobody_recharges(admin: Client) -> None:
    assert admin.post_json(RECHARGE, {"amount": 5}, status=403).json["code"] == "permission_denied"


def test_an_unknown_channel_is_refused(owner: Client) -> None:
    for channel in ("card", "Manual", ""):
        body = {"amount": 5, "channel": channel}
        assert owner.post_json(RECHARGE, body, status=403).json["code"] == "permission_denied"


def test_with_no_channel_in_the_ini_recharging_is_closed(
    owner: Client, open_channels: Callable[..., None]
) -> None:
    open_channels()
    for body in ({"amount": 5}, {"amount": 5, "channel": "manual"}, {"amount": -1}):
        assert owner.post_json(RECHARGE, body, status=403).json["code"] == "permission_denied"
    assert moved(owner) == []


@pytest.mark.usefixtures("channels")
def test_a_channel_in_the_ini_that_nobody_backs_is_named_in_the_log(
    registry: Registry, open_channels: Callable[..., None]
) -> None:
    open_channels("gone", "bank")
    with capture_logs() as logs:
        warn_of_unknown_channels(registry)
    assert [(entry["event"], entry["channel"]) for entry in logs] == [("recharge_channel_unknown", "gone")]


def test_repeated_under_one_key_it_credits_once(owner: Client) -> None:
    replies = [
        owner.post_json(RECHARGE, {"amount": 5}, headers={"Idempotency-Key": "once"}, status=201)
        for _ in range(2)
    ]
    assert replies[0].json == replies[1].json
    assert balance(owner) == "105.00"


@pytest.mark.usefixtures("channels")
class TestPlugins:
    def test_their_channels_are_open(self, owner: Client, bank: Bank, database: Database) -> None:
        reply = owner.post_json(RECHARGE, {"amount": 50, "bonus": 10, "channel": "bank"}, status=201).json
        assert (reply["amount"], reply["bonus"], reply["balance"]) == ("50.00", "5.00", "155.00")
        assert moved(owner) == [("RECHARGE", "50.00", "bank"), ("BONUS", "5.00", "bank")]
        assert reply["ledgers"] == owner.get("/api/billing/ledgers/").json["results"][1::-1]
        (payment,) = bank.paid.values()
        assert (payment.id, payment.team_id) == (reply["ledgers"][0]["id"], str(owner.team_id))
        assert payment.user_id == str(owner.user_id)
        assert (payment.price, payment.currency) == (Decimal(5), "USD")
        with database() as session:
            assert invariants.check(session) == []

    @pytest.mark.parametrize(
        ("ini", "default"), [(["manual"], "manual"), ([], "bank"), (["gone", "invoice", "manual"], "invoice")]
    )
    def test_the_first_is_the_default(
        self, owner: Client, open_channels: Callable[..., None], ini: list[str], default: str
    ) -> None:
        open_channels(*ini)
        assert owner.post_json(RECHARGE, {"amount": 1}).json["channel"] == default

    def test_the_inis_come_first_and_plugins_follow(
        self, owner: Client, open_channels: Callable[..., None]
    ) -> None:
        open_channels("invoice")
        assert owner.post_json(RECHARGE, {"amount": 1, "channel": "bank"}).json["channel"] == "bank"
        owner.post_json(RECHARGE, {"amount": 1, "channel": "manual"}, status=403)

    def test_a_refusal_is_told_in_the_channels_words(self, owner: Client) -> None:
        reply = owner.post_json(RECHARGE, {"amount": 501, "channel": "invoice"}, status=400).json
        assert reply == {"detail": "Invoices end at 500 credits; see [link]", "code": "conflict"}
        assert moved(owner) == []

    def test_a_bonus_with_parts_of_cents_is_left_out(self, owner: Client) -> None:
        body = {"amount": 1, "bonus": "0.01", "channel": "bank"}
        reply = owner.post_json(RECHARGE, body, status=201).json
        assert (reply["bonus"], reply["balance"]) == ("0.00", "101.00")

    def test_no_transaction_is_open_while_a_channel_is_asked(
        self, owner: Client, bank: Bank, registry: Registry
    ) -> None:
        out: list[int] = []
        bank.then = [lambda: out.append(engine_of(registry).pool.checkedout())]
        owner.post_json(RECHARGE, {"amount": 1, "channel": "bank"})
        assert out == [0]

    def test_where_the_process_dies_a_worker_credits_what_was_paid(
        self, owner: Client, bank: Bank, registry: Registry, database: Database
    ) -> None:
        bank.then = [raising(Killed())]
        with pytest.raises(Killed):
            owner.post_json(RECHARGE, {"amount": 50, "channel": "bank"})
        assert (len(bank.paid), balance(owner)) == (1, "100.00")
        assert run_due(registry) == 0
        lose_leases(database)
        assert run_due(registry) == 1
        assert (len(bank.paid), len(bank.asked)) == (1, 2)
        assert moved(owner) == [("RECHARGE", "50.00", "bank")]

    def test_an_unclear_outcome_is_told_and_looked_after(
        self, owner: Client, bank: Bank, registry: Registry, database: Database
    ) -> None:
        bank.then = [raising(TimeoutError("no answer")), raising(OSError("no route"))]
        reply = owner.post_json(RECHARGE, {"amount": 50, "channel": "bank"}, status=502).json
        assert reply["code"] == "provider_error"
        for _ in range(2):
            lose_leases(database)
            run_due(registry)
        assert (len(bank.paid), len(bank.asked), balance(owner)) == (1, 3, "150.00")
        assert run_due(registry) == 0

    def test_what_stays_unclear_for_a_day_is_given_up(
        self, owner: Client, bank: Bank, registry: Registry, database: Database
    ) -> None:
        bank.then = [raising(TimeoutError())] * 2
        owner.post_json(RECHARGE, {"amount": 50, "channel": "bank"}, status=502)
        with database() as session:
            session.execute(update(Recharge).values(created_at=Recharge.created_at - timedelta(hours=24)))
        lose_leases(database)
        run_due(registry)
        lose_leases(database)
        assert run_due(registry) == 0
        with database() as session:
            assert session.scalars(select(Recharge.state)).all() == ["unknown"]
        assert balance(owner) == "100.00"

    def test_a_refusal_at_the_second_asking_credits_nothing(
        self, owner: Client, bank: Bank, registry: Registry, database: Database
    ) -> None:
        bank.then = [raising(TimeoutError()), raising(ValueError("The card has expired."))]
        owner.post_json(RECHARGE, {"amount": 50, "channel": "bank"}, status=502)
        lose_leases(database)
        assert run_due(registry) == 1
        assert run_due(registry) == 0
        assert moved(owner) == []

    def test_after_a_crash_the_same_key_gets_the_reply_that_was_missed(
        self, owner: Client, bank: Bank, registry: Registry, database: Database, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.01)
        body, key = {"amount": 50, "channel": "bank"}, {"Idempotency-Key": "once"}
        bank.then = [raising(Killed())]
        with pytest.raises(Killed):
            owner.post_json(RECHARGE, body, headers=key)
        assert owner.post_json(RECHARGE, body, headers=key, status=409).headers["Retry-After"]
        other = owner.post_json(RECHARGE, body | {"amount": 51}, headers=key, status=409)
        assert "another body" in other.json["detail"]
        lose_leases(database)
        run_due(registry)
        reply = owner.post_json(RECHARGE, body, headers=key, status=201)
        assert (reply.headers["Idempotent-Replay"], reply.json["balance"]) == ("true", "150.00")
        assert len(bank.paid) == 1

    def test_two_calls_with_one_key_pay_once(self, owner: Client, bank: Bank) -> None:
        entered, go_on = threading.Event(), threading.Event()

        def wait() -> None:
            entered.set()
            assert go_on.wait(30)

        bank.then = [wait]
        body, key = {"amount": 50, "channel": "bank"}, {"Idempotency-Key": "once"}
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(owner.post_json, RECHARGE, body, headers=key, status=201)
            assert entered.wait(30)
            second = pool.submit(owner.post_json, RECHARGE, body, headers=key, status=201)
            go_on.set()
            replies = [first.result(60), second.result(60)]
        assert replies[0].json == replies[1].json
        assert [reply.headers.get("Idempotent-Replay") for reply in replies] == [None, "true"]
        assert (len(bank.paid), balance(owner)) == (1, "150.00")

    def test_a_first_call_that_ends_while_the_second_looks_for_it_is_not_missed(
        self, owner: Client, bank: Bank, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entered, go_on = threading.Event(), threading.Event()

        def wait() -> None:
            entered.set()
            assert go_on.wait(30)

        look = recharges.running_call

        def late_look(*arguments: Any) -> Any:
            if entered.is_set():
                go_on.set()
                first.result(60)
            return look(*arguments)

        monkeypatch.setattr(recharges, "running_call", late_look)
        bank.then = [wait]
        body, key = {"amount": 50, "channel": "bank"}, {"Idempotency-Key": "once"}
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(owner.post_json, RECHARGE, body, headers=key, status=201)
            assert entered.wait(30)
            second = owner.post_json(RECHARGE, body, headers=key, status=201)
        assert second.headers["Idempotent-Replay"] == "true"
        assert (len(bank.paid), balance(owner)) == (1, "150.00")

    def test_a_refused_payment_may_be_tried_again_with_its_key(self, owner: Client, bank: Bank) -> None:
        body, key = {"amount": 50, "channel": "bank"}, {"Idempotency-Key": "once"}
        bank.then = [raising(ValueError("Not enough money."))]
        owner.post_json(RECHARGE, body, headers=key, status=400)
        owner.post_json(RECHARGE, body, headers=key, status=201)
        assert (len(set(bank.asked)), balance(owner)) == (2, "150.00")


def test_the_owners_are_told(owner: Client) -> None:
    owner.post_json(RECHARGE, {"amount": 50, "bonus": 5})
    (notice,) = owner.get("/api/ops/notifications/").json["results"]
    assert (notice["type"], notice["title"]) == ("billing", "Credits recharged")


def test_ledger_rows_of_a_recharge_name_no_task(owner: Client, database: Database) -> None:
    owner.post_json(RECHARGE, {"amount": 5})
    with database() as session:
        row = session.scalars(select(LedgerRow).where(LedgerRow.ledger_type == "RECHARGE")).one()
    assert (row.task_id, row.reservation_no) == (None, None)
