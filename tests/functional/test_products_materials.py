"""All that shows a product, in one reply."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from contentsvc.projects.models import BaseAssetGroup
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import add_clips
from tests.functional.grouping import attach, attached, groups, ids
from tests.functional.library import add_asset, add_assets
from tests.functional.projecting import add_product, add_project, add_script, add_storyboard
from tests.functional.queries import count_queries

EMPTY = {"characters": [], "finished_images": [], "projects": []}


@pytest.fixture
def product(registry: Any, owner: Client) -> str:
    return add_product(registry, owner.team_id)


@pytest.fixture
def add(registry: Any, owner: Client) -> Any:
    """``add(**fields)``: an asset of the owner's team; its id."""
    return lambda **fields: add_asset(registry, owner.team_id, **fields)


@pytest.fixture
def begin(registry: Any, owner: Client, product: str) -> Any:
    """``begin(**fields)``: a project of the product; its id."""
    return lambda **fields: add_project(registry, owner.team_id, product_id=product, **fields)


def read(client: Client, product: str, status: int = 200) -> Any:
    return client.get(f"/api/products/{product}/materials/", status=status).json


def test_a_new_product_has_its_images_and_nothing_else(owner: Client, product: str) -> None:
    cover = owner.get(f"/api/products/{product}/").json["cover_asset"]
    materials = read(owner, product)
    assert materials == {**EMPTY, "product_images": [owner.get(f"/api/assets/{cover}/").json]}


def test_product_images_come_in_their_order_before_generated_ones(
    registry: Any, owner: Client, add: Any
) -> None:
    first, second = add_assets(registry, owner.team_id, 2)
    product = owner.post_json("/api/products/", {"images": [second, first]}).json["id"]
    made = add(category="product", source="generated", product_id=product)
    view = add(category="tri_view", source="generated", product_id=product, meta={"view": "three_view"})
    add(category="scene", source="generated", product_id=product)
    assert ids(read(owner, product)["product_images"]) == [second, first, view, made]


def test_finished_images_have_labels(owner: Client, product: str, add: Any) -> None:
    made = {"source": "generated", "product_id": product}
    wanted = {
        add(category="model_tryon", **made): "tryon",
        add(category="platform_kit", **made): "kit",
        add(category="free_create", **made): "creation",
    }
    add(category="free_create", source="uploaded", product_id=product)
    add(category="free_create", source="generated")
    finished = read(owner, product)["finished_images"]
    assert [(each["id"], each["label"]) for each in finished] == list(wanted.items())[::-1]
    newest = owner.get(f"/api/assets/{finished[0]['id']}/").json
    assert finished[0] == {**newest, "label": "creation"}


def test_a_character_has_its_three_view_and_its_projects(
    owner: Client, product: str, add: Any, begin: Any
) -> None:
    portrait = add(category="person", product_id=product)
    add(category="tri_view", meta={"triview_of": portrait})
    newest = add(category="tri_view", meta={"triview_of": portrait})
    for project in (begin(), begin()):
        attached(owner, project, portrait)
    [character] = read(owner, product)["characters"]
    assert (character["portrait"]["id"], character["tri_view"]["id"]) == (portrait, newest)
    assert character["project_count"] == 2


def test_the_three_view_that_a_project_uses_comes_before_newer_ones(
    owner: Client, product: str, add: Any, begin: Any, registry: Any, database: Any
) -> None:
    project, portrait, used = begin(), add(category="person"), add(category="tri_view")
    attached(owner, project, portrait)
    view_group(database, owner, project, portrait, used)
    add(category="tri_view", meta={"triview_of": portrait})
    [character] = read(owner, product)["characters"]
    assert character["tri_view"]["id"] == used


def test_a_portrait_that_no_project_uses_is_a_character(owner: Client, product: str, add: Any) -> None:
    portrait = add(category="person", product_id=product)
    [character] = read(owner, product)["characters"]
    assert (character["portrait"]["id"], character["tri_view"], character["project_count"]) == (
        portrait,
        None,
        0,
    )


def test_each_project_has_its_pack(registry: Any, owner: Client, product: str, add: Any, begin: Any) -> None:
    begin(name="Empty")
    project = begin(name="Morning")
    script = add_script(registry, owner.team_id, project, adopted=True)
    scenes = [add(), add()]
    group = attached(owner, project, scenes[0], kind="scene", label="Kitchen")
    attach(owner, project, asset_id=scenes[1], group_id=group)
    pictures = add_storyboard(registry, owner, project)
    add_clips(registry, owner.team_id, project, script["segment_ids"])
    newest, oldest = read(owner, product)["projects"]
    assert oldest == {**oldest, "name": "Empty", "scenes": [], "storyboards": [], "videos": []}
    assert (newest["id"], newest["name"], ids(newest["scenes"])) == (project, "Morning", scenes)
    assert ids(newest["storyboards"]) == [picture for [picture] in pictures]
    assert [clip["asset_type"] for clip in newest["videos"]] == ["video"] * 3


def test_deleted_assets_and_projects_are_left_out(
    registry: Any, owner: Client, product: str, add: Any, begin: Any
) -> None:
    project = begin()
    attached(owner, project, add(), kind="scene", label="Kitchen")
    attached(owner, project, add(category="person", product_id=product))
    add(category="free_create", source="generated", product_id=product)
    cover = owner.get(f"/api/products/{product}/").json["cover_asset"]
    for group in groups(owner, project):
        owner.delete(f"/api/assets/{group['adopted_asset']['id']}/")
    for asset in (cover, *ids(read(owner, product)["finished_images"])):
        owner.delete(f"/api/assets/{asset}/")
    materials = read(owner, product)
    assert materials["projects"][0]["scenes"] == []
    assert materials == {**EMPTY, "product_images": [], "projects": materials["projects"]}
    owner.delete(f"/api/projects/{project}/")
    assert read(owner, product)["projects"] == []


def test_other_products_have_their_own(
    owner: Client, product: str, add: Any, begin: Any, registry: Any
) -> None:
    another = add_product(registry, owner.team_id)
    attached(owner, begin(), add(category="person", product_id=product))
    add(category="free_create", source="generated", product_id=product)
    assert {**read(owner, another), "product_images": None} == {**EMPTY, "product_images": None}


def test_an_archived_product_has_no_materials(owner: Client, product: str) -> None:
    owner.delete(f"/api/products/{product}/")
    assert read(owner, product, status=404)["code"] == "not_found"


def test_a_viewer_may_read_materials(owner: Client, product: str, make_client: MakeClient) -> None:
    assert len(read(make_client("viewer", owner.team_id), product)["product_images"]) == 1


def test_many_materials_take_as_many_queries_as_few(
    registry: Any, owner: Client, product: str, add: Any, begin: Any
) -> None:
    def make() -> None:
        project = begin()
        script = add_script(registry, owner.team_id, project, adopted=True)
        attached(owner, project, add(category="person", product_id=product))
        attached(owner, project, add(), kind="scene", label="Kitchen")
        add_storyboard(registry, owner, project)
        add_clips(registry, owner.team_id, project, script["segment_ids"])
        add(category="free_create", source="generated", product_id=product)

    make()
    with count_queries(registry) as for_one:
        read(owner, product)
    make()
    make()
    with count_queries(registry) as for_three:
        assert len(read(owner, product)["projects"]) == 3
    assert len(for_three) == len(for_one)


def view_group(database: Any, owner: Client, project: str, portrait: str, view: str) -> None:
    """The group of a portrait's three-views, which uses this one."""
    with database() as session:
        session.add(
            BaseAssetGroup(
                team_id=owner.team_id,
                project_id=uuid.UUID(project),
                kind="person",
                label="Mira",
                triview_of=uuid.UUID(portrait),
                adopted_asset_id=uuid.UUID(view),
            )
        )
