"""Three-views of a project's characters and of its product."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyramid.registry import Registry

from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, read, unknown_id
from tests.functional.grouping import attached, groups, ids, made, picture_studio, trash, turned
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


def test_a_three_view_has_a_group_of_its_own(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project, label="Mira")
    view = turned(studio, owner, project, portrait["id"])
    own, three_view = groups(owner, project)
    assert ids(own["candidate_assets"]) == [portrait["id"]]
    assert ids(three_view["candidate_assets"]) == [view["id"]]
    assert (three_view["kind"], three_view["label"]) == ("person", "Mira")
    assert three_view["metadata"] == {"label": "Mira", "triview_of": portrait["id"]}


def test_a_characters_three_view_names_its_portrait(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project)
    view = turned(studio, owner, project, portrait["id"])
    assert (view["category"], view["project"]) == ("tri_view", project)
    assert view["metadata"]["triview_of"] == portrait["id"]
    assert "view" not in view["metadata"]


def test_a_products_three_view_says_so(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project, kind="product")
    view = turned(studio, owner, project, portrait["id"])
    assert view["metadata"]["view"] == "three_view"


@pytest.mark.parametrize(
    ("kind", "words", "role"),
    [("person", "The same person three times", "character"), ("product", "Cup three times", "product")],
)
def test_a_three_view_is_edited_from_the_portrait(
    studio: Studio, owner: Client, project: str, kind: str, words: str, role: str
) -> None:
    portrait = made(studio, owner, project, kind=kind, prompt="with a red scarf")
    task_type = read(
        owner,
        act(owner, project, "generate-triview", {"portrait_asset_id": portrait["id"]}, status=202).json[
            "task"
        ]["id"],
    )["task_type"]
    studio.work()
    asked = studio.provider.orders[-1]
    assert task_type == "tri_view_image"
    assert words in asked["prompt"]
    assert "with a red scarf" in asked["prompt"]
    assert (asked["references"], asked["ratio"], asked["model"]) == ([role], "16:9", "fake-image_edit")


def test_a_three_view_of_an_attached_portrait_uses_what_is_known_of_the_entity(
    studio: Studio, registry: Registry, owner: Client, picture: str
) -> None:
    entity = {"id": "e1", "type": "character", "name": "Mira", "visual_prompt": "freckles"}
    project = add_project(registry, owner.team_id, meta={"script_entities": [entity]})
    attached(owner, project, picture)
    turned(studio, owner, project, picture)
    assert "freckles" in studio.provider.orders[-1]["prompt"]


def test_another_three_view_joins_the_first(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project)["id"]
    views = [turned(studio, owner, project, portrait)["id"] for _ in range(2)]
    _, three_view = groups(owner, project)
    assert ids(three_view["candidate_assets"]) == views
    assert three_view["adopted_asset"]["id"] == views[1]


def test_a_three_view_whose_portrait_was_taken_away_stays_a_plain_asset(
    studio: Studio, owner: Client, project: str
) -> None:
    portrait = made(studio, owner, project)["id"]
    act(owner, project, "generate-triview", {"portrait_asset_id": portrait}, status=202)
    [group] = groups(owner, project)
    act(owner, project, "delete-base-asset", {"group_id": group["group_id"]})
    studio.work()
    assert groups(owner, project) == []


@pytest.mark.parametrize("portrait", ["x", "", unknown_id()])
def test_an_unknown_portrait_is_not_found(studio: Studio, owner: Client, project: str, portrait: str) -> None:
    reply = act(owner, project, "generate-triview", {"portrait_asset_id": portrait}, status=404)
    assert reply.json["code"] == "not_found"


def test_only_a_candidate_of_a_character_or_the_product_has_three_views(
    studio: Studio, registry: Registry, owner: Client, project: str, picture: str
) -> None:
    act(owner, project, "generate-triview", {"portrait_asset_id": picture}, status=404)
    attached(owner, project, picture, "scene", "Roof")
    act(owner, project, "generate-triview", {"portrait_asset_id": picture}, status=404)


def test_a_three_view_has_no_three_view(studio: Studio, owner: Client, project: str) -> None:
    view = turned(studio, owner, project, made(studio, owner, project)["id"])
    act(owner, project, "generate-triview", {"portrait_asset_id": view["id"]}, status=404)


def test_a_portrait_of_another_project_is_not_found(
    studio: Studio, registry: Registry, owner: Client, project: str, picture: str
) -> None:
    attached(owner, add_project(registry, owner.team_id), picture)
    act(owner, project, "generate-triview", {"portrait_asset_id": picture}, status=404)


def test_a_portrait_in_the_trash_is_not_found(
    database: Database, studio: Studio, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    trash(database, picture)
    act(owner, project, "generate-triview", {"portrait_asset_id": picture}, status=404)


def test_a_three_view_needs_a_portrait(studio: Studio, owner: Client, project: str) -> None:
    reply = act(owner, project, "generate-triview", {}, status=400)
    assert list(reply.json) == ["portrait_asset_id"]
