"""Ordering pictures: what is refused and why, what is made of a request, what is reserved."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.generation.models import AITask, PromptTemplate
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Job, Queue, WorkerBeat
from contentsvc.providers.models import ModelConfig, Provider
from tests.fakes.provider import FakeProvider, fake_provider
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, add_fake_models, ledger_of, order, read, unknown_id
from tests.functional.library import add_asset

GENERATE = "/api/ai/generate-image/"


@pytest.fixture
def provider(database: Database) -> Iterator[FakeProvider]:
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        yield server


@pytest.fixture(autouse=True)
def online(registry: Registry) -> None:
    beat_once(registry, list(Queue))


@pytest.fixture
def product(registry: Registry, owner: Client) -> Any:
    asset = add_asset(registry, owner.team_id)
    body = {"title": "Cup", "brand": "Pikolo", "images": [asset]}
    return owner.post_json("/api/products/", body).json


@pytest.fixture
def ask(owner: Client, provider: FakeProvider) -> Callable[..., Any]:
    """POST with a status expected, the fake model named unless told otherwise."""

    def post(status: int = 202, client: Client | None = None, **body: Any) -> Any:
        full = {"prompt": "a quiet table", "image_model": "fake-one", **body}
        return (client or owner).post_json(GENERATE, full, status=status).json

    return post


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("prompt", {"prompt": ""}),
        ("prompt", {"prompt": "x" * 4001}),
        ("prompt", {"prompt": 5}),
        ("prompt", {"prompt": "a\x00b"}),
        ("mode", {"mode": "video"}),
        ("count", {"count": 0}),
        ("count", {"count": 13}),
        ("count", {"count": "2"}),
        ("count", {"count": True}),
        ("ratio", {"ratio": "5:4"}),
        ("product_id", {"product_id": "not-an-id"}),
        ("product_id", {"product_id": unknown_id()}),
        ("product_id", {"mode": "cover"}),
        ("model_id", {"mode": "model", "model_id": unknown_id()}),
        ("model_entity_id", {"mode": "model", "model_entity_id": unknown_id()}),
        ("reference_image_ids.0", {"reference_image_ids": [unknown_id()]}),
        ("reference_image_ids.0", {"reference_image_ids": ["x"]}),
        ("image_model", {"image_model": "no such model"}),
    ],
)
def test_an_order_with_a_bad_field_is_refused_on_that_field(
    ask: Callable[..., Any], field: str, body: dict[str, Any]
) -> None:
    assert list(ask(400, **body)) == [field]


def test_a_try_on_needs_a_presenter(ask: Callable[..., Any], product: Any) -> None:
    assert list(ask(400, mode="model", product_id=product["id"])) == ["model_entity_id"]


def test_another_teams_asset_is_refused_like_an_unknown_one(
    registry: Registry, ask: Callable[..., Any], other: Client
) -> None:
    foreign = ask(400, reference_image_ids=[add_asset(registry, other.team_id)])
    assert foreign == ask(400, reference_image_ids=[unknown_id()])


def test_another_teams_product_is_refused_like_an_unknown_one(
    ask: Callable[..., Any], other: Client, product: Any
) -> None:
    foreign = ask(400, client=other, product_id=product["id"])
    assert foreign == ask(400, client=other, product_id=unknown_id())


def test_a_viewer_may_not_order(ask: Callable[..., Any], make_client: MakeClient, owner: Client) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert ask(403, client=viewer)["code"] == "permission_denied"


def test_without_a_worker_nothing_is_reserved(
    ask: Callable[..., Any], owner: Client, database: Database
) -> None:
    with database() as session:
        session.execute(update(WorkerBeat).values(last_seen_at=WorkerBeat.started_at - _minutes(1)))
    assert ask(503)["code"] == "no_worker"
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.00"


def _minutes(number: int) -> Any:
    from datetime import timedelta

    return timedelta(minutes=number)


def test_without_any_model_the_answer_is_no_model(ask: Callable[..., Any], database: Database) -> None:
    with database() as session:
        session.execute(update(ModelConfig).values(status="inactive"))
    assert ask(503, image_model=None)["code"] == "no_model"


def test_a_model_whose_driver_is_gone_answers_no_model(ask: Callable[..., Any], database: Database) -> None:
    with database() as session:
        session.execute(update(Provider).where(Provider.name == "fake").values(driver="gone"))
    assert ask(503)["code"] == "no_model"


def test_more_than_the_balance_is_refused_whole(
    ask: Callable[..., Any], make_client: MakeClient, database: Database
) -> None:
    poor = make_client(balance=1)
    assert ask(402, client=poor, count=12)["code"] == "insufficient_balance"
    with database() as session:
        assert session.scalars(select(AITask)).all() == []


def test_an_order_freezes_the_estimated_cost_of_all_its_pictures(
    ask: Callable[..., Any], owner: Client
) -> None:
    ask(count=3)
    # A picture: 0.02 of the currency, by 1.5, in credits of 0.1, is 0.30.
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.90"


def test_each_picture_gets_a_task_and_a_job(ask: Callable[..., Any], database: Database) -> None:
    ids = [task["id"] for task in ask(count=3)["tasks"]]
    with database() as session:
        subjects = session.scalars(select(Job.subject_id).where(Job.state == "open"))
        assert sorted(str(subject) for subject in subjects) == sorted(ids)


def test_a_fresh_task_is_reserved(ask: Callable[..., Any]) -> None:
    assert {task["status"] for task in ask(count=2)["tasks"]} == {"RESERVED"}


def test_a_task_keeps_the_price_it_was_ordered_at(
    ask: Callable[..., Any], owner: Client, admin: Client, database: Database
) -> None:
    [stub] = ask()["tasks"]
    admin.patch_json("/api/admin/billing-config/", {"margin_factor": "3"})
    with database() as session:
        task = session.get_one(AITask, uuid.UUID(stub["id"]))
        assert (task.price["margin_factor"], task.price["estimated"]) == ("1.500000", "0.30")


def test_a_task_keeps_the_state_of_every_cap(ask: Callable[..., Any], database: Database) -> None:
    [stub] = ask()["tasks"]
    with database() as session:
        caps = session.get_one(AITask, uuid.UUID(stub["id"])).caps
    assert [cap["cap"] for cap in caps] == [
        "policy_task",
        "policy_month",
        "policy_project",
        "team_month",
        "member_day",
        "member_month",
        "member_total",
        "balance",
    ]


@pytest.mark.parametrize(
    ("body", "task_type"),
    [
        ({"mode": "image"}, "free_image"),
        ({"mode": "model"}, "person_image"),
        ({"mode": "cover", "product_id": True}, "cover_image"),
        ({"mode": "model", "product_id": True, "model_id": True}, "model_image"),
    ],
)
def test_the_mode_decides_the_type_of_task(
    registry: Registry,
    owner: Client,
    provider: FakeProvider,
    product: Any,
    body: dict[str, Any],
    task_type: str,
) -> None:
    if "product_id" in body:
        body = {**body, "product_id": product["id"]}
    if "model_id" in body:
        body = {**body, "model_id": add_asset(registry, owner.team_id)}
    [task_id] = order(owner, **body)
    assert read(owner, task_id)["task_type"] == task_type


def test_a_platform_set_shows_the_model_the_product_first(
    registry: Registry, owner: Client, provider: FakeProvider, product: Any, database: Database
) -> None:
    extra = add_asset(registry, owner.team_id)
    [task_id] = order(owner, mode="cover", product_id=product["id"], reference_image_ids=[extra])
    assert _references(database, task_id) == [("product", product["cover_asset"]), ("other", extra)]


def test_a_try_on_shows_the_model_the_presenter_first(
    registry: Registry, owner: Client, provider: FakeProvider, product: Any, database: Database
) -> None:
    face = add_asset(registry, owner.team_id)
    [task_id] = order(owner, mode="model", product_id=product["id"], model_id=face)
    assert _references(database, task_id) == [("presenter", face), ("product", product["cover_asset"])]


def test_a_free_creation_uses_the_product_picture_only_when_asked(
    owner: Client, provider: FakeProvider, product: Any, database: Database
) -> None:
    [without] = order(owner, product_id=product["id"])
    [with_it] = order(owner, product_id=product["id"], reference_product=True)
    assert (_references(database, without), len(_references(database, with_it))) == ([], 1)


def _references(database: Database, task_id: str) -> list[tuple[str, str]]:
    with database() as session:
        asked = session.get_one(AITask, uuid.UUID(task_id)).request
    return [(named["role"], named["asset"]) for named in asked["references"]]


def test_a_model_that_knows_fewer_ratios_gets_the_nearest(
    owner: Client, provider: FakeProvider, database: Database
) -> None:
    with database() as session:
        session.execute(update(ModelConfig).values(options={"ratios": ["1:1", "2:3", "3:2"]}))
    [task_id] = order(owner, ratio="9:16")
    with database() as session:
        assert session.get_one(AITask, uuid.UUID(task_id)).request["ratio"] == "2:3"


def test_the_portrait_template_shapes_the_prompt(
    owner: Client, provider: FakeProvider, database: Database
) -> None:
    with database() as session:
        session.execute(
            update(PromptTemplate)
            .where(PromptTemplate.key == "person_portrait")
            .values(template="Portrait: {prompt}!")
        )
    [task_id] = order(owner, mode="model", prompt="an old sailor")
    with database() as session:
        asked = session.get_one(AITask, uuid.UUID(task_id)).request
    assert asked["prompt"].startswith("Portrait: an old sailor!")
    assert "watermark" in asked["negative_prompt"]


def test_an_invalid_batch_id_becomes_a_fresh_one(owner: Client, provider: FakeProvider) -> None:
    [task_id] = order(owner, batch_id="nonsense")
    assert uuid.UUID(read(owner, task_id)["batch_id"])


def test_pictures_of_a_batch_are_numbered(owner: Client, provider: FakeProvider) -> None:
    ids = order(owner, count=3)
    assert [read(owner, id_)["metadata"]["index"] for id_ in ids] == [0, 1, 2]


def test_an_appended_picture_goes_on_counting(owner: Client, provider: FakeProvider) -> None:
    first, _ = order(owner, count=2)
    batch = read(owner, first)["batch_id"]
    [task_id] = order(owner, batch_id=batch)
    metadata = read(owner, task_id)["metadata"]
    assert (metadata["index"], metadata["batch_append"]) == (2, True)


def test_appended_pictures_take_the_places_of_failed_ones_first(
    owner: Client, provider: FakeProvider, database: Database
) -> None:
    ids = order(owner, count=3)
    with database() as session:
        session.execute(update(AITask).where(AITask.id == uuid.UUID(ids[1])).values(status="failed"))
    batch = read(owner, ids[0])["batch_id"]
    made = [read(owner, id_)["metadata"] for id_ in order(owner, batch_id=batch, count=2)]
    assert [(m["index"], m.get("replaces")) for m in made] == [(1, ids[1]), (3, None)]


def test_a_failed_picture_is_replaced_once(owner: Client, provider: FakeProvider, database: Database) -> None:
    [first] = order(owner)
    with database() as session:
        session.execute(update(AITask).values(status="failed"))
    batch = read(owner, first)["batch_id"]
    order(owner, batch_id=batch)
    [again] = order(owner, batch_id=batch)
    assert read(owner, again)["metadata"]["index"] == 1


def test_the_same_idempotency_key_orders_once(owner: Client, provider: FakeProvider) -> None:
    body = {"prompt": "a quiet table", "image_model": "fake-one"}
    replies = [owner.post_json(GENERATE, body, headers={"Idempotency-Key": "order-1"}).json for _ in range(2)]
    assert replies[0] == replies[1]
    assert owner.get("/api/ai/tasks/").json["count"] == 1


def test_an_estimate_spends_nothing(owner: Client, provider: FakeProvider) -> None:
    body = {"task_type": "free_image", "prompt": "x", "count": 4, "image_model": "fake-one"}
    reply = owner.post_json("/api/ai/estimate/", body).json
    assert (reply["estimated_cost"], reply["unit_price"], reply["available"]) == ("1.20", "0.02", "100.00")
    assert owner.get("/api/ai/tasks/").json["count"] == 0


def test_a_reserved_task_has_one_ledger_row(owner: Client, provider: FakeProvider) -> None:
    [task_id] = order(owner)
    assert ledger_of(owner, task_id) == ["RESERVE"]
