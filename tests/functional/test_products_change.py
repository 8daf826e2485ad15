"""Changing a product: plain fields, its lists, and which image is the cover."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update

from contentsvc.assets.models import Asset
from contentsvc.products.models import Product, ProductImage
from tests.functional.library import add_asset, add_assets

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def assets(registry: Any, owner: Any) -> list[str]:
    return add_assets(registry, owner.team_id, 4)


@pytest.fixture
def product(owner: Any, assets: list[str]) -> Any:
    """A product with three images, the second its cover, and two selling points."""
    return owner.post_json(
        "/api/products/",
        {
            "title": "Cup",
            "brand": "Lume",
            "specs": {"volume": "90 ml"},
            "images": assets[:3],
            "cover_asset": assets[1],
            "selling_points": [{"title": "Light"}, {"title": "Warm", "detail": "For an hour"}],
        },
        status=201,
    ).json


def patch(client: Any, product: Any, status: int = 200, /, **body: Any) -> Any:
    return client.patch_json(f"/api/products/{product['id']}/", body, status=status).json


def delete_asset(database: Any, asset_id: str) -> None:
    with database() as session:
        session.execute(update(Asset).where(Asset.id == asset_id).values(deleted_at=datetime.now(UTC)))


def gallery(product: Any) -> list[str]:
    return [image["asset"] for image in product["images"]]


def primaries(product: Any) -> list[str]:
    return [image["asset"] for image in product["images"] if image["is_primary"]]


def test_fields_that_are_sent_change(owner: Any, product: Any) -> None:
    changed = patch(owner, product, title="Mug", specs={"volume": "200 ml"})

    assert (changed["title"], changed["specs"]) == ("Mug", {"volume": "200 ml"})
    assert owner.get(f"/api/products/{product['id']}/").json == changed


def test_fields_that_are_not_sent_stay(owner: Any, product: Any) -> None:
    changed = patch(owner, product, title="Mug")

    untouched = set(product) - {"title", "updated_at"}
    assert {key: changed[key] for key in untouched} == {key: product[key] for key in untouched}


def test_fields_can_be_emptied(owner: Any, product: Any) -> None:
    changed = patch(owner, product, title="", specs={}, selling_points=[])

    assert (changed["title"], changed["specs"], changed["selling_points"]) == ("", {}, [])


@pytest.mark.parametrize("field", ["title", "specs", "images", "selling_points"])
def test_every_kind_of_change_moves_updated_at(
    owner: Any, product: Any, assets: list[str], field: str
) -> None:
    values = {"title": "Mug", "specs": {}, "images": assets[:1], "selling_points": []}

    changed = patch(owner, product, **{field: values[field]})

    assert changed["updated_at"] > product["updated_at"]
    assert changed["created_at"] == product["created_at"]


def test_an_empty_body_changes_nothing(owner: Any, product: Any) -> None:
    assert patch(owner, product) == product


def test_a_request_without_body_changes_nothing(owner: Any, product: Any) -> None:
    assert owner.patch(f"/api/products/{product['id']}/", status=200).json == product


def test_read_only_and_unknown_fields_are_ignored(owner: Any, other: Any, product: Any) -> None:
    changed = patch(
        owner,
        product,
        id=UNKNOWN,
        status="archived",
        created_by=UNKNOWN,
        team_id=str(other.team_id),
        cover_url="https://example.com/",
        created_at="2001-01-01T00:00:00Z",
        updated_at="2001-01-01T00:00:00Z",
        surprise=[],
    )

    untouched = set(product) - {"updated_at"}
    assert {key: changed[key] for key in untouched} == {key: product[key] for key in untouched}
    assert changed["updated_at"] > "2020"


def test_images_replace_the_list(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, images=[assets[3], assets[1]])

    assert gallery(changed) == [assets[3], assets[1]]


def test_an_image_that_stays_keeps_its_id(owner: Any, product: Any, assets: list[str]) -> None:
    ids = {image["asset"]: image["id"] for image in product["images"]}

    changed = patch(owner, product, images=[assets[2], assets[3], assets[0]])

    after = {image["asset"]: image["id"] for image in changed["images"]}
    assert (after[assets[0]], after[assets[2]]) == (ids[assets[0]], ids[assets[2]])


def test_images_take_the_order_of_the_new_list(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, images=[assets[2], assets[1], assets[0]])

    assert gallery(changed) == [assets[2], assets[1], assets[0]]


def test_the_old_cover_stays_if_it_is_in_the_new_list(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, images=[assets[3], assets[0], assets[1]])

    assert (changed["cover_asset"], primaries(changed)) == (assets[1], [assets[1]])


def test_a_primary_in_the_new_list_beats_the_old_cover(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, images=[assets[1], {"asset": assets[2], "is_primary": True}])

    assert (changed["cover_asset"], primaries(changed)) == (assets[2], [assets[2]])


def test_the_first_image_takes_over_when_the_cover_is_not_in_the_new_list(
    owner: Any, product: Any, assets: list[str]
) -> None:
    changed = patch(owner, product, images=[assets[2], assets[0]])

    assert (changed["cover_asset"], primaries(changed)) == (assets[2], [assets[2]])


def test_cover_moves_among_the_images(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, cover_asset=assets[2])

    assert (changed["cover_asset"], primaries(changed)) == (assets[2], [assets[2]])
    assert gallery(changed) == gallery(product)


def test_cover_that_is_no_image_yet_joins_them(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, cover_asset=assets[3])

    assert (changed["cover_asset"], primaries(changed)) == (assets[3], [assets[3]])
    assert gallery(changed) == [*gallery(product), assets[3]]


def test_cover_joins_a_list_sent_without_it(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, images=[{"asset": assets[0], "is_primary": True}], cover_asset=assets[3])

    assert (gallery(changed), primaries(changed)) == ([assets[0], assets[3]], [assets[3]])


def test_cover_url_follows_the_cover(owner: Any, product: Any, assets: list[str]) -> None:
    changed = patch(owner, product, cover_asset=assets[0])

    assert changed["cover_url"] == next(i["url"] for i in product["images"] if i["asset"] == assets[0])


def test_cover_can_not_be_taken_away(owner: Any, product: Any) -> None:
    assert list(patch(owner, product, 400, cover_asset=None)) == ["cover_asset"]


def test_images_can_not_be_emptied(owner: Any, product: Any) -> None:
    assert list(patch(owner, product, 400, images=[])) == ["images"]


def test_an_image_whose_asset_was_deleted_since_is_accepted(
    owner: Any, product: Any, assets: list[str], database: Any
) -> None:
    delete_asset(database, assets[0])

    changed = patch(owner, product, images=[assets[2], {"asset": assets[0]}], cover_asset=assets[0])

    assert (gallery(changed), changed["cover_asset"]) == ([assets[2], assets[0]], assets[0])


def test_a_deleted_asset_the_product_does_not_have_is_refused(
    owner: Any, product: Any, assets: list[str], database: Any
) -> None:
    delete_asset(database, assets[3])

    assert list(patch(owner, product, 400, images=[assets[0], {"asset": assets[3]}])) == ["images.1.asset"]
    assert list(patch(owner, product, 400, cover_asset=assets[3])) == ["cover_asset"]


def test_a_deleted_asset_that_has_left_the_product_does_not_come_back(
    owner: Any, product: Any, assets: list[str], database: Any
) -> None:
    delete_asset(database, assets[0])
    patch(owner, product, images=[assets[2]])

    assert list(patch(owner, product, 400, images=[assets[0]])) == ["images.0"]


def test_another_teams_asset_is_refused(registry: Any, owner: Any, other: Any, product: Any) -> None:
    foreign = add_asset(registry, other.team_id)

    assert list(patch(owner, product, 400, images=[foreign])) == ["images.0"]
    assert list(patch(owner, product, 400, cover_asset=foreign)) == ["cover_asset"]


def test_an_asset_named_twice_is_refused(owner: Any, product: Any, assets: list[str]) -> None:
    assert list(patch(owner, product, 400, images=[assets[0], assets[0]])) == ["images.1"]


def test_a_refused_change_changes_nothing(owner: Any, product: Any, assets: list[str]) -> None:
    patch(owner, product, 400, title="Mug", selling_points=[], images=[assets[3], UNKNOWN])

    assert owner.get(f"/api/products/{product['id']}/").json == product


def test_a_cover_beyond_the_largest_gallery_is_refused(registry: Any, owner: Any, product: Any) -> None:
    many = add_assets(registry, owner.team_id, 51)
    patch(owner, product, images=many[:50])

    assert list(patch(owner, product, 400, cover_asset=many[50])) == ["images"]


def test_a_selling_point_sent_with_its_id_keeps_it(owner: Any, product: Any) -> None:
    light, warm = product["selling_points"]

    changed = patch(
        owner,
        product,
        selling_points=[{"title": "New"}, {"id": warm["id"].upper(), "title": "Hot", "detail": "Two hours"}],
    )

    points = changed["selling_points"]
    assert [point["title"] for point in points] == ["New", "Hot"]
    assert points[1] == {"id": warm["id"], "title": "Hot", "detail": "Two hours", "sort_order": 1}
    assert light["id"] not in {point["id"] for point in points}


@pytest.mark.parametrize("stranger", [UNKNOWN, "x", ""])
def test_a_selling_point_with_an_unknown_id_gets_its_own(owner: Any, product: Any, stranger: str) -> None:
    changed = patch(owner, product, selling_points=[{"id": stranger, "title": "New"}])

    assert changed["selling_points"][0]["id"] not in {stranger, *(p["id"] for p in product["selling_points"])}


def test_another_products_selling_point_is_unknown(owner: Any, product: Any, assets: list[str]) -> None:
    theirs = owner.post_json(
        "/api/products/", {"cover_asset": assets[0], "selling_points": [{"title": "Theirs"}]}
    ).json

    changed = patch(
        owner, product, selling_points=[{"id": theirs["selling_points"][0]["id"], "title": "Mine"}]
    )

    assert changed["selling_points"][0]["id"] != theirs["selling_points"][0]["id"]
    assert owner.get(f"/api/products/{theirs['id']}/").json["selling_points"] == theirs["selling_points"]


def test_a_selling_point_id_sent_twice_serves_once(owner: Any, product: Any) -> None:
    known = product["selling_points"][0]["id"]

    points = patch(owner, product, selling_points=[{"id": known, "title": t} for t in ("A", "B")])[
        "selling_points"
    ]

    assert points[0]["id"] == known
    assert points[1]["id"] != known


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": None}, "title"),
        ({"specs": None}, "specs"),
        ({"selling_points": None}, "selling_points"),
        ({"images": None}, "images"),
        ({"cover_asset": 5}, "cover_asset"),
        ({"cover_asset": ""}, "cover_asset"),
        ({"brand": "a\x00"}, "brand"),
        ({"category": "x" * 256}, "category"),
    ],
)
def test_a_wrong_value_is_refused_on_its_field(
    owner: Any, product: Any, body: dict[str, Any], field: str
) -> None:
    assert list(patch(owner, product, 400, **body)) == [field]


@pytest.mark.parametrize("method", ["get", "patch_json", "delete"])
@pytest.mark.parametrize("product_id", [UNKNOWN, "1", "not-an-id"])
def test_unknown_product_is_not_found(owner: Any, method: str, product_id: str) -> None:
    reply = getattr(owner, method)(f"/api/products/{product_id}/", status=404)

    assert reply.json["code"] == "not_found"


@pytest.mark.parametrize("method", ["get", "patch_json", "delete"])
def test_another_teams_product_is_not_found(other: Any, owner: Any, product: Any, method: str) -> None:
    reply = getattr(other, method)(f"/api/products/{product['id']}/", status=404)

    assert reply.json == getattr(other, method)(f"/api/products/{UNKNOWN}/", status=404).json
    assert owner.get(f"/api/products/{product['id']}/").json == product


def test_another_teams_product_is_not_found_before_the_body_is_read(other: Any, product: Any) -> None:
    other.patch(f"/api/products/{product['id']}/", "{", content_type="application/json", status=404)


def test_a_viewer_reads_and_does_not_write(owner: Any, make_client: Any, product: Any) -> None:
    viewer = make_client("viewer", owner.team_id)

    assert viewer.get(f"/api/products/{product['id']}/").json == product
    assert patch(viewer, product, 403, title="Mug")["code"] == "permission_denied"
    assert viewer.delete(f"/api/products/{product['id']}/", status=403).json["code"] == "permission_denied"


def test_changes_at_once_leave_one_primary(
    registry: Any, owner: Any, product: Any, assets: list[str], database: Any
) -> None:
    start = threading.Barrier(6)
    bodies = [
        {"cover_asset": assets[0]},
        {"cover_asset": assets[2]},
        {"cover_asset": assets[3]},
        {"images": [assets[3], assets[0]]},
        {"images": [{"asset": assets[2], "is_primary": True}, assets[1]]},
        {"images": assets},
    ]

    def send(body: dict[str, Any]) -> int:
        start.wait(timeout=10)
        return int(owner.patch_json(f"/api/products/{product['id']}/", body, status="*").status_int)

    with ThreadPoolExecutor(len(bodies)) as pool:
        statuses = list(pool.map(send, bodies))

    assert statuses == [200] * len(bodies)
    with database() as session:
        stored = session.query(ProductImage).join(Product, Product.id == ProductImage.product_id).all()
    assert sum(image.is_primary for image in stored) == 1
    read = owner.get(f"/api/products/{product['id']}/").json
    assert primaries(read) == [read["cover_asset"]]
