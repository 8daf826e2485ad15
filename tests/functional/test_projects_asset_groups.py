"""Groups of base assets: attaching, adopting, deleting, and what the storyboard uses of them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.projects.base_assets.services import adopted_references, on_face_bearing
from contentsvc.projects.models import Project
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, unknown_id
from tests.functional.grouping import attach, attached, groups, ids, made, picture_studio, trash, turned
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_project, read_project
from tests.functional.queries import count_queries


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


# Attaching


def test_an_attached_asset_is_a_candidate_and_adopted(owner: Client, project: str, picture: str) -> None:
    [group] = attach(owner, project, asset_id=picture, kind="person", label="Mira")["base_asset_groups"]
    assert ids(group["candidate_assets"]) == [picture]
    assert group["adopted_asset"]["id"] == picture


def test_an_asset_is_attached_to_the_named_group(
    registry: Registry, owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, project, add_asset(registry, owner.team_id))
    [group] = attach(owner, project, asset_id=picture, group_id=group_id)["base_asset_groups"]
    assert len(group["candidate_assets"]) == 2
    assert group["adopted_asset"]["id"] == picture


def test_attaching_by_label_means_the_entitys_own_group(
    studio: Studio, owner: Client, project: str, picture: str
) -> None:
    portrait = made(studio, owner, project, label="Mira")["id"]
    turned(studio, owner, project, portrait)
    found = attach(owner, project, asset_id=picture, kind="person", label="Mira")["base_asset_groups"]
    assert [len(group["candidate_assets"]) for group in found] == [2, 1]


def test_attaching_twice_leaves_one_candidate(owner: Client, project: str, picture: str) -> None:
    attached(owner, project, picture)
    attached(owner, project, picture)
    [group] = groups(owner, project)
    assert ids(group["candidate_assets"]) == [picture]


@pytest.mark.parametrize("asset", ["x", unknown_id()])
def test_attaching_an_unknown_asset_is_not_found(owner: Client, project: str, asset: str) -> None:
    assert attach(owner, project, 404, asset_id=asset, kind="person")["code"] == "not_found"


@pytest.mark.parametrize("group_id", ["x", "", unknown_id()])
def test_attaching_to_an_unknown_group_is_not_found(
    owner: Client, project: str, picture: str, group_id: str
) -> None:
    assert attach(owner, project, 404, asset_id=picture, group_id=group_id)["code"] == "not_found"


def test_attaching_to_another_projects_group_is_not_found(
    registry: Registry, owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, add_project(registry, owner.team_id), picture)
    attach(owner, project, 404, asset_id=picture, group_id=group_id)


def test_another_teams_asset_is_not_found(
    registry: Registry, owner: Client, other: Client, project: str
) -> None:
    foreign = add_asset(registry, other.team_id)
    assert attach(owner, project, 404, asset_id=foreign, kind="person") == attach(
        owner, project, 404, asset_id=unknown_id(), kind="person"
    )


def test_an_asset_in_the_trash_is_not_found(
    database: Database, owner: Client, project: str, picture: str
) -> None:
    trash(database, picture)
    attach(owner, project, 404, asset_id=picture, kind="person")


def test_only_images_can_be_attached(registry: Registry, owner: Client, project: str) -> None:
    sound = add_asset(registry, owner.team_id, asset_type="audio")
    assert list(attach(owner, project, 400, asset_id=sound, kind="person")) == ["asset_id"]


def test_attaching_needs_a_group_or_a_kind(owner: Client, project: str, picture: str) -> None:
    assert list(attach(owner, project, 400, asset_id=picture)) == ["non_field_errors"]


# Adopting


def test_an_earlier_candidate_can_be_adopted(
    registry: Registry, owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, project, picture)
    attached(owner, project, add_asset(registry, owner.team_id))
    body = {"group_id": group_id, "asset_id": picture}
    [group] = act(owner, project, "adopt-base-asset", body).json["base_asset_groups"]
    assert group["adopted_asset"]["id"] == picture


@pytest.mark.parametrize("asset", ["x", unknown_id()])
def test_adopting_an_unknown_asset_is_not_found(
    owner: Client, project: str, picture: str, asset: str
) -> None:
    group_id = attached(owner, project, picture)
    act(owner, project, "adopt-base-asset", {"group_id": group_id, "asset_id": asset}, status=404)


def test_adopting_another_groups_candidate_is_not_found(
    registry: Registry, owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, project, picture)
    stranger = add_asset(registry, owner.team_id)
    attached(owner, project, stranger, label="Ben")
    act(owner, project, "adopt-base-asset", {"group_id": group_id, "asset_id": stranger}, status=404)


def test_adopting_a_candidate_in_the_trash_is_not_found(
    database: Database, owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, project, picture)
    trash(database, picture)
    act(owner, project, "adopt-base-asset", {"group_id": group_id, "asset_id": picture}, status=404)


def test_a_candidate_in_the_trash_stays_in_its_group(
    database: Database, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    trash(database, picture)
    [group] = groups(owner, project)
    assert ids(group["candidate_assets"]) == [picture]
    assert group["adopted_asset"]["id"] == picture


@pytest.mark.parametrize("state", ["unadopted", "adopted"])
def test_the_choice_of_a_group_is_kept_in_the_metadata(
    owner: Client, project: str, picture: str, state: str
) -> None:
    group_id = attached(owner, project, picture)
    body = {"group_id": group_id, "state": state}
    told = act(owner, project, "set-base-asset-adopt", body).json
    assert told["metadata"] == {"adopt": {group_id: state}}
    assert [group["state"] for group in told["base_asset_groups"]] == [state]


def test_a_choice_leaves_the_rest_of_the_metadata(registry: Registry, owner: Client, picture: str) -> None:
    project = add_project(registry, owner.team_id, meta={"tone": "warm", "adopt": {"gone": "adopted"}})
    group_id = attached(owner, project, picture)
    act(owner, project, "set-base-asset-adopt", {"group_id": group_id, "state": "unadopted"})
    assert read_project(owner, project)["metadata"] == {
        "tone": "warm",
        "adopt": {"gone": "adopted", group_id: "unadopted"},
    }


def test_a_choice_that_the_client_has_written_counts(owner: Client, project: str, picture: str) -> None:
    group_id = attached(owner, project, picture)
    owner.patch_json(f"/api/projects/{project}/", {"metadata": {"adopt": {group_id: "unadopted"}}})
    assert [group["state"] for group in groups(owner, project)] == ["unadopted"]


def test_an_unknown_choice_is_refused(owner: Client, project: str, picture: str) -> None:
    body = {"group_id": attached(owner, project, picture), "state": "maybe"}
    assert list(act(owner, project, "set-base-asset-adopt", body, status=400).json) == ["state"]


# Deleting


def test_a_deleted_group_leaves_its_assets(owner: Client, project: str, picture: str) -> None:
    group_id = attached(owner, project, picture)
    told = act(owner, project, "delete-base-asset", {"group_id": group_id}).json
    assert told["base_asset_groups"] == []
    assert owner.get(f"/api/assets/{picture}/").json["id"] == picture


def test_a_deleted_group_takes_its_three_views_along(studio: Studio, owner: Client, project: str) -> None:
    for label in ("Mira", "Ben"):
        turned(studio, owner, project, made(studio, owner, project, label=label)["id"])
    gone = groups(owner, project)[0]["group_id"]
    told = act(owner, project, "delete-base-asset", {"group_id": gone}).json
    assert [group["label"] for group in told["base_asset_groups"]] == ["Ben", "Ben"]


def test_a_deleted_three_view_leaves_its_portrait(studio: Studio, owner: Client, project: str) -> None:
    portrait = made(studio, owner, project)["id"]
    turned(studio, owner, project, portrait)
    own, three_view = groups(owner, project)
    told = act(owner, project, "delete-base-asset", {"group_id": three_view["group_id"]}).json
    assert [group["group_id"] for group in told["base_asset_groups"]] == [own["group_id"]]


def test_a_deleted_group_leaves_no_choice_behind(owner: Client, project: str, picture: str) -> None:
    group_id = attached(owner, project, picture)
    act(owner, project, "set-base-asset-adopt", {"group_id": group_id, "state": "unadopted"})
    told = act(owner, project, "delete-base-asset", {"group_id": group_id}).json
    assert told["metadata"] == {"adopt": {}}


def test_after_a_delete_the_entity_gets_a_new_group(owner: Client, project: str, picture: str) -> None:
    group_id = attached(owner, project, picture)
    act(owner, project, "delete-base-asset", {"group_id": group_id})
    assert attached(owner, project, picture) != group_id


# For every action


ACTIONS = {
    "adopt-base-asset": {"asset_id": unknown_id()},
    "set-base-asset-adopt": {"state": "adopted"},
    "delete-base-asset": {},
}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("group_id", ["x", unknown_id()])
def test_an_unknown_group_is_not_found(owner: Client, project: str, action: str, group_id: str) -> None:
    body = {**ACTIONS[action], "group_id": group_id}
    assert act(owner, project, action, body, status=404).json["code"] == "not_found"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_group_of_another_project_is_not_found(
    registry: Registry, owner: Client, project: str, picture: str, action: str
) -> None:
    group_id = attached(owner, add_project(registry, owner.team_id), picture)
    act(owner, project, action, {**ACTIONS[action], "group_id": group_id}, status=404)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_group_is_named_by_a_text(owner: Client, project: str, action: str) -> None:
    body = {**ACTIONS[action], "group_id": 5}
    assert list(act(owner, project, action, body, status=400).json) == ["group_id"]


ALL_ACTIONS = (*ACTIONS, "generate-base-asset", "generate-triview", "attach-base-asset")


@pytest.mark.parametrize("action", ALL_ACTIONS)
def test_another_teams_project_does_not_exist(other: Client, project: str, action: str) -> None:
    assert act(other, project, action, status=404).json["code"] == "not_found"


@pytest.mark.parametrize("action", ALL_ACTIONS)
def test_a_viewer_may_change_nothing(
    make_client: MakeClient, owner: Client, project: str, action: str
) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert act(viewer, project, action, status=403).json["code"] == "permission_denied"


def test_a_viewer_may_look_at_what_is_pending(make_client: MakeClient, owner: Client, project: str) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert viewer.get(f"/api/projects/{project}/pending-assets/").json == {"pending": []}


def test_another_teams_pending_assets_do_not_exist(other: Client, project: str) -> None:
    other.get(f"/api/projects/{project}/pending-assets/", status=404)


def test_groups_take_the_same_number_of_queries_however_many(
    registry: Registry, owner: Client, project: str, picture: str
) -> None:
    attached(owner, project, picture)
    with count_queries(registry) as few:
        read_project(owner, project)
    for number in range(4):
        attached(owner, project, add_asset(registry, owner.team_id), label=f"Guest {number}")
        attached(owner, project, add_asset(registry, owner.team_id), label="Mira")
    with count_queries(registry) as many:
        read_project(owner, project)
    assert len(many) == len(few)


# What the storyboard uses


@pytest.fixture
def references(database: Database, owner: Client, project: str) -> Callable[[], list[Any]]:
    """``(role, asset id, label, kind)`` of what the storyboard would be shown."""

    def told() -> list[Any]:
        with database(owner.team_id) as session:
            found = adopted_references(session, session.get_one(Project, uuid.UUID(project)))
            return [(p.role.value, str(p.asset.id), p.label, p.kind.value) for p in found]

    return told


def main_image(owner: Client, project: str) -> str:
    product = read_project(owner, project)["product"]
    return str(owner.get(f"/api/products/{product}/").json["cover_asset"])


def test_the_storyboard_always_has_the_product(
    references: Callable[[], list[Any]], owner: Client, project: str
) -> None:
    assert references() == [("product", main_image(owner, project), "", "product")]


def test_a_product_picture_takes_the_place_of_the_main_image(
    references: Callable[[], list[Any]], owner: Client, project: str, picture: str
) -> None:
    group_id = attached(owner, project, picture, "product", "")
    act(owner, project, "set-base-asset-adopt", {"group_id": group_id, "state": "unadopted"})
    assert references() == [("product", picture, "", "product")]


def test_the_storyboard_uses_adopted_characters_then_scenes(
    references: Callable[[], list[Any]], registry: Registry, owner: Client, project: str, picture: str
) -> None:
    roof, ben = (add_asset(registry, owner.team_id) for _ in range(2))
    attached(owner, project, roof, "scene", "Roof")
    attached(owner, project, picture, "person", "Mira")
    left_out = attached(owner, project, ben, "person", "Ben")
    act(owner, project, "set-base-asset-adopt", {"group_id": left_out, "state": "unadopted"})
    assert references()[1:] == [
        ("character", picture, "Mira", "person"),
        ("scene", roof, "Roof", "scene"),
    ]


def test_three_views_are_no_pictures_of_their_own(
    references: Callable[[], list[Any]], studio: Studio, owner: Client, project: str
) -> None:
    portrait = made(studio, owner, project, label="Mira")["id"]
    turned(studio, owner, project, portrait)
    assert references()[1:] == [("character", portrait, "Mira", "person")]


# Who is told of faces


def test_faces_are_announced_when_made_or_attached(
    studio: Studio, registry: Registry, owner: Client, project: str, picture: str
) -> None:
    seen: list[str] = []
    handlers = registry.setdefault("contentsvc.face_bearing_handlers", [])
    on_face_bearing(registry, lambda *told: seen.append(str(told[2].id)))
    try:
        portrait = made(studio, owner, project, label="Mira")["id"]
        view = turned(studio, owner, project, portrait)["id"]
        made(studio, owner, project, kind="scene")
        made(studio, owner, project, kind="product")
        attached(owner, project, picture)
    finally:
        handlers.pop()
    assert seen == [portrait, view, picture]
