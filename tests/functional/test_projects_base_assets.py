"""Making base assets: pictures of product, characters and scenes, and what they will cost."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.generation.models import AITask, PromptTemplate
from contentsvc.jobs.models import WorkerBeat
from contentsvc.jobs.runner import run_due
from contentsvc.products.models import Product
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, ledger_of, read, unknown_id
from tests.functional.grouping import generate, groups, ids, made, picture_studio
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_project


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    return add_project(registry, owner.team_id)


@pytest.fixture
def picture(registry: Registry, owner: Client) -> str:
    """An image of the team that has nothing to do with the project."""
    return add_asset(registry, owner.team_id)


# Generating


@pytest.mark.parametrize(
    ("kind", "task_type"),
    [("person", "person_image"), ("product", "product_image"), ("scene", "scene_image")],
)
def test_each_kind_is_a_task_of_its_type(
    studio: Studio, owner: Client, project: str, kind: str, task_type: str
) -> None:
    task = generate(owner, project, kind=kind)["task"]
    assert task["status"] == "RESERVED"
    told = read(owner, task["id"])
    assert (told["task_type"], told["project"]) == (task_type, project)


@pytest.mark.parametrize(
    ("kind", "category", "in_library"),
    [("person", "person", False), ("product", "product", True), ("scene", "scene", True)],
)
def test_each_kind_is_filed_under_its_category(
    studio: Studio, owner: Client, project: str, kind: str, category: str, in_library: bool
) -> None:
    asset = made(studio, owner, project, kind=kind, label="Mira")
    assert (asset["category"], asset["in_library"], asset["project"], asset["source"]) == (
        category,
        in_library,
        project,
        "generated",
    )


def test_a_picture_makes_the_group_of_its_entity(studio: Studio, owner: Client, project: str) -> None:
    asset = made(studio, owner, project, label="Mira")
    [group] = groups(owner, project)
    assert uuid.UUID(group.pop("group_id"))
    assert ids(group.pop("candidate_assets")) == [asset["id"]]
    assert group.pop("adopted_asset")["id"] == asset["id"]
    assert group == {
        "kind": "person",
        "label": "Mira",
        "state": "adopted",
        "metadata": {"label": "Mira", "triview_of": None},
    }


def test_a_picture_was_not_changed_before_it_was_made(studio: Studio, owner: Client, project: str) -> None:
    asset = made(studio, owner, project)
    assert asset["created_at"] <= asset["updated_at"]


def test_another_picture_joins_the_group_and_is_adopted(studio: Studio, owner: Client, project: str) -> None:
    first = made(studio, owner, project, label="Mira")
    second = made(studio, owner, project, label=" Mira ")
    [group] = groups(owner, project)
    assert ids(group["candidate_assets"]) == [first["id"], second["id"]]
    assert group["adopted_asset"]["id"] == second["id"]


def test_another_kind_or_label_is_another_group(studio: Studio, owner: Client, project: str) -> None:
    for body in ({"label": "Mira"}, {"label": "Ben"}, {"label": "Mira", "kind": "scene"}):
        generate(owner, project, **body)
    studio.work()
    assert sorted((g["kind"], g["label"]) for g in groups(owner, project)) == [
        ("person", "Ben"),
        ("person", "Mira"),
        ("scene", "Mira"),
    ]


def test_pictures_finished_at_the_same_moment_share_one_group(
    studio: Studio, owner: Client, project: str
) -> None:
    gate = threading.Event()
    studio.provider.default = Reply(gate=gate)
    for _ in range(4):
        generate(owner, project, label="Mira")
    with ThreadPoolExecutor(5) as pool:
        workers = [pool.submit(run_due, studio.registry) for _ in range(4)]
        for _ in range(4):
            assert studio.provider.ordered.acquire(timeout=30)
        gate.set()
        # Orders meanwhile lock project and account as well.
        pool.submit(generate, owner, project, kind="scene").result(30)
        for worker in workers:
            worker.result(60)
    studio.work()
    assert sorted(len(g["candidate_assets"]) for g in groups(owner, project)) == [1, 4]


def test_a_picture_is_charged_once(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    studio.work()
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]
    assert read(owner, task_id)["actual_cost"] == "0.30"


def test_a_failed_picture_leaves_no_group(studio: Studio, owner: Client, project: str) -> None:
    studio.provider.default = Reply.json(422, {})
    task_id = generate(owner, project)["task"]["id"]
    studio.work()
    assert read(owner, task_id)["status"] == "failed"
    assert groups(owner, project) == []
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


def test_a_deleted_project_still_gets_its_picture(studio: Studio, owner: Client, project: str) -> None:
    task_id = generate(owner, project)["task"]["id"]
    owner.delete(f"/api/projects/{project}/")
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


@pytest.mark.parametrize(
    ("body", "references"),
    [
        ({"kind": "person"}, []),
        ({"kind": "scene"}, []),
        ({"kind": "product"}, ["product"]),
    ],
)
def test_only_the_product_has_a_picture_to_work_from(
    studio: Studio, owner: Client, project: str, body: dict[str, Any], references: list[str]
) -> None:
    made(studio, owner, project, **body)
    assert studio.provider.orders[0]["references"] == references


@pytest.mark.parametrize(
    ("kind", "references"),
    [("person", ["character"]), ("scene", ["scene"]), ("product", ["product", "other"])],
)
def test_a_reference_is_shown_to_the_model(
    studio: Studio, owner: Client, project: str, picture: str, kind: str, references: list[str]
) -> None:
    made(studio, owner, project, kind=kind, reference_asset_id=picture)
    asked = studio.provider.orders[0]
    assert (asked["references"], asked["model"]) == (references, "fake-image_edit")


def test_without_references_the_picture_is_generated(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    assert studio.provider.orders[0]["model"] == "fake-image_generation"


@pytest.mark.parametrize(("kind", "key"), [("person", "person_portrait"), ("scene", "scene_image")])
def test_the_stages_template_shapes_prompt_and_ratio(
    studio: Studio, owner: Client, project: str, kind: str, key: str
) -> None:
    with studio.database() as session:
        session.execute(
            update(PromptTemplate)
            .where(PromptTemplate.key == key)
            .values(template="Templated: {prompt}", ratio="4:3")
        )
    made(studio, owner, project, kind=kind, prompt="a baker")
    asked = studio.provider.orders[0]
    assert "Templated: a baker" in asked["prompt"]
    assert asked["ratio"] == "4:3"


def test_a_product_picture_is_told_what_the_product_is(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, kind="product", prompt="on a tray")
    prompt = studio.provider.orders[0]["prompt"]
    assert "on a tray" in prompt
    assert "The product: Cup." in prompt


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("kind", {"kind": "animal"}),
        ("kind", {"kind": None}),
        ("prompt", {"prompt": ""}),
        ("prompt", {"prompt": "x" * 4001}),
        ("label", {"label": "x" * 256}),
        ("label", {"label": 5}),
        ("reference_asset_id", {"reference_asset_id": "x"}),
        ("reference_asset_id", {"reference_asset_id": unknown_id()}),
    ],
)
def test_a_bad_field_is_refused_on_that_field(
    studio: Studio, owner: Client, project: str, field: str, body: dict[str, Any]
) -> None:
    assert list(generate(owner, project, 400, **body)) == [field]


def test_another_teams_reference_is_as_good_as_unknown(
    studio: Studio, registry: Registry, owner: Client, other: Client, project: str
) -> None:
    foreign = add_asset(registry, other.team_id)
    refused = generate(owner, project, 400, reference_asset_id=foreign)
    assert refused == generate(owner, project, 400, reference_asset_id=unknown_id())


@pytest.mark.parametrize("fields", [{"asset_type": "video"}, {"deleted_at": "2026-01-01T00:00:00Z"}])
def test_a_reference_is_an_undeleted_image(
    studio: Studio, registry: Registry, owner: Client, project: str, fields: dict[str, Any]
) -> None:
    asset = add_asset(registry, owner.team_id, **fields)
    assert list(generate(owner, project, 400, reference_asset_id=asset)) == ["reference_asset_id"]


def test_without_its_product_a_project_makes_no_product_picture(
    studio: Studio, owner: Client, project: str
) -> None:
    with studio.database() as session:
        session.delete(session.scalars(select(Product)).one())
    assert list(generate(owner, project, 400, kind="product")) == ["kind"]


def test_without_a_model_nothing_is_reserved(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.execute(update(ModelConfig).values(status="inactive"))
    assert generate(owner, project, 503)["code"] == "no_model"


def test_without_a_worker_nothing_is_reserved(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.query(WorkerBeat).delete()
    assert generate(owner, project, 503)["code"] == "no_worker"
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.00"


def test_without_credit_nothing_is_ordered(
    studio: Studio, registry: Registry, make_client: MakeClient
) -> None:
    poor = make_client(balance=0)
    project = add_project(registry, poor.team_id)
    assert generate(poor, project, 402)["code"] == "insufficient_balance"
    with studio.database() as session:
        assert session.scalars(select(AITask)).all() == []


def test_a_portrait_outside_of_projects_joins_no_group(studio: Studio, owner: Client, project: str) -> None:
    body = {"mode": "model", "prompt": "a baker"}
    [task] = owner.post_json("/api/ai/generate-image/", body).json["tasks"]
    studio.work()
    [asset] = read(owner, task["id"])["assets"]
    assert (asset["category"], asset["in_library"]) == ("model_portrait", True)
    assert groups(owner, project) == []


# What is being made


def test_running_pictures_are_pending(studio: Studio, owner: Client, project: str) -> None:
    task = generate(owner, project, label="Mira")["task"]
    assert owner.get(f"/api/projects/{project}/pending-assets/").json == {
        "pending": [
            {
                "id": task["id"],
                "kind": "person",
                "label": "Mira",
                "is_triview": False,
                "status": "RESERVED",
            }
        ]
    }


def test_finished_pictures_are_not_pending(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project)
    assert owner.get(f"/api/projects/{project}/pending-assets/").json == {"pending": []}


def test_a_running_three_view_is_marked(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project, label="Mira")["id"]
    act(owner, project, "generate-triview", {"portrait_asset_id": portrait}, status=202)
    [waiting] = owner.get(f"/api/projects/{project}/pending-assets/").json["pending"]
    assert (waiting["is_triview"], waiting["kind"], waiting["label"]) == (True, "person", "Mira")


def test_pending_are_only_the_projects_own(
    studio: Studio, registry: Registry, owner: Client, project: str
) -> None:
    generate(owner, add_project(registry, owner.team_id))
    assert owner.get(f"/api/projects/{project}/pending-assets/").json == {"pending": []}


# Estimates


@pytest.mark.parametrize(
    ("body", "capability"),
    [
        ({"task_type": "person_image"}, "image_generation"),
        ({"task_type": "scene_image"}, "image_generation"),
        ({"task_type": "product_image"}, "image_edit"),
        ({"task_type": "tri_view_image"}, "image_edit"),
    ],
)
def test_an_estimate_names_the_model_the_order_would_use(
    studio: Studio, owner: Client, body: dict[str, Any], capability: str
) -> None:
    told = owner.post_json("/api/ai/estimate/", body).json
    with studio.database() as session:
        model = session.get_one(ModelConfig, uuid.UUID(told["model"]))
    assert (model.name, told["estimated_cost"]) == (f"fake-{capability}", "0.30")


def test_an_estimate_with_a_reference_is_one_of_an_edit(studio: Studio, owner: Client, picture: str) -> None:
    body = {"task_type": "person_image", "kind": "person", "reference_asset_id": picture}
    told = owner.post_json("/api/ai/estimate/", body).json
    with studio.database() as session:
        assert session.get_one(ModelConfig, uuid.UUID(told["model"])).name == "fake-image_edit"


def test_an_estimate_refuses_an_unknown_reference(studio: Studio, owner: Client) -> None:
    body = {"task_type": "scene_image", "reference_asset_id": unknown_id()}
    assert list(owner.post_json("/api/ai/estimate/", body, status=400).json) == ["reference_asset_id"]
