"""Numbers of the library, what it can be filtered by, and names of metadata keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.conftest import Client, MakeClient
from tests.functional.grouping import trash
from tests.functional.library import add_asset
from tests.functional.projecting import add_product
from tests.functional.queries import count_queries

SUMMARY = "/api/assets/summary/"
FACETS = "/api/assets/facets/"
EMPTY = {"tryon": 0, "kits": 0, "creations": 0, "others": 0, "video_packs": 0}


@pytest.fixture
def add(registry: Any, owner: Client) -> Any:
    """``add(**fields)``: an asset of the owner's team; its id."""
    return lambda **fields: add_asset(registry, owner.team_id, **fields)


def made(category: str, **fields: Any) -> dict[str, Any]:
    return {"category": category, "source": "generated", **fields}


def test_an_empty_library_has_nothing_in_any_tab(owner: Client) -> None:
    assert owner.get(SUMMARY).json == EMPTY


def test_summary_counts_what_each_tab_shows(owner: Client, add: Any) -> None:
    for fields in (
        made("model_tryon"),
        made("platform_kit"),
        made("platform_kit"),
        made("free_create"),
        made("storyboard"),
        made(""),
        {"category": "free_create"},
        made("free_create", in_library=False),
    ):
        add(**fields)
    shown = {"tryon": 1, "kits": 2, "creations": 1, "others": 2}
    assert {tab: owner.get(f"/api/assets/?tab={tab}").json["count"] for tab in shown} == shown
    assert owner.get(SUMMARY).json == EMPTY | shown


def test_deleted_and_foreign_assets_count_nowhere(owner: Client, other: Client, add: Any) -> None:
    add(**made("free_create"))
    owner.delete(f"/api/assets/{add(**made('free_create'))}/")
    assert owner.get(SUMMARY).json == EMPTY | {"creations": 1}
    assert other.get(SUMMARY).json == EMPTY


def test_summary_takes_two_counts_for_all_tabs(owner: Client, registry: Any) -> None:
    with count_queries(registry) as asked:
        owner.get(SUMMARY)
    assert len([each for each in asked if "count(" in each]) == 2


def test_an_empty_library_has_no_facets(owner: Client) -> None:
    assert owner.get(FACETS).json == {"sources": [], "kinds": [], "metadata": {}, "products": []}


def test_facets_are_what_occurs_in_the_library(owner: Client, add: Any, registry: Any) -> None:
    product = add_product(registry, owner.team_id, title="Teapot")
    add(product_id=product)
    add(product_id=product, **made("free_create", asset_type="video"))
    add(asset_type="audio", source="generated", in_library=False)
    assert owner.get(FACETS).json == {
        "sources": ["generated", "uploaded"],
        "kinds": ["image", "video"],
        "metadata": {},
        "products": [{"id": product, "title": "Teapot"}],
    }


def test_facets_of_one_tab(owner: Client, add: Any) -> None:
    add(asset_type="audio")
    add(**made("free_create", meta={"mode": "image"}))
    facets = owner.get(f"{FACETS}?tab=creations&meta_keys=mode").json
    assert (facets["sources"], facets["kinds"], facets["metadata"]) == (
        ["generated"],
        ["image"],
        {"mode": ["image"]},
    )


def test_values_of_metadata_are_those_that_a_filter_takes(owner: Client, add: Any) -> None:
    for meta in ({"index": 2, "final": True}, {"index": 10}, {"index": "2"}, {"index": None}, {}):
        add(meta=meta)
    values = owner.get(f"{FACETS}?meta_keys=index,final,nothing").json["metadata"]
    assert values == {"index": ["10", "2"], "final": ["true"], "nothing": []}
    found = [owner.get(f"/api/assets/?m_index={value}").json["count"] for value in values["index"]]
    assert found == [1, 2]


def test_facets_leave_out_deleted_and_foreign_assets(
    owner: Client, other: Client, add: Any, database: Any
) -> None:
    trash(database, add(meta={"mode": "image"}))
    assert owner.get(f"{FACETS}?meta_keys=mode").json["metadata"] == {"mode": []}
    add(meta={"mode": "image"})
    assert other.get(f"{FACETS}?meta_keys=mode").json["metadata"] == {"mode": []}


def test_facets_of_many_assets_take_as_many_queries_as_those_of_one(
    owner: Client, add: Any, registry: Any
) -> None:
    add(product_id=add_product(registry, owner.team_id), meta={"mode": "a"})
    path = f"{FACETS}?meta_keys=mode"
    with count_queries(registry) as for_one:
        owner.get(path)
    for mode in "bcde":
        add(product_id=add_product(registry, owner.team_id), meta={"mode": mode})
    with count_queries(registry) as for_many:
        assert len(owner.get(path).json["products"]) == 5
    assert len(for_many) == len(for_one)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("tab=video_packs", "tab"),
        ("meta_keys=a b", "meta_keys"),
        ("meta_keys=" + "x" * 65, "meta_keys"),
        ("meta_keys=" + ",".join(f"k{n}" for n in range(21)), "meta_keys"),
    ],
)
def test_facets_of_what_there_can_not_be_are_refused(owner: Client, query: str, field: str) -> None:
    assert list(owner.get(f"{FACETS}?{query}", status=400).json) == [field]


@pytest.mark.parametrize("key", ["", "a b", "a'b", "ключ", "x" * 65])
def test_a_filter_by_what_is_no_key_is_refused(owner: Client, key: str) -> None:
    assert list(owner.get("/api/assets/", {f"m_{key}": "1"}, status=400).json) == [f"m_{key}"]


def test_a_viewer_may_read_numbers_and_facets(owner: Client, make_client: MakeClient) -> None:
    viewer = make_client("viewer", owner.team_id)
    viewer.get(SUMMARY, status=200)
    viewer.get(FACETS, status=200)


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ("true", "true"),
        (True, "true"),
        (3, "3"),
        (-1.5, "-1.5"),
        (12345678901234567890123, "12345678901234567890123"),
        ("007", "007"),
        ("1e5", "1e5"),
        ({"a": 1}, '{"a": 1}'),
        ([1, 2], "[1, 2]"),
        ("'); --", "'); --"),
    ],
)
def test_a_value_is_found_by_its_text(owner: Client, add: Any, stored: Any, value: str) -> None:
    wanted = add(meta={"key": stored})
    for other in ({"key": "x"}, {"key": None}, {}, {"other": stored}):
        add(meta=other)
    found = owner.get("/api/assets/", {"m_key": value}).json["results"]
    assert [asset["id"] for asset in found] == [wanted]


@pytest.mark.parametrize("query", ["q=cup", "m_mode=image"])
def test_a_page_past_the_end_of_a_search_tells_how_many_there_are(
    owner: Client, add: Any, query: str
) -> None:
    for name in ("a cup", "b cup", "c cup"):
        add(name=name, meta={"mode": "image"})
    page = owner.get(f"/api/assets/?{query}&page=9&page_size=2").json
    assert (page["count"], page["results"]) == (3, [])
    second = owner.get(f"/api/assets/?{query}&page=2&page_size=2&ordering=name").json
    assert [asset["name"] for asset in second["results"]] == ["c cup"]
