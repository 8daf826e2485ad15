"""The trash: archived products, their return, their end."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from contentsvc.assets.models import Asset
from contentsvc.products.models import Product, ProductImage, SellingPoint
from tests.functional.library import add_asset
from tests.functional.queries import count_queries

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def product(registry: Any, owner: Any) -> Any:
    body = {
        "title": "Cup",
        "cover_asset": add_asset(registry, owner.team_id),
        "selling_points": [{"title": "Light"}],
    }
    return owner.post_json("/api/products/", body, status=201).json


@pytest.fixture
def path(product: Any) -> str:
    return f"/api/products/{product['id']}/"


@pytest.fixture
def archived(owner: Any, product: Any, path: str) -> Any:
    owner.delete(path, status=204)
    return product


def test_delete_answers_nothing(owner: Any, path: str) -> None:
    assert owner.delete(path, status=204).body == b""


def test_an_archived_product_is_hidden(owner: Any, archived: Any, path: str) -> None:
    owner.get(path, status=404)
    owner.patch_json(path, {"title": "x"}, status=404)
    owner.delete(path, status=404)


def test_trash_lists_archived_products(owner: Any, archived: Any) -> None:
    reply = owner.get("/api/products/trash/").json

    assert reply["count"] == 1
    row = reply["results"][0]
    assert (row["id"], row["status"], row["images"]) == (archived["id"], "archived", archived["images"])


def test_trash_does_not_list_active_or_foreign_products(other: Any, owner: Any, product: Any) -> None:
    assert owner.get("/api/products/trash/").json["results"] == []
    owner.delete(f"/api/products/{product['id']}/")

    assert other.get("/api/products/trash/").json["count"] == 0


def test_trash_has_pages(owner: Any, archived: Any) -> None:
    reply = owner.get("/api/products/trash/?page=2&page_size=1").json

    assert (reply["count"], reply["results"]) == (1, [])
    assert list(owner.get("/api/products/trash/?page=x", status=400).json) == ["page"]


def test_the_trash_is_filtered_and_ordered_like_the_list(registry: Any, owner: Any, archived: Any) -> None:
    for title in ("Bowl", "Teacup"):
        body = {"title": title, "brand": "Lume", "cover_asset": add_asset(registry, owner.team_id)}
        owner.delete(f"/api/products/{owner.post_json('/api/products/', body).json['id']}/")

    def found(query: str) -> list[str]:
        return [row["title"] for row in owner.get(f"/api/products/trash/?{query}").json["results"]]

    assert found("ordering=title") == ["Bowl", "Cup", "Teacup"]
    assert found("q=cup") == ["Teacup", "Cup"]
    assert found("q=cup&brand=Lume") == ["Teacup"]


def test_restore_brings_the_product_back(owner: Any, archived: Any, path: str) -> None:
    restored = owner.post(f"{path}restore/", status=200).json

    assert restored == {**archived, "updated_at": restored["updated_at"]}
    assert owner.get(path).json == restored
    assert owner.get("/api/products/trash/").json["count"] == 0


def test_restoring_an_active_product_is_refused(owner: Any, path: str) -> None:
    assert owner.post(f"{path}restore/", status=400).json["code"] == "not_archived"


def test_purge_removes_the_product(owner: Any, archived: Any, path: str, database: Any) -> None:
    assert owner.delete(f"{path}purge/", status=204).body == b""

    owner.post(f"{path}restore/", status=404)
    assert owner.get("/api/products/trash/").json["count"] == 0
    with database() as session:
        for table in (Product, ProductImage, SellingPoint):
            assert session.scalars(select(table.id)).all() == []


def test_purge_keeps_the_assets_without_a_product(
    registry: Any, owner: Any, archived: Any, path: str, database: Any
) -> None:
    work = add_asset(registry, owner.team_id, product_id=archived["id"])

    owner.delete(f"{path}purge/", status=204)

    with database() as session:
        kept = {str(a.id): a.product_id for a in session.scalars(select(Asset))}
    assert kept == {archived["cover_asset"]: None, work: None}


def test_purging_an_active_product_is_refused(owner: Any, path: str) -> None:
    assert owner.delete(f"{path}purge/", status=400).json["code"] == "not_archived"
    owner.get(path, status=200)


@pytest.mark.parametrize("product_id", [UNKNOWN, "x"])
def test_unknown_product_is_not_found(owner: Any, product_id: str) -> None:
    owner.post(f"/api/products/{product_id}/restore/", status=404)
    owner.delete(f"/api/products/{product_id}/purge/", status=404)


def test_another_teams_product_is_not_found(owner: Any, other: Any, archived: Any, path: str) -> None:
    other.post(f"{path}restore/", status=404)
    other.delete(f"{path}purge/", status=404)

    assert owner.get("/api/products/trash/").json["count"] == 1


def test_a_viewer_sees_the_trash_and_touches_nothing(
    owner: Any, make_client: Any, archived: Any, path: str
) -> None:
    viewer = make_client("viewer", owner.team_id)

    assert viewer.get("/api/products/trash/").json["count"] == 1
    viewer.post(f"{path}restore/", status=403)
    viewer.delete(f"{path}purge/", status=403)


def test_listing_the_trash_costs_the_same_for_more(registry: Any, owner: Any, archived: Any) -> None:
    with count_queries(registry) as for_one:
        owner.get("/api/products/trash/")
    for _ in range(5):
        asset = add_asset(registry, owner.team_id)
        created = owner.post_json("/api/products/", {"cover_asset": asset}).json
        owner.delete(f"/api/products/{created['id']}/")
    with count_queries(registry) as for_many:
        assert owner.get("/api/products/trash/").json["count"] == 6

    assert len(for_many) == len(for_one)
