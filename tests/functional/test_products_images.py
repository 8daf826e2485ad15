"""Uploading images to a product, and taking them away."""

from __future__ import annotations

import io
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from contentsvc.assets.models import Asset
from contentsvc.products.models import ProductImage
from tests.functional.library import add_asset, add_assets

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


def png(color: str = "teal") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (32, 24), color).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def assets(registry: Any, owner: Any) -> list[str]:
    return add_assets(registry, owner.team_id, 3)


@pytest.fixture
def product(owner: Any, assets: list[str]) -> Any:
    """A product with three images, the second its cover."""
    body = {"title": "Cup", "images": assets, "cover_asset": assets[1]}
    return owner.post_json("/api/products/", body, status=201).json


@pytest.fixture
def path(product: Any) -> str:
    return f"/api/products/{product['id']}/images/"


def upload(
    client: Any, path: str, data: bytes, status: int = 201, *, field: str = "file", **more: Any
) -> Any:
    return client.post(path, upload_files=[(field, "cup.png", data)], status=status, **more)


def image_of(product: Any, asset: str) -> Any:
    return next(image for image in product["images"] if image["asset"] == asset)


def test_upload_hangs_the_picture_behind_the_others(
    owner: Any, product: Any, path: str, assets: list[str]
) -> None:
    changed = upload(owner, path, png()).json

    assert [image["asset"] for image in changed["images"][:3]] == assets
    added = changed["images"][3]
    assert (added["sort_order"], added["is_primary"]) == (3, False)
    assert changed["cover_asset"] == assets[1]


def test_upload_makes_an_asset_of_the_product(owner: Any, product: Any, path: str) -> None:
    added = upload(owner, path, png()).json["images"][-1]

    asset = owner.get(f"/api/assets/{added['asset']}/").json
    assert (asset["product"], asset["name"], asset["source"]) == (product["id"], "cup.png", "uploaded")
    assert (asset["asset_type"], asset["width"], asset["height"]) == ("image", 32, 24)
    assert asset["preview_url"] == added["url"]


def test_uploaded_picture_can_be_read_without_token(owner: Any, api: Any, path: str) -> None:
    url = upload(owner, path, png()).json["images"][-1]["url"]

    with Image.open(io.BytesIO(api.get(url.removeprefix("http://localhost")).body)) as picture:
        assert picture.size == (32, 24)


def test_upload_moves_updated_at(owner: Any, product: Any, path: str) -> None:
    assert upload(owner, path, png()).json["updated_at"] > product["updated_at"]


def test_the_file_may_be_called_image(owner: Any, path: str) -> None:
    assert len(upload(owner, path, png(), field="image").json["images"]) == 4


def test_a_file_that_is_no_picture_is_refused(owner: Any, path: str) -> None:
    assert list(upload(owner, path, b"%PDF-1.4 not a picture", 400).json) == ["file"]
    assert list(upload(owner, path, b"", 400).json) == ["file"]


def test_an_upload_without_file_is_refused(owner: Any, path: str) -> None:
    reply = owner.post(path, {"x": "1"}, content_type="multipart/form-data", status=400)

    assert list(reply.json) == ["file"]


def test_json_is_no_upload(owner: Any, path: str) -> None:
    assert owner.post_json(path, {}, status=415).json["code"] == "unsupported_media_type"


def test_a_refused_upload_leaves_the_product_as_it_was(owner: Any, product: Any, path: str) -> None:
    upload(owner, path, b"nothing", 400)

    assert owner.get(f"/api/products/{product['id']}/").json == product


def test_a_full_product_takes_no_more(registry: Any, owner: Any, product: Any, path: str) -> None:
    many = add_assets(registry, owner.team_id, 50)
    owner.patch_json(f"/api/products/{product['id']}/", {"images": many}, status=200)

    assert upload(owner, path, png(), 400).json["code"] == "conflict"


@pytest.mark.parametrize("product_id", [UNKNOWN, "x"])
def test_upload_to_an_unknown_product_is_not_found(owner: Any, product_id: str) -> None:
    upload(owner, f"/api/products/{product_id}/images/", b"whatever", 404)


def test_upload_to_another_teams_product_is_not_found(other: Any, path: str) -> None:
    upload(other, path, png(), 404)


def test_upload_to_an_archived_product_is_not_found(owner: Any, product: Any, path: str) -> None:
    owner.delete(f"/api/products/{product['id']}/")

    upload(owner, path, png(), 404)


def test_the_same_key_uploads_once(owner: Any, product: Any, path: str) -> None:
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    first = upload(owner, path, png(), headers=headers)

    again = upload(owner, path, png(), headers=headers)

    assert again.json == first.json
    assert len(owner.get(f"/api/products/{product['id']}/").json["images"]) == 4


def test_removing_an_image_leaves_the_others(owner: Any, product: Any, path: str, assets: list[str]) -> None:
    changed = owner.delete(f"{path}{image_of(product, assets[0])['id']}/", status=200).json

    assert [image["asset"] for image in changed["images"]] == assets[1:]
    assert changed["cover_asset"] == assets[1]
    assert changed["updated_at"] > product["updated_at"]


def test_removing_an_image_keeps_its_asset(
    owner: Any, product: Any, path: str, assets: list[str], database: Any
) -> None:
    owner.delete(f"{path}{image_of(product, assets[0])['id']}/")

    with database() as session:
        assert session.get(Asset, uuid.UUID(assets[0])).deleted_at is None


@pytest.mark.parametrize(("cover", "heir"), [(0, 1), (1, 2), (2, 0)])
def test_the_next_image_takes_over_when_the_cover_is_removed(
    owner: Any, product: Any, path: str, assets: list[str], cover: int, heir: int
) -> None:
    owner.patch_json(f"/api/products/{product['id']}/", {"cover_asset": assets[cover]})

    changed = owner.delete(f"{path}{image_of(product, assets[cover])['id']}/").json

    assert changed["cover_asset"] == assets[heir]
    assert [image["asset"] for image in changed["images"] if image["is_primary"]] == [assets[heir]]


def test_the_last_image_stays(registry: Any, owner: Any) -> None:
    body = {"cover_asset": add_asset(registry, owner.team_id)}
    product = owner.post_json("/api/products/", body).json
    path = f"/api/products/{product['id']}/"

    reply = owner.delete(f"{path}images/{product['images'][0]['id']}/", status=400)

    assert reply.json["code"] == "conflict"
    assert owner.get(path).json == product


@pytest.mark.parametrize("image_id", [UNKNOWN, "x"])
def test_removing_an_unknown_image_is_not_found(owner: Any, path: str, image_id: str) -> None:
    owner.delete(f"{path}{image_id}/", status=404)


def test_removing_another_products_image_is_not_found(
    owner: Any, product: Any, path: str, assets: list[str]
) -> None:
    theirs = owner.post_json("/api/products/", {"images": assets}).json

    owner.delete(f"{path}{theirs['images'][0]['id']}/", status=404)

    assert owner.get(f"/api/products/{theirs['id']}/").json == theirs


def test_removing_an_image_of_another_teams_product_is_not_found(
    owner: Any, other: Any, product: Any, path: str
) -> None:
    other.delete(f"{path}{product['images'][0]['id']}/", status=404)


def test_a_viewer_may_neither_add_nor_remove(owner: Any, make_client: Any, product: Any, path: str) -> None:
    viewer = make_client("viewer", owner.team_id)

    upload(viewer, path, png(), 403)
    viewer.delete(f"{path}{product['images'][0]['id']}/", status=403)


def test_uploads_and_removals_at_once_leave_one_primary(
    owner: Any, product: Any, path: str, database: Any
) -> None:
    start = threading.Barrier(6)

    def add(color: str) -> int:
        start.wait(timeout=10)
        return int(upload(owner, path, png(color), "*").status_int)

    def remove(image_id: str) -> int:
        start.wait(timeout=10)
        return int(owner.delete(f"{path}{image_id}/", status="*").status_int)

    with ThreadPoolExecutor(6) as pool:
        added = [pool.submit(add, color) for color in ("red", "green", "blue")]
        removed = [pool.submit(remove, image["id"]) for image in product["images"]]
        assert [future.result() for future in added] == [201, 201, 201]
        gone = [future.result() for future in removed].count(200)

    with database() as session:
        stored = session.scalars(select(ProductImage)).all()
    assert len(stored) == 6 - gone
    assert sum(image.is_primary for image in stored) == 1


def test_removing_the_last_two_at_once_leaves_one(registry: Any, owner: Any, database: Any) -> None:
    product = owner.post_json("/api/products/", {"images": add_assets(registry, owner.team_id, 2)}).json
    start = threading.Barrier(2)

    def remove(image_id: str) -> int:
        start.wait(timeout=10)
        return int(owner.delete(f"/api/products/{product['id']}/images/{image_id}/", status="*").status_int)

    with ThreadPoolExecutor(2) as pool:
        statuses = sorted(pool.map(remove, [image["id"] for image in product["images"]]))

    assert statuses == [200, 400]
    with database() as session:
        assert [image.is_primary for image in session.scalars(select(ProductImage))] == [True]
