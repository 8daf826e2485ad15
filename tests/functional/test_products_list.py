"""Listing products: what is in, in what order, filters, pages, cost."""

from __future__ import annotations

from typing import Any

import pytest

from contentsvc.products.models import Product, ProductImage, SellingPoint
from tests.functional.library import add_asset, add_assets
from tests.functional.queries import count_queries


@pytest.fixture
def asset(registry: Any, owner: Any) -> str:
    return add_asset(registry, owner.team_id)


@pytest.fixture
def create(owner: Any, asset: str) -> Any:
    def create(**body: Any) -> Any:
        return owner.post_json("/api/products/", {"cover_asset": asset, **body}, status=201).json

    return create


def titles(client: Any, query: str = "") -> list[str]:
    return [product["title"] for product in client.get(f"/api/products/{query}").json["results"]]


def test_empty_list_has_the_whole_envelope(owner: Any) -> None:
    assert owner.get("/api/products/").json == {
        "count": 0,
        "page": 1,
        "page_size": 20,
        "next": None,
        "previous": None,
        "results": [],
    }


def test_rows_have_the_shape_of_a_product(owner: Any, create: Any) -> None:
    created = create(title="Cup", selling_points=[{"title": "Light"}])

    assert owner.get("/api/products/").json["results"] == [created]


def test_newest_come_first(owner: Any, create: Any) -> None:
    for title in "ABC":
        create(title=title)

    assert titles(owner) == ["C", "B", "A"]


def test_another_teams_products_are_not_listed(owner: Any, other: Any, create: Any) -> None:
    create(title="Cup")

    assert other.get("/api/products/").json["count"] == 0


def test_archived_products_are_not_listed(owner: Any, create: Any) -> None:
    owner.delete(f"/api/products/{create(title='Old')['id']}/")
    create(title="New")

    assert titles(owner) == ["New"]


def test_pages_follow_each_other(owner: Any, create: Any) -> None:
    for title in "ABC":
        create(title=title)

    first = owner.get("/api/products/?page_size=2").json
    second = owner.get(first["next"].removeprefix("http://localhost")).json

    assert [product["title"] for product in first["results"] + second["results"]] == ["C", "B", "A"]
    assert (first["count"], first["previous"]) == (3, None)
    assert (second["page"], second["next"]) == (2, None)
    assert second["previous"].startswith("http://localhost/api/products/")


def test_a_page_past_the_end_is_empty(owner: Any, create: Any) -> None:
    create()

    reply = owner.get("/api/products/?page=9").json

    assert (reply["count"], reply["results"]) == (1, [])


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        ("created_at", ["B", "A", "C"]),
        ("-created_at", ["C", "A", "B"]),
        ("updated_at", ["A", "C", "B"]),
        ("-updated_at", ["B", "C", "A"]),
        ("title", ["A", "B", "C"]),
        ("-title", ["C", "B", "A"]),
    ],
)
def test_ordering(owner: Any, create: Any, ordering: str, expected: list[str]) -> None:
    first = create(title="B")
    create(title="A")
    create(title="C")
    owner.patch_json(f"/api/products/{first['id']}/", {"brand": "Lume"})

    assert titles(owner, f"?ordering={ordering}") == expected


@pytest.mark.parametrize(
    "query",
    [
        "ordering=brand",
        "ordering=--title",
        "ordering=team_id",
        "page=0",
        "page=x",
        "page_size=-1",
        "q=" + "x" * 256,
    ],
)
def test_a_bad_query_is_refused_on_its_field(owner: Any, query: str) -> None:
    assert list(owner.get(f"/api/products/?{query}", status=400).json) == [query.partition("=")[0]]


@pytest.mark.parametrize("query", ["q=%00", "category=%00", "brand=%ff"])
def test_a_query_that_is_no_text_is_refused(owner: Any, query: str) -> None:
    owner.get(f"/api/products/?{query}", status=400)


@pytest.mark.parametrize("field", ["title", "brand", "description"])
def test_q_looks_in_each_text_whatever_the_case(owner: Any, create: Any, field: str) -> None:
    wanted = create(**{field: "Red Cup of Émile"})
    create(title="Plate")

    found = owner.get("/api/products/", {"q": "CUP OF émile"}).json["results"]

    assert [product["id"] for product in found] == [wanted["id"]]


def test_q_does_not_look_elsewhere(owner: Any, create: Any) -> None:
    create(category="cup", target_audience="cup", selling_points=[{"title": "cup"}])

    assert owner.get("/api/products/?q=cup").json["count"] == 0


@pytest.mark.parametrize(("q", "expected"), [("%25", ["50% off"]), ("_", ["a_b"]), ("\\", ["c\\d"])])
def test_q_is_literal(owner: Any, create: Any, q: str, expected: list[str]) -> None:
    for title in ("50% off", "a_b", "c\\d", "plain"):
        create(title=title)

    assert titles(owner, f"?q={q}") == expected


@pytest.mark.parametrize("field", ["category", "brand"])
def test_filters_take_the_exact_value(owner: Any, create: Any, field: str) -> None:
    create(title="A", **{field: "Lume"})
    create(title="B", **{field: "Lume & Sons"})

    assert titles(owner, f"?{field}=Lume") == ["A"]


def test_empty_filters_filter_nothing(owner: Any, create: Any) -> None:
    create(title="A", brand="Lume")

    assert titles(owner, "?brand=&category=&q=") == ["A"]


def test_filters_add_up(owner: Any, create: Any) -> None:
    create(title="A", brand="Lume", category="kitchen")
    create(title="B", brand="Lume", category="garden")

    assert titles(owner, "?brand=Lume&category=garden&q=b") == ["B"]


def test_a_viewer_may_list(owner: Any, make_client: Any, create: Any) -> None:
    create(title="Cup")

    assert titles(make_client("viewer", owner.team_id)) == ["Cup"]


def test_an_administrator_without_team_may_not_list(admin: Any) -> None:
    assert admin.get("/api/products/", status=403).json["code"] == "permission_denied"


def test_200_products_take_as_many_statements_as_one(registry: Any, owner: Any, database: Any) -> None:
    def add(number: int) -> None:
        assets = add_assets(registry, owner.team_id, number * 2)
        with database() as session:
            for cover, second in zip(assets[::2], assets[1::2], strict=True):
                product = Product(team_id=owner.team_id, title="Cup")
                product.images = [
                    ProductImage(asset_id=cover, is_primary=True),
                    ProductImage(asset_id=second, sort_order=1),
                ]
                product.selling_points = [SellingPoint(title="Light"), SellingPoint(title="Warm")]
                session.add(product)

    add(1)
    with count_queries(registry) as for_one:
        assert len(owner.get("/api/products/?page_size=200").json["results"]) == 1
    add(199)
    with count_queries(registry) as for_many:
        assert len(owner.get("/api/products/?page_size=200").json["results"]) == 200

    assert len(for_many) == len(for_one)
