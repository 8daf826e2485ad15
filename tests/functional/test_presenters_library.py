"""Presenters: uploading, enrolling, deleting."""

from __future__ import annotations

import io
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import func, select

from contentsvc.assets.models import AssetType
from contentsvc.db.tenancy import enter_team
from contentsvc.presenters.models import ModelEntity
from contentsvc.presenters.services import Presenters
from tests.functional.library import add_asset

PRESENTER_KEYS = {
    "id",
    "name",
    "description",
    "portrait",
    "portrait_url",
    "three_views",
    "is_official",
    "source_asset",
    "tags",
    "created_at",
}
UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (24, 32), "olive").save(buffer, "PNG")
    return buffer.getvalue()


def upload(client: Any, status: int = 201, /, *, data: bytes | None = None, **fields: str) -> Any:
    files = [("file", "anna.png", png() if data is None else data)]
    return client.post("/api/models/upload/", fields, upload_files=files, status=status).json


def enroll(client: Any, status: int = 201, /, **body: Any) -> Any:
    return client.post_json("/api/models/enroll-asset/", body, status=status).json


def names(client: Any, **query: str) -> list[str]:
    return [row["name"] for row in client.get("/api/models/", query).json["results"]]


@pytest.fixture
def asset(registry: Any, owner: Any) -> str:
    return add_asset(registry, owner.team_id, name="Portrait")


@pytest.fixture
def official(registry: Any, database: Any) -> str:
    """An official presenter, whose portrait no team owns."""
    portrait = add_asset(registry, None)
    with database() as session:
        presenter = ModelEntity(name="Template", is_official=True, tags=[], portrait_asset_id=portrait)
        session.add(presenter)
        session.flush()
        return str(presenter.id)


def test_upload_answers_exactly_the_members_of_a_presenter(owner: Any) -> None:
    assert set(upload(owner)) == PRESENTER_KEYS


def test_upload_stores_its_fields(owner: Any) -> None:
    made = upload(owner, name="Anna", description="Calm, 30", tags="calm, studio,calm,, ")

    assert (made["name"], made["description"], made["tags"]) == ("Anna", "Calm, 30", ["calm", "studio"])
    assert (made["is_official"], made["source_asset"], made["three_views"]) == (False, None, [])
    assert owner.get("/api/models/").json["results"] == [made]


def test_upload_without_fields_takes_the_files_name(owner: Any) -> None:
    made = upload(owner)

    assert (made["name"], made["description"], made["tags"]) == ("anna.png", "", [])


def test_uploaded_portrait_is_an_asset_of_the_team(owner: Any) -> None:
    made = upload(owner)

    asset = owner.get(f"/api/assets/{made['portrait']['id']}/").json
    assert asset == made["portrait"]
    assert (asset["category"], asset["source"], asset["width"]) == ("model_portrait", "uploaded", 24)
    assert made["portrait_url"] == asset["preview_url"]


@pytest.mark.parametrize("data", [b"", b"RIFF....WAVE", b"%PDF-1.7 x %%EOF"])
def test_a_portrait_that_is_no_picture_is_refused(owner: Any, data: bytes) -> None:
    assert list(upload(owner, 400, data=data)) == ["file"]
    assert names(owner) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "x" * 256), ("description", "x" * 20_001), ("tags", "x," * 1001), ("name", "a\x00b")],
)
def test_a_wrong_field_is_refused(owner: Any, field: str, value: str) -> None:
    assert list(upload(owner, 400, **{field: value})) == [field]


def test_json_is_no_upload(owner: Any) -> None:
    assert owner.post_json("/api/models/upload/", {}, status=415).json["code"] == "unsupported_media_type"


def test_a_viewer_may_not_upload(owner: Any, make_client: Any) -> None:
    assert upload(make_client("viewer", owner.team_id), 403)["code"] == "permission_denied"


def test_enrolling_makes_a_presenter_of_the_asset_itself(owner: Any, asset: str) -> None:
    made = enroll(owner, asset_id=asset)

    assert (made["source_asset"], made["portrait"]["id"]) == (asset, asset)
    assert (made["name"], made["description"], made["tags"]) == ("Portrait", "", [])


def test_enrolling_takes_a_name(owner: Any, asset: str) -> None:
    assert enroll(owner, asset_id=asset.upper(), name="Anna")["name"] == "Anna"


def test_enrolling_again_answers_the_same_presenter(owner: Any, asset: str) -> None:
    made = enroll(owner, asset_id=asset)

    assert enroll(owner, 200, asset_id=asset, name="Other") == made
    assert owner.get("/api/models/").json["count"] == 1


def test_enrolling_an_uploaded_portrait_answers_its_presenter(owner: Any) -> None:
    made = upload(owner)

    assert enroll(owner, 200, asset_id=made["portrait"]["id"]) == made


def test_enrolling_after_a_delete_makes_a_new_one(owner: Any, asset: str) -> None:
    made = enroll(owner, asset_id=asset)
    owner.delete(f"/api/models/{made['id']}/", status=204)

    assert enroll(owner, 201, asset_id=asset)["id"] != made["id"]


def test_enrolling_at_once_makes_one(owner: Any, asset: str) -> None:
    start = threading.Barrier(4)

    def send() -> Any:
        start.wait(timeout=10)
        return owner.post_json("/api/models/enroll-asset/", {"asset_id": asset}, status="*")

    with ThreadPoolExecutor(4) as pool:
        replies = [future.result() for future in [pool.submit(send) for _ in range(4)]]

    assert sorted(reply.status_int for reply in replies) == [200, 200, 200, 201]
    assert len({reply.json["id"] for reply in replies}) == 1


@pytest.mark.parametrize("asset_id", [UNKNOWN, "x", ""])
def test_enrolling_an_unknown_asset_is_not_found(owner: Any, asset_id: str) -> None:
    assert enroll(owner, 404, asset_id=asset_id)["code"] == "not_found"


def test_enrolling_another_teams_asset_is_not_found(registry: Any, owner: Any, other: Any) -> None:
    foreign = add_asset(registry, other.team_id)

    assert enroll(owner, 404, asset_id=foreign) == enroll(owner, 404, asset_id=UNKNOWN)


def test_enrolling_a_deleted_asset_is_not_found(registry: Any, owner: Any) -> None:
    enroll(owner, 404, asset_id=add_asset(registry, owner.team_id, deleted_at=datetime.now(UTC)))


def test_enrolling_what_is_no_picture_is_refused(registry: Any, owner: Any) -> None:
    clip = add_asset(registry, owner.team_id, asset_type=AssetType.VIDEO)

    assert list(enroll(owner, 400, asset_id=clip)) == ["asset_id"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "asset_id"),
        ({"asset_id": None}, "asset_id"),
        ({"asset_id": 5}, "asset_id"),
        ({"asset_id": UNKNOWN, "name": 5}, "name"),
        ({"asset_id": UNKNOWN, "name": "x" * 256}, "name"),
        ({"asset_id": UNKNOWN, "name": "\x00"}, "name"),
    ],
)
def test_a_wrong_value_is_refused_on_its_field(owner: Any, body: dict[str, Any], field: str) -> None:
    assert list(enroll(owner, 400, **body)) == [field]


def test_read_only_and_unknown_fields_are_ignored(owner: Any, other: Any, asset: str) -> None:
    made = enroll(
        owner, asset_id=asset, id=UNKNOWN, is_official=True, team_id=str(other.team_id), tags=["x"], x=1
    )

    assert made["id"] != UNKNOWN
    assert (made["is_official"], made["tags"]) == (False, [])
    assert names(other) == []


def test_a_viewer_may_not_enroll(owner: Any, make_client: Any, asset: str) -> None:
    assert enroll(make_client("viewer", owner.team_id), 403)["code"] == "permission_denied"


def test_the_same_key_enrolls_once(owner: Any, asset: str) -> None:
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    body = {"asset_id": asset}
    first = owner.post_json("/api/models/enroll-asset/", body, headers=headers, status=201)

    again = owner.post_json("/api/models/enroll-asset/", body, headers=headers, status=201)

    assert again.json == first.json


def test_delete_answers_nothing_and_is_final(owner: Any, asset: str) -> None:
    path = f"/api/models/{enroll(owner, asset_id=asset)['id']}/"

    assert owner.delete(path, status=204).body == b""
    owner.delete(path, status=404)


def test_delete_keeps_the_portrait(owner: Any, asset: str) -> None:
    owner.delete(f"/api/models/{enroll(owner, asset_id=asset)['id']}/")

    owner.get(f"/api/assets/{asset}/", status=200)


def test_an_official_presenter_can_not_be_deleted(owner: Any, official: str) -> None:
    assert owner.delete(f"/api/models/{official}/", status=403).json["code"] == "permission_denied"
    assert names(owner) == ["Template"]


@pytest.mark.parametrize("presenter_id", [UNKNOWN, "x"])
def test_deleting_an_unknown_presenter_is_not_found(owner: Any, presenter_id: str) -> None:
    owner.delete(f"/api/models/{presenter_id}/", status=404)


def test_deleting_another_teams_presenter_is_not_found(owner: Any, other: Any, asset: str) -> None:
    made = enroll(owner, asset_id=asset)

    other.delete(f"/api/models/{made['id']}/", status=404)

    assert names(owner) == ["Portrait"]


def test_a_viewer_may_not_delete(owner: Any, make_client: Any, asset: str) -> None:
    made = enroll(owner, asset_id=asset)

    make_client("viewer", owner.team_id).delete(f"/api/models/{made['id']}/", status=403)


def found(database: Any, team_id: uuid.UUID, presenter_id: str) -> ModelEntity | None:
    with database() as session:
        enter_team(session, team_id)
        return Presenters(session, team_id).find(uuid.UUID(presenter_id))


def test_find_knows_own_and_official_presenters(owner: Any, official: str, database: Any, asset: str) -> None:
    mine = enroll(owner, asset_id=asset)

    for presenter_id in (mine["id"], official):
        presenter = found(database, owner.team_id, presenter_id)
        assert presenter is not None
        assert presenter.portrait.file.path.startswith("/api/media/")


def test_find_does_not_know_foreign_unknown_or_deleted_ones(
    owner: Any, other: Any, database: Any, asset: str
) -> None:
    mine = enroll(owner, asset_id=asset)
    assert found(database, other.team_id, mine["id"]) is None
    assert found(database, owner.team_id, UNKNOWN) is None
    owner.delete(f"/api/models/{mine['id']}/")

    assert found(database, owner.team_id, mine["id"]) is None


def test_a_deleted_presenter_stays_stored(owner: Any, database: Any, asset: str) -> None:
    owner.delete(f"/api/models/{enroll(owner, asset_id=asset)['id']}/")

    with database() as session:
        assert session.scalar(select(func.count()).select_from(ModelEntity)) == 1
