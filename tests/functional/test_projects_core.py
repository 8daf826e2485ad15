"""Projects themselves: made, listed, shown, changed, deleted."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from contentsvc.projects.models import Project
from tests.functional.generating import unknown_id
from tests.functional.library import add_asset
from tests.functional.projecting import add_product, add_project, add_script, read_project
from tests.functional.queries import count_queries

ENTITY = {"id": "e1", "type": "character", "name": "Mia", "visual_prompt": "a nurse", "ref_index": 0}


@pytest.fixture
def product(registry: Any, owner: Any) -> str:
    return add_product(registry, owner.team_id, title="Espresso cup")


@pytest.fixture
def project(registry: Any, owner: Any, product: str) -> str:
    return add_project(registry, owner.team_id, product_id=product)


def create(client: Any, product: str, expected: int = 201, /, **body: Any) -> Any:
    return client.post_json(
        "/api/projects/", {"name": "Film", "product": product, **body}, status=expected
    ).json


def listed(client: Any, query: str = "") -> list[str]:
    return [row["name"] for row in client.get(f"/api/projects/{query}").json["results"]]


def test_a_new_project_is_an_empty_draft(owner: Any, product: str) -> None:
    made = create(owner, product, metadata={"tone": "warm"})

    assert made.pop("id")
    assert made.pop("created_at") == made.pop("updated_at")
    assert made == {
        "name": "Film",
        "product": product,
        "stage": "script",
        "status": "draft",
        "metadata": {"tone": "warm"},
        "current_script": None,
        "script_versions": [],
        "base_asset_groups": [],
        "storyboard": None,
        "video_segments": [],
        "timeline": None,
        "voiceover": None,
        "bgm": None,
        "export": None,
        "created_by": str(owner.user_id),
    }


def test_what_was_created_is_what_is_read(owner: Any, product: str) -> None:
    made = create(owner, product)

    assert read_project(owner, made["id"]) == made


def test_metadata_is_empty_unless_sent(owner: Any, product: str) -> None:
    assert create(owner, product)["metadata"] == {}


def test_a_client_can_not_set_what_it_may_only_read(owner: Any, product: str) -> None:
    made = create(owner, product, stage="export", status="completed", created_by=unknown_id())

    assert (made["stage"], made["status"], made["created_by"]) == ("script", "draft", str(owner.user_id))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": 5}, "name"),
        ({"name": None}, "name"),
        ({"product": "no id"}, "product"),
        ({"product": None}, "product"),
        ({"metadata": []}, "metadata"),
        ({"metadata": None}, "metadata"),
    ],
)
def test_a_field_that_does_not_fit_is_named(owner: Any, product: str, body: Any, field: str) -> None:
    assert list(create(owner, product, 400, **body)) == [field]


def test_name_and_product_are_needed(owner: Any) -> None:
    assert set(owner.post_json("/api/projects/", {}, status=400).json) == {"name", "product"}


def test_an_archived_product_gets_no_new_project(owner: Any, product: str) -> None:
    owner.delete(f"/api/products/{product}/")

    assert list(create(owner, product, 400)) == ["product"]


def test_another_teams_product_is_refused_as_an_unknown_one(registry: Any, owner: Any, other: Any) -> None:
    foreign = create(owner, add_product(registry, other.team_id), 400)

    assert foreign == create(owner, unknown_id(), 400)
    assert list(foreign) == ["product"]


@pytest.mark.parametrize(
    "known",
    [
        {"script_entities": []},
        {"script_entities": [ENTITY, {**ENTITY, "id": "e2", "type": "scene", "mood": "calm"}]},
        {"script_entities": [{"id": "e1", "type": "scene", "name": "Kitchen"}]},
        {"script_entities": [{**ENTITY, "ref_index": None}]},
        {"adopt": {"0190-group": "adopted", "other": "unadopted"}},
        {"cast": ["Mia", 1, None], "scenes": [{"a": [2.5]}]},
        {"cast_prompts": {"Mia": "a nurse"}, "scene_prompts": {}},
        {"anything": [True, None, "ü😀", {"deep": {"er": 1e10}}]},
    ],
)
def test_metadata_comes_back_as_it_was_sent(owner: Any, project: str, known: Any) -> None:
    owner.patch_json(f"/api/projects/{project}/", {"metadata": known})

    assert read_project(owner, project)["metadata"] == known


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("script_entities", {}),
        ("script_entities", ["Mia"]),
        ("script_entities", [{**ENTITY, "type": "person"}]),
        ("script_entities", [{**ENTITY, "id": 5}]),
        ("script_entities", [{**ENTITY, "ref_index": "0"}]),
        ("script_entities", [{"id": "e1", "type": "scene"}]),
        ("script_entities", None),
        ("adopt", []),
        ("adopt", {"group": "maybe"}),
        ("adopt", {"group": True}),
        ("cast", {}),
        ("scenes", "kitchen"),
        ("cast_prompts", []),
        ("scene_prompts", "bright"),
    ],
)
def test_a_known_key_of_a_wrong_shape_is_named(owner: Any, project: str, key: str, value: Any) -> None:
    reply = owner.patch_json(f"/api/projects/{project}/", {"metadata": {"x": 1, key: value}}, status=400)

    assert list(reply.json) == [f"metadata.{key}"]
    assert read_project(owner, project)["metadata"] == {}


def test_a_known_key_of_a_wrong_shape_is_named_at_creation_too(owner: Any, product: str) -> None:
    assert list(create(owner, product, 400, metadata={"cast": 1, "adopt": 2})) == [
        "metadata.adopt",
        "metadata.cast",
    ]


def test_metadata_may_fill_256_kib(owner: Any, project: str) -> None:
    full = {"k": "ä" * (128 * 1024 - 4)}

    owner.patch_json(f"/api/projects/{project}/", {"metadata": full})

    assert read_project(owner, project)["metadata"] == full


def test_larger_metadata_is_refused(owner: Any, project: str) -> None:
    reply = owner.patch_json(f"/api/projects/{project}/", {"metadata": {"k": "ä" * (128 * 1024)}}, status=400)

    assert list(reply.json) == ["metadata"]


def test_metadata_is_replaced_whole(owner: Any, product: str) -> None:
    made = create(owner, product, metadata={"a": 1, "b": {"c": 2}})

    changed = owner.patch_json(f"/api/projects/{made['id']}/", {"metadata": {"b": {"d": 3}}}).json

    assert changed["metadata"] == {"b": {"d": 3}}


def test_fields_left_out_stay(owner: Any, product: str) -> None:
    made = create(owner, product, metadata={"a": 1})

    changed = owner.patch_json(f"/api/projects/{made['id']}/", {"name": " Spring "}).json

    assert (changed["name"], changed["metadata"], changed["product"]) == ("Spring", {"a": 1}, product)


def test_a_change_moves_updated_at_alone(owner: Any, product: str) -> None:
    made = create(owner, product)

    changed = owner.patch_json(f"/api/projects/{made['id']}/", {"name": "Spring"}).json

    assert changed["updated_at"] > made["updated_at"]
    assert changed["created_at"] == made["created_at"]


def test_a_projects_product_stays_what_it_was(registry: Any, owner: Any, project: str, product: str) -> None:
    another = add_product(registry, owner.team_id)

    assert owner.patch_json(f"/api/projects/{project}/", {"product": another}).json["product"] == product


def test_a_refused_change_changes_nothing(owner: Any, project: str) -> None:
    owner.patch_json(f"/api/projects/{project}/", {"name": "New", "metadata": {"cast": 1}}, status=400)

    assert read_project(owner, project)["name"] == "Film"


def test_an_empty_patch_answers_the_project(owner: Any, project: str) -> None:
    before = read_project(owner, project)

    assert owner.patch_json(f"/api/projects/{project}/", {}).json == before


def test_a_deleted_project_is_gone(owner: Any, project: str) -> None:
    assert owner.delete(f"/api/projects/{project}/", status=204).body == b""

    owner.get(f"/api/projects/{project}/", status=404)
    owner.patch_json(f"/api/projects/{project}/", {"name": "x"}, status=404)
    owner.delete(f"/api/projects/{project}/", status=404)
    assert listed(owner) == []


def test_deleting_a_project_keeps_its_assets(registry: Any, owner: Any, project: str) -> None:
    asset = add_asset(registry, owner.team_id, project_id=uuid.UUID(project))

    owner.delete(f"/api/projects/{project}/")

    assert owner.get(f"/api/assets/{asset}/").json["project"] == project


def test_rows_of_the_list(owner: Any, product: str) -> None:
    made = create(owner, product)

    (row,) = owner.get("/api/projects/").json["results"]

    cover = owner.get(f"/api/products/{product}/").json["cover_url"]
    assert row == {
        "id": made["id"],
        "name": "Film",
        "product": product,
        "product_title": "Espresso cup",
        "cover_url": cover,
        "stage": "script",
        "status": "draft",
        "created_at": made["created_at"],
        "updated_at": made["updated_at"],
    }


def test_an_archived_product_still_names_its_projects(owner: Any, project: str, product: str) -> None:
    owner.delete(f"/api/products/{product}/")

    (row,) = owner.get("/api/projects/").json["results"]

    assert (row["product"], row["product_title"]) == (product, "Espresso cup")


def test_a_purged_product_leaves_its_projects_without_one(owner: Any, project: str, product: str) -> None:
    owner.delete(f"/api/products/{product}/")
    owner.delete(f"/api/products/{product}/purge/")

    (row,) = owner.get("/api/projects/").json["results"]

    assert (row["product"], row["product_title"], row["cover_url"]) == (None, None, None)
    assert read_project(owner, project)["product"] is None


def test_the_newest_come_first_a_page_at_a_time(owner: Any, product: str) -> None:
    for name in "ABC":
        create(owner, product, name=name)

    assert listed(owner, "?page_size=2") == ["C", "B"]
    assert listed(owner, "?page_size=2&page=2") == ["A"]
    assert owner.get("/api/projects/?page_size=2").json["count"] == 3


def test_another_teams_projects_are_not_listed(other: Any, project: str) -> None:
    assert listed(other) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?q=SPRI", ["Spring"]),
        ("?q=%25", []),
        ("?stage=video", ["Autumn"]),
        ("?status=draft", ["Spring"]),
        ("?status=completed&stage=video", ["Autumn"]),
        ("?status=completed&stage=script", []),
        ("?stage=&status=&product=", ["Autumn", "Spring"]),
    ],
)
def test_filters(registry: Any, owner: Any, query: str, expected: list[str]) -> None:
    add_project(registry, owner.team_id, name="Spring")
    add_project(registry, owner.team_id, name="Autumn", stage="video", status="completed")

    assert listed(owner, query) == expected


def test_filter_by_product(registry: Any, owner: Any, project: str, product: str) -> None:
    add_project(registry, owner.team_id, name="Another")

    assert listed(owner, f"?product={product}") == ["Film"]


@pytest.mark.parametrize("query", ["stage=final", "status=done", "product=x", "page=0", "page_size=x"])
def test_a_filter_that_makes_no_sense_is_named(owner: Any, query: str) -> None:
    assert list(owner.get(f"/api/projects/?{query}", status=400).json) == [query.partition("=")[0]]


@pytest.mark.parametrize("role", ["viewer", "member", "admin", "owner"])
def test_everybody_reads(make_client: Any, owner: Any, project: str, role: str) -> None:
    client = make_client(role=role, team_id=owner.team_id)

    assert listed(client) == ["Film"]
    assert read_project(client, project)["id"] == project


def test_a_viewer_changes_nothing(make_client: Any, owner: Any, project: str, product: str) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)

    create(viewer, product, 403)
    viewer.patch_json(f"/api/projects/{project}/", {"name": "x"}, status=403)
    viewer.delete(f"/api/projects/{project}/", status=403)


def test_a_member_makes_and_deletes_projects(make_client: Any, owner: Any, product: str) -> None:
    member = make_client(role="member", team_id=owner.team_id)

    made = create(member, product)

    member.delete(f"/api/projects/{made['id']}/", status=204)


@pytest.mark.parametrize("identifier", ["no-id", "0190"])
def test_a_malformed_id_is_an_unknown_one(owner: Any, identifier: str) -> None:
    assert owner.get(f"/api/projects/{identifier}/", status=404).json["code"] == "not_found"


def test_another_teams_project_does_not_exist(other: Any, project: str) -> None:
    other.get(f"/api/projects/{project}/", status=404)
    other.patch_json(f"/api/projects/{project}/", {"name": 5}, status=404)
    other.delete(f"/api/projects/{project}/", status=404)


def test_a_key_makes_one_project_of_two_calls(owner: Any, product: str) -> None:
    body = {"name": "Film", "product": product}
    replies = [
        owner.post_json("/api/projects/", body, headers={"Idempotency-Key": "once"}).json["id"]
        for _ in range(2)
    ]

    assert replies[0] == replies[1]
    assert len(listed(owner)) == 1


def test_the_list_costs_the_same_however_long(registry: Any, owner: Any) -> None:
    add_project(registry, owner.team_id)
    with count_queries(registry) as few:
        owner.get("/api/projects/")
    for _ in range(4):
        add_project(registry, owner.team_id)
    with count_queries(registry) as many:
        owner.get("/api/projects/")

    assert len(many) == len(few)


def test_a_project_costs_the_same_however_many_scripts(registry: Any, owner: Any, project: str) -> None:
    add_script(registry, owner.team_id, project)
    with count_queries(registry) as few:
        read_project(owner, project)
    for _ in range(4):
        add_script(registry, owner.team_id, project)
    with count_queries(registry) as many:
        read_project(owner, project)

    assert len(many) == len(few)


def test_the_rows_of_a_deleted_project_stay(database: Any, owner: Any, project: str) -> None:
    owner.delete(f"/api/projects/{project}/")

    with database() as session:
        assert session.get(Project, uuid.UUID(project)).deleted_at is not None
