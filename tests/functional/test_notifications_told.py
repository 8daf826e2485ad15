"""Who is told of what: ended tasks, credits, the welcome. And that a lost message loses nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import text

from contentsvc.billing import notices as billing_notices
from contentsvc.db.session import transaction_scope
from contentsvc.generation import notices
from contentsvc.generation.models import AITask, TaskType
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from tests.fakes.provider import Reply, fake_provider
from tests.functional.boarding import generate, made
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read
from tests.functional.grouping import picture_studio
from tests.functional.inviting import inviter, register
from tests.functional.projecting import act, add_project, add_script
from tests.functional.queries import count_queries
from tests.functional.telling import inbox, titles

LOW = "Credits are low"
REFUSED = Reply(status=422)


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        made = Studio(registry, database, server)
        yield made
        assert made.faults() == []


# Tasks


def test_a_finished_task_is_told_with_its_ids_and_its_own_times(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    studio.work()
    [told] = inbox(owner)["results"]
    task = read(owner, task_id)
    with studio.database() as session:
        timeline = session.get_one(AITask, uuid.UUID(task_id)).timeline
    assert (told["type"], told["title"], told["body"]) == (
        "asset",
        "Picture is ready",
        "Charged: 0.30 credits.",
    )
    assert (told["metadata"]["task"], told["metadata"]["asset"]) == (task_id, task["assets"][0]["id"])
    assert told["metadata"]["timeline"] == [
        {"step": "RESERVED", "label": "Ordered", "at": timeline[0]["at"]},
        {"step": "succeeded", "label": "Finished", "at": timeline[1]["at"]},
    ]
    assert told["metadata"]["timeline"][1]["at"] == task["finished_at"]


def test_a_failed_task_is_told_with_its_reason(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(REFUSED)
    [task_id] = order(owner)
    studio.work()
    [told] = inbox(owner)["results"]
    assert (told["title"], told["body"]) == ("Picture failed", read(owner, task_id)["error_message"])
    assert told["body"]


def test_only_who_ordered_it_is_told(studio: Studio, owner: Client, make_client: MakeClient) -> None:
    member = make_client("member", team_id=owner.team_id)
    order(member)
    studio.work()
    assert titles(member) == ["Picture is ready"]
    assert titles(owner) == []


def test_every_kind_of_task_has_a_word() -> None:
    assert set(notices.WORKS) == set(TaskType)


@pytest.mark.parametrize("sabotage", ["RAISE", "SQL"])
def test_a_lost_message_loses_no_settlement(
    studio: Studio, owner: Client, monkeypatch: pytest.MonkeyPatch, sabotage: str
) -> None:
    def fail(session: Any, *_arguments: Any) -> None:
        if sabotage == "SQL":
            session.execute(text("SELECT 1 / 0"))
        raise LookupError("no inbox today")

    monkeypatch.setattr(notices, "deliver", fail)
    settled: list[Any] = []
    monkeypatch.setattr(
        "contentsvc.generation.settlement.notify_settled", lambda _registry, task: settled.append(task.id)
    )
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]
    assert settled == [task_id]
    assert titles(owner) == []


def test_a_settlement_tells_in_one_statement(studio: Studio, owner: Client) -> None:
    order(owner)
    with count_queries(studio.registry) as asked:
        studio.work()
    assert len([statement for statement in asked if "notification" in statement.lower()]) == 1


@pytest.fixture
def pictures(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project with an adopted script of three segments."""
    project_id = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project_id, adopted=True)
    return project_id


def test_a_whole_storyboard_is_told_once(pictures: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    pictures.work()
    [told] = inbox(owner)["results"]
    assert (told["type"], told["title"]) == ("project", "Storyboard is ready")
    assert (told["metadata"]["task"], told["metadata"]["project"]) == (task_id, project)


def test_a_storyboard_without_all_its_shots_is_told_as_failed(
    pictures: Studio, owner: Client, project: str
) -> None:
    pictures.provider.replies.append(REFUSED)
    generate(owner, project)
    pictures.work()
    assert titles(owner) == ["Storyboard failed"]


def test_a_shot_made_again_is_told_by_itself(pictures: Studio, owner: Client, project: str) -> None:
    shot = made(pictures, owner, project)["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]})
    pictures.work()
    assert titles(owner) == ["Shot of the storyboard is ready", "Storyboard is ready"]


# Credits


def _give(admin: Client, owner: Client, amount: str) -> None:
    body = {"team": str(owner.team_id), "amount": amount, "reason": "a gift"}
    admin.post_json("/api/admin/ledgers/adjust/", body)


def test_owners_are_told_of_an_adjustment(owner: Client, admin: Client, make_client: MakeClient) -> None:
    member = make_client("admin", team_id=owner.team_id)
    _give(admin, owner, "5")
    [told] = inbox(owner)["results"]
    assert (told["type"], told["title"]) == ("billing", "Credits added")
    assert told["body"] == (
        "Credits added by the platform: 5.00. The balance is 105.00 credits. Reason: a gift"
    )
    assert [step["step"] for step in told["metadata"]["timeline"]] == ["adjusted"]
    assert titles(member) == []


def test_owners_are_told_what_was_taken(owner: Client, admin: Client) -> None:
    _give(admin, owner, "-5")
    assert titles(owner) == ["Credits taken"]


def test_every_owner_is_told(owner: Client, admin: Client, make_client: MakeClient) -> None:
    second = make_client("owner", team_id=owner.team_id)
    _give(admin, owner, "5")
    assert titles(owner) == titles(second) == ["Credits added"]


def test_an_order_that_makes_credits_low_warns_the_owners(studio: Studio, make_client: MakeClient) -> None:
    owner = make_client(balance=10)
    member = make_client("member", team_id=owner.team_id)
    order(member)
    [told] = inbox(owner)["results"]
    assert (told["type"], told["title"]) == ("billing", LOW)
    assert told["body"].startswith("9.70 credits are available.")
    assert titles(member) == []


def test_low_credits_are_told_once(studio: Studio, make_client: MakeClient) -> None:
    owner = make_client(balance=Decimal("10.30"))
    order(owner)
    assert titles(owner) == []
    order(owner)
    order(owner)
    studio.work()
    assert titles(owner).count(LOW) == 1


def test_after_a_recharge_low_credits_are_told_again(
    studio: Studio, make_client: MakeClient, admin: Client
) -> None:
    owner = make_client(balance=10)
    order(owner)
    _give(admin, owner, "1")
    order(owner, count=3)
    assert titles(owner).count(LOW) == 2


def test_a_charge_over_its_reservation_can_make_credits_low(
    registry: Registry, make_client: MakeClient
) -> None:
    owner = make_client(balance=Decimal("9.50"))
    assert owner.team_id is not None
    for reserved, charged in (("1.00", "1.00"), ("1.00", "1.49"), ("1.00", "1.50"), ("2.00", "0.10")):
        with transaction_scope(registry, owner.team_id) as session:
            billing_notices.warn_after_charging(
                session, registry, owner.team_id, reserved=Decimal(reserved), charged=Decimal(charged)
            )
    assert titles(owner) == [LOW]


def test_a_lost_warning_loses_no_order(
    studio: Studio, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = make_client(balance=10)

    def fail(session: Any, *_arguments: Any) -> None:
        session.execute(text("SELECT 1 / 0"))

    monkeypatch.setattr(billing_notices, "notify", fail)
    [task_id] = order(owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


# The welcome


def test_who_registers_is_welcomed_once(api: Any, database: Database) -> None:
    code = inviter(database)()
    token = register(api, code, team_name="Cups & Co").json["token"]
    register(api, code, status=200)
    newcomer = Client(api, token, uuid.uuid4(), None)
    [told] = inbox(newcomer)["results"]
    assert (told["type"], told["title"]) == ("system", "Welcome to Cups & Co")
    assert [step["step"] for step in told["metadata"]["timeline"]] == ["registered"]
    me = newcomer.get("/api/auth/me/").json["user"]
    assert told["metadata"]["timeline"][0]["at"] == me["created_at"]
