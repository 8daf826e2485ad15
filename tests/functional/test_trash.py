"""The whole trash: products and assets in one list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.conftest import Client, MakeClient
from tests.functional.library import add_asset
from tests.functional.projecting import add_product
from tests.functional.queries import count_queries

TRASH = "/api/trash/"


def throw_asset(registry: Any, client: Client, **fields: Any) -> str:
    asset = add_asset(registry, client.team_id, **fields)
    client.delete(f"/api/assets/{asset}/")
    return asset


def throw_product(registry: Any, client: Client, **fields: Any) -> str:
    product = add_product(registry, client.team_id, **fields)
    client.delete(f"/api/products/{product}/")
    return product


def titles(client: Client, query: str = "") -> list[str]:
    return [row["title"] for row in client.get(f"{TRASH}{query}").json["results"]]


def test_the_last_deleted_comes_first(registry: Any, owner: Client) -> None:
    throw_asset(registry, owner, name="a")
    early = add_asset(registry, owner.team_id, name="d")
    throw_product(registry, owner, title="b")
    throw_asset(registry, owner, name="c")
    owner.delete(f"/api/assets/{early}/")
    assert titles(owner) == ["d", "c", "b", "a"]


def test_rows_tell_what_they_are(registry: Any, owner: Client) -> None:
    asset = add_asset(registry, owner.team_id, name="Cup")
    preview = owner.get(f"/api/assets/{asset}/").json["preview_url"]
    owner.delete(f"/api/assets/{asset}/")
    product = add_product(registry, owner.team_id, title="Teapot")
    cover = owner.get(f"/api/products/{product}/").json["cover_url"]
    owner.delete(f"/api/products/{product}/")
    rows = owner.get(TRASH).json["results"]
    assert [{key: value for key, value in row.items() if key != "deleted_at"} for row in rows] == [
        {"kind": "product", "id": product, "title": "Teapot", "preview_url": cover},
        {"kind": "asset", "id": asset, "title": "Cup", "preview_url": preview},
    ]
    assert rows[0]["deleted_at"] > rows[1]["deleted_at"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [("?kind=product", ["b"]), ("?kind=asset", ["a"]), ("?kind=", ["b", "a"])],
)
def test_one_kind_alone(registry: Any, owner: Client, query: str, expected: list[str]) -> None:
    throw_asset(registry, owner, name="a")
    throw_product(registry, owner, title="b")
    assert titles(owner, query) == expected


def test_pages_follow_each_other(registry: Any, owner: Client) -> None:
    for name in "ab":
        throw_asset(registry, owner, name=name)
        throw_product(registry, owner, title=name.upper())
    reply = owner.get(f"{TRASH}?page_size=3").json
    assert (reply["count"], len(reply["results"])) == (4, 3)
    assert titles(owner, "?page_size=3&page=2") == ["a"]


@pytest.mark.parametrize("page", [9, 10**9, 10**60])
def test_a_page_past_the_end_is_empty(registry: Any, owner: Client, page: int) -> None:
    throw_asset(registry, owner)
    for path in (TRASH, "/api/assets/trash/", "/api/products/trash/", "/api/assets/", "/api/assets/?q=cup"):
        assert owner.get(path, {"page": page}).json["results"] == []


def test_what_comes_back_leaves_the_trash(registry: Any, owner: Client) -> None:
    asset, product = throw_asset(registry, owner), throw_product(registry, owner)
    owner.post(f"/api/assets/{asset}/restore/")
    owner.post(f"/api/products/{product}/restore/")
    assert titles(owner) == []


def test_another_teams_trash_is_not_shown(registry: Any, owner: Client, other: Client) -> None:
    throw_asset(registry, other)
    throw_product(registry, other)
    assert owner.get(TRASH).json["count"] == 0


@pytest.mark.parametrize(("query", "field"), [("kind=project", "kind"), ("page=0", "page")])
def test_a_query_that_means_nothing_is_400(owner: Client, query: str, field: str) -> None:
    assert list(owner.get(f"{TRASH}?{query}", status=400).json) == [field]


def test_a_viewer_may_look(registry: Any, owner: Client, make_client: MakeClient) -> None:
    throw_asset(registry, owner, name="a")
    assert titles(make_client("viewer", owner.team_id)) == ["a"]


def test_many_rows_take_as_many_queries_as_two(registry: Any, owner: Client) -> None:
    def throw() -> None:
        throw_asset(registry, owner)
        throw_product(registry, owner)

    throw()
    with count_queries(registry) as for_two:
        owner.get(TRASH)
    throw()
    throw()
    with count_queries(registry) as for_six:
        assert owner.get(TRASH).json["count"] == 6
    assert len(for_six) == len(for_two)
