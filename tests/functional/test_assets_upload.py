"""Uploading assets: what the reply says, what is published, what is refused."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlsplit

import pytest

from contentsvc.products.models import Product
from contentsvc.storage.backends import StorageError, storage_of
from contentsvc.storage.backends.local import LocalStorage
from tests.functional.conftest import Client
from tests.media_samples import (
    HTML,
    PDF,
    SECRET,
    SVG,
    exif,
    image,
    opened,
    png_that_declares,
    sound,
    video,
)

PATH = "/api/assets/upload/"


def upload(client: Client, data: bytes, filename: str = "cup.png", status: int = 201, **fields: str) -> Any:
    return client.post(PATH, fields, upload_files=[("file", filename, data)], status=status).json


def test_reply_is_the_whole_asset(owner: Client) -> None:
    data = image("PNG", 600, 300)
    asset = upload(owner, data, "größe.png")
    public, thumbnail = (urlsplit(asset.pop(key)) for key in ("preview_url", "thumbnail_url"))
    created, updated = asset.pop("created_at"), asset.pop("updated_at")
    assert uuid.UUID(asset.pop("id")).version == 7
    assert (created.endswith("Z"), updated) == (True, created)
    assert (public.scheme, public.path.rsplit("/", 1)[1]) == ("http", "gr%C3%B6%C3%9Fe.png")
    assert thumbnail.path.endswith(".webp")
    assert asset == {
        "name": "größe.png",
        "description": "",
        "category": "",
        "asset_type": "image",
        "source": "uploaded",
        "mime_type": "image/png",
        "size_bytes": len(data),
        "width": 600,
        "height": 300,
        "duration_seconds": None,
        "product": None,
        "project": None,
        "in_library": True,
        "review_status": "",
        "review_error": "",
        "metadata": {},
        "created_by": str(owner.user_id),
    }


@pytest.mark.parametrize(
    ("make", "asset_type", "mime_type"),
    [
        (lambda: image("JPEG"), "image", "image/jpeg"),
        (lambda: video("mp4"), "video", "video/mp4"),
        (lambda: sound("mp3"), "audio", "audio/mpeg"),
        (lambda: PDF, "document", "application/pdf"),
    ],
    ids=["image", "video", "audio", "document"],
)
def test_type_comes_from_the_bytes(owner: Client, make: Any, asset_type: str, mime_type: str) -> None:
    asset = upload(owner, make(), "lies.gif")
    assert (asset["asset_type"], asset["mime_type"]) == (asset_type, mime_type)
    assert (asset["thumbnail_url"] is None) == (asset_type in {"audio", "document"})


def test_video_tells_size_and_duration(owner: Client) -> None:
    asset = upload(owner, video("mp4"))
    assert (asset["width"], asset["height"]) == (64, 48)
    assert asset["duration_seconds"] == pytest.approx(1.0, abs=0.05)


def test_field_image_is_taken_as_well(owner: Client) -> None:
    files = [("image", "cup.png", image("PNG"))]
    assert owner.post(PATH, upload_files=files, status=201).json["name"] == "cup.png"


def test_fields_are_stored(owner: Client) -> None:
    asset = upload(owner, image("PNG"), name="  My cup ", category="scene")
    assert (asset["name"], asset["category"]) == ("My cup", "scene")


@pytest.mark.parametrize("fields", [{}, {"name": ""}, {"name": "  "}])
def test_name_defaults_to_the_files(owner: Client, fields: dict[str, str]) -> None:
    assert upload(owner, image("PNG"), "folder/cup 1.png", **fields)["name"] == "cup 1.png"


def test_long_names_are_cut(owner: Client) -> None:
    assert upload(owner, image("PNG"), name="x" * 300)["name"] == "x" * 255


def test_unknown_category_is_refused(owner: Client) -> None:
    assert "category" in upload(owner, image("PNG"), status=400, category="holiday")


@pytest.fixture
def product(database: Any, owner: Client) -> str:
    with database() as session:
        row = Product(team_id=owner.team_id, title="Cup")
        session.add(row)
        session.flush()
        return str(row.id)


def test_product_is_kept(owner: Client, product: str) -> None:
    assert upload(owner, image("PNG"), product=product)["product"] == product


def test_archived_product_is_refused(owner: Client, product: str, database: Any) -> None:
    with database() as session:
        session.get(Product, uuid.UUID(product)).status = "archived"
    assert list(upload(owner, image("PNG"), status=400, product=product)) == ["product"]


def test_other_teams_product_is_refused(other: Client, product: str) -> None:
    assert list(upload(other, image("PNG"), status=400, product=product)) == ["product"]


@pytest.mark.parametrize("product_id", ["nonsense", str(uuid.uuid4())])
def test_product_that_is_none_is_refused(owner: Client, product_id: str) -> None:
    assert list(upload(owner, image("PNG"), status=400, product=product_id)) == ["product"]


@pytest.mark.parametrize("data", [SVG, HTML, image("BMP"), image("PNG")[:-30], b"plain text"])
def test_file_that_is_no_medium_is_refused(owner: Client, data: bytes) -> None:
    assert list(upload(owner, data, status=400)) == ["file"]


def test_giant_of_a_hundred_bytes_is_refused(owner: Client) -> None:
    reply = upload(owner, png_that_declares(60000, 60000), status=400)
    assert reply == {"file": ["The image has 60000×60000 pixels; at most 50000000 are taken."]}


def test_image_over_its_own_limit_is_413(owner: Client) -> None:
    data = image("PNG") + b"\x00" * (20 * 1024 * 1024)
    assert upload(owner, data, status=413)["code"] == "payload_too_large"


def test_missing_file_is_refused(owner: Client) -> None:
    reply = owner.post(PATH, {"name": "x"}, upload_files=[("other", "a.png", b"x")], status=400)
    assert "file" in reply.json


def test_json_is_415(owner: Client) -> None:
    assert owner.post_json(PATH, {}, status=415).json["code"] == "unsupported_media_type"


def test_without_a_token_is_401(api: Any) -> None:
    api.post(PATH, upload_files=[("file", "a.png", b"x")], status=401)


def test_viewer_may_not_upload(make_client: Any, owner: Client) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)
    assert upload(viewer, image("PNG"), status=403)["code"] == "permission_denied"


def test_administrator_without_a_team_may_not_upload(admin: Client) -> None:
    assert upload(admin, image("PNG"), status=403)["code"] == "permission_denied"


def test_place_is_gone_from_preview_and_present_in_raw(owner: Client, api: Any) -> None:
    data = image("JPEG", exif=exif(6))
    asset = upload(owner, data, "cup.jpg")
    public = api.get(urlsplit(asset["preview_url"]).path).body
    assert (len(public), SECRET.encode() in public) == (asset["size_bytes"], False)
    assert (asset["width"], asset["height"], opened(public).size) == (48, 64, (48, 64))
    assert owner.get(f"/api/assets/{asset['id']}/raw/").body == data


def test_thumbnail_is_public(owner: Client, api: Any) -> None:
    asset = upload(owner, image("PNG", 1000, 500))
    reply = api.get(urlsplit(asset["thumbnail_url"]).path)
    assert (reply.content_type, opened(reply.body).size) == ("image/webp", (512, 256))


def test_failing_storage_is_502_and_leaves_no_row(
    owner: Client, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any) -> None:
        raise StorageError

    monkeypatch.setattr(LocalStorage, "put", fail)
    assert upload(owner, image("PNG"), status=502)["code"] == "storage_error"
    assert owner.get("/api/assets/?in_library=all").json["count"] == 0


def test_same_key_and_file_upload_once(owner: Client) -> None:
    headers = {"Idempotency-Key": "k1"}
    files = [("file", "cup.png", image("PNG"))]
    first = owner.post(PATH, {"name": "a"}, upload_files=files, headers=headers, status=201)
    again = owner.post(PATH, {"name": "a"}, upload_files=files, headers=headers, status=201)
    assert (again.headers["Idempotent-Replay"], again.json) == ("true", first.json)
    assert owner.get("/api/assets/").json["count"] == 1


def test_same_key_and_another_file_is_409(owner: Client) -> None:
    headers = {"Idempotency-Key": "k1"}
    owner.post(PATH, upload_files=[("file", "a.png", image("PNG"))], headers=headers, status=201)
    files = [("file", "a.png", image("JPEG"))]
    assert owner.post(PATH, upload_files=files, headers=headers, status=409).json["code"] == "conflict"


def test_refused_upload_leaves_no_file(owner: Client, registry: Any) -> None:
    before = set(storage_of(registry).stale_keys(-60))
    upload(owner, image("PNG")[:-30], status=400)
    assert set(storage_of(registry).stale_keys(-60)) == before
