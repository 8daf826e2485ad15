"""Creating a product, and the shape it is read in."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

import pytest

from contentsvc.assets.models import AssetType
from tests.functional.library import add_asset, add_assets

PRODUCT_KEYS = {
    "id",
    "title",
    "brand",
    "category",
    "target_audience",
    "description",
    "specs",
    "selling_points",
    "cover_asset",
    "cover_url",
    "images",
    "status",
    "created_by",
    "created_at",
    "updated_at",
}
UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def asset(registry: Any, owner: Any) -> str:
    return add_asset(registry, owner.team_id)


def create(client: Any, status: int = 201, /, **body: Any) -> Any:
    return client.post_json("/api/products/", body, status=status).json


def test_reply_has_exactly_the_members_of_a_product(owner: Any, asset: str) -> None:
    assert set(create(owner, cover_asset=asset)) == PRODUCT_KEYS


def test_image_has_exactly_its_members(owner: Any, asset: str) -> None:
    image = create(owner, cover_asset=asset)["images"][0]

    assert set(image) == {"id", "asset", "url", "sort_order", "is_primary"}


def test_all_fields_are_stored(owner: Any, asset: str) -> None:
    sent = {
        "title": "Espresso cup",
        "brand": "Lume",
        "category": "kitchen",
        "target_audience": "people who get up early",
        "description": "A cup, glazed by hand.",
        "specs": {"volume": "90 ml", "weight": 210, "parts": ["cup", {"saucer": True}], "lid": None},
    }

    created = create(owner, images=[asset], **sent)

    read = owner.get(f"/api/products/{created['id']}/").json
    assert {key: read[key] for key in sent} == sent


def test_everything_but_an_image_may_be_left_out(owner: Any, asset: str) -> None:
    created = create(owner, images=[asset])

    assert (created["title"], created["description"], created["specs"]) == ("", "", {})
    assert created["selling_points"] == []


def test_a_new_product_is_active_and_names_its_maker(owner: Any, asset: str) -> None:
    created = create(owner, images=[asset])

    assert created["status"] == "active"
    assert created["created_by"] == str(owner.user_id)


def test_times_are_told_in_utc(owner: Any, asset: str) -> None:
    created = create(owner, images=[asset])

    assert created["created_at"].endswith("Z")
    assert datetime.fromisoformat(created["created_at"]) <= datetime.fromisoformat(created["updated_at"])


def test_cover_alone_counts_as_the_one_image(owner: Any, asset: str) -> None:
    created = create(owner, cover_asset=asset)

    assert [(image["asset"], image["is_primary"]) for image in created["images"]] == [(asset, True)]


def test_cover_with_empty_images_counts_as_the_one_image(owner: Any, asset: str) -> None:
    created = create(owner, cover_asset=asset, images=[])

    assert [image["asset"] for image in created["images"]] == [asset]


def test_first_image_is_the_cover_without_another_word(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[first, second], cover_asset=None)

    assert created["cover_asset"] == first


def test_primary_image_is_the_cover(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[first, {"asset": second, "is_primary": True}])

    assert created["cover_asset"] == second
    assert [image["is_primary"] for image in created["images"]] == [False, True]


def test_of_two_primaries_the_first_wins(registry: Any, owner: Any) -> None:
    assets = add_assets(registry, owner.team_id, 3)

    created = create(
        owner, images=[assets[0], *({"asset": asset, "is_primary": True} for asset in assets[1:])]
    )

    assert created["cover_asset"] == assets[1]
    assert [image["is_primary"] for image in created["images"]] == [False, True, False]


def test_cover_among_the_images_becomes_the_primary(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[{"asset": first, "is_primary": True}, second], cover_asset=second)

    assert created["cover_asset"] == second
    assert [image["is_primary"] for image in created["images"]] == [False, True]


def test_cover_outside_of_the_images_joins_them(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[first], cover_asset=second)

    assert [(image["asset"], image["is_primary"]) for image in created["images"]] == [
        (first, False),
        (second, True),
    ]


def test_cover_url_is_the_primary_images_url(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[first, second], cover_asset=second)

    assert created["cover_url"] == created["images"][1]["url"]
    assert created["cover_url"].startswith("http://localhost/api/media/")


def test_images_come_in_their_sort_order(registry: Any, owner: Any) -> None:
    assets = add_assets(registry, owner.team_id, 3)
    orders = [7, -1, 3]

    created = create(
        owner,
        images=[{"asset": a, "sort_order": n} for a, n in zip(assets, orders, strict=True)],
    )

    assert [image["asset"] for image in created["images"]] == [assets[1], assets[2], assets[0]]
    assert [image["sort_order"] for image in created["images"]] == [-1, 3, 7]


def test_images_without_sort_order_keep_the_order_of_the_list(registry: Any, owner: Any) -> None:
    assets = add_assets(registry, owner.team_id, 4)[::-1]

    created = create(owner, images=assets)

    assert [image["asset"] for image in created["images"]] == assets
    assert [image["sort_order"] for image in created["images"]] == [0, 1, 2, 3]


def test_cover_joins_behind_the_largest_sort_order(registry: Any, owner: Any) -> None:
    first, second = add_assets(registry, owner.team_id, 2)

    created = create(owner, images=[{"asset": first, "sort_order": 2**31 - 1}], cover_asset=second)

    assert [image["asset"] for image in created["images"]] == [first, second]


def test_asset_ids_may_be_written_in_capitals(owner: Any, asset: str) -> None:
    assert create(owner, images=[asset.upper()])["cover_asset"] == asset


def test_selling_points_are_stored_in_order(owner: Any, asset: str) -> None:
    created = create(
        owner,
        images=[asset],
        selling_points=[
            {"title": "Keeps warm", "detail": "Double wall", "sort_order": 2},
            {"title": "Light", "sort_order": 1},
        ],
    )

    points = created["selling_points"]
    assert [(p["title"], p["detail"], p["sort_order"]) for p in points] == [
        ("Light", "", 1),
        ("Keeps warm", "Double wall", 2),
    ]
    assert all(set(point) == {"id", "title", "detail", "sort_order"} for point in points)


def test_unknown_and_read_only_fields_are_ignored(owner: Any, other: Any, asset: str) -> None:
    created = create(
        owner,
        images=[{"asset": asset, "id": UNKNOWN, "url": "https://example.com/", "color": "red"}],
        id=UNKNOWN,
        status="archived",
        team_id=str(other.team_id),
        created_by=str(other.user_id),
        created_at="2001-01-01T00:00:00Z",
        cover_url="https://example.com/",
        surprise=1,
    )

    assert created["id"] != UNKNOWN
    assert created["images"][0]["id"] != UNKNOWN
    assert (created["status"], created["created_by"]) == ("active", str(owner.user_id))
    assert created["created_at"] > "2020"
    assert owner.get(f"/api/products/{created['id']}/").json == created


@pytest.mark.parametrize("body", [{}, {"title": "Cup"}, {"images": []}, {"cover_asset": None}])
def test_without_any_image_it_is_refused(owner: Any, body: dict[str, Any]) -> None:
    assert list(create(owner, 400, **body)) == ["images"]


@pytest.mark.parametrize("kind", [AssetType.VIDEO, AssetType.AUDIO, AssetType.DOCUMENT])
def test_an_asset_that_is_no_image_is_refused(registry: Any, owner: Any, asset: str, kind: str) -> None:
    clip = add_asset(registry, owner.team_id, asset_type=kind)

    assert list(create(owner, 400, images=[asset, clip])) == ["images.1"]
    assert list(create(owner, 400, images=[asset, {"asset": clip}])) == ["images.1.asset"]
    assert list(create(owner, 400, cover_asset=clip)) == ["cover_asset"]


def test_another_teams_asset_is_refused_like_an_unknown_one(
    registry: Any, owner: Any, other: Any, asset: str
) -> None:
    foreign = add_asset(registry, other.team_id)

    refused = create(owner, 400, images=[asset, foreign])

    assert list(refused) == ["images.1"]
    assert refused == create(owner, 400, images=[asset, UNKNOWN])
    assert create(owner, 400, cover_asset=foreign) == create(owner, 400, cover_asset=UNKNOWN)


def test_a_deleted_asset_is_refused_like_an_unknown_one(registry: Any, owner: Any, asset: str) -> None:
    deleted = add_asset(registry, owner.team_id, deleted_at=datetime.fromisoformat("2025-01-01T00:00:00Z"))

    refused = create(owner, 400, images=[asset, {"asset": deleted}])

    assert refused == create(owner, 400, images=[asset, {"asset": UNKNOWN}])
    assert list(refused) == ["images.1.asset"]


def test_an_asset_named_twice_is_refused_where_it_comes_again(owner: Any, asset: str) -> None:
    assert list(create(owner, 400, images=[asset, {"asset": asset.upper()}])) == ["images.1.asset"]
    assert list(create(owner, 400, images=[{"asset": asset}, asset])) == ["images.1"]


def test_cover_that_is_not_the_teams_is_refused_on_its_field(owner: Any, asset: str) -> None:
    assert list(create(owner, 400, images=[asset], cover_asset=UNKNOWN)) == ["cover_asset"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": 5}, "title"),
        ({"title": None}, "title"),
        ({"brand": ["x"]}, "brand"),
        ({"category": True}, "category"),
        ({"target_audience": {}}, "target_audience"),
        ({"description": 1.5}, "description"),
        ({"specs": []}, "specs"),
        ({"specs": "x"}, "specs"),
        ({"selling_points": {}}, "selling_points"),
        ({"selling_points": ["x"]}, "selling_points.0"),
        ({"selling_points": [{}]}, "selling_points.0.title"),
        ({"selling_points": [{"title": "x", "detail": 1}]}, "selling_points.0.detail"),
        ({"selling_points": [{"title": "x", "sort_order": "5"}]}, "selling_points.0.sort_order"),
        ({"selling_points": [{"title": "x", "sort_order": True}]}, "selling_points.0.sort_order"),
        ({"selling_points": [{"title": "x", "sort_order": 2**31}]}, "selling_points.0.sort_order"),
        ({"selling_points": [{"title": "x", "id": 5}]}, "selling_points.0.id"),
        ({"cover_asset": 5}, "cover_asset"),
        ({"cover_asset": "x"}, "cover_asset"),
        ({"images": "x"}, "images"),
        ({"images": None}, "images"),
        ({"images": [5]}, "images.0"),
        ({"images": [None]}, "images.0"),
        ({"images": ["not-an-id"]}, "images.0"),
        ({"images": ["{" + UNKNOWN + "}"]}, "images.0"),
        ({"images": [{}]}, "images.0.asset"),
        ({"images": [{"asset": 5}]}, "images.0.asset"),
        ({"images": [{"asset": "not-an-id"}]}, "images.0.asset"),
        ({"images": [{"asset": UNKNOWN, "is_primary": "yes"}]}, "images.0.is_primary"),
        ({"images": [{"asset": UNKNOWN, "is_primary": 1}]}, "images.0.is_primary"),
        ({"images": [{"asset": UNKNOWN, "sort_order": "1"}]}, "images.0.sort_order"),
        ({"images": [{"asset": UNKNOWN, "sort_order": -(2**31) - 1}]}, "images.0.sort_order"),
        ({"images": [{"asset": UNKNOWN, "sort_order": 10**300}]}, "images.0.sort_order"),
        ({"title": "a\x00b"}, "title"),
        ({"specs": {"a": ["\x00"]}}, "specs.a.0"),
        ({"title": "x" * 256}, "title"),
        ({"brand": "x" * 256}, "brand"),
        ({"description": "x" * 20_001}, "description"),
        ({"selling_points": [{"title": "x" * 256}]}, "selling_points.0.title"),
        ({"selling_points": [{"title": "x"}] * 51}, "selling_points"),
        ({"images": [UNKNOWN] * 51}, "images"),
        ({"specs": {"text": "ü" * 33_000}}, "specs"),
    ],
)
def test_a_wrong_value_is_refused_on_its_field(
    owner: Any, asset: str, body: dict[str, Any], field: str
) -> None:
    refused = create(owner, 400, **({"cover_asset": asset} | body))

    assert list(refused) == [field]
    assert all(isinstance(message, str) for message in refused[field])


def test_fields_take_their_longest_value(owner: Any, asset: str) -> None:
    sent = {"title": "t" * 255, "description": "d" * 20_000, "specs": {"k": "v" * 65_000}}

    created = create(owner, cover_asset=asset, **sent)

    assert {key: created[key] for key in sent} == sent


def test_numbers_in_specs_come_back_as_they_were(owner: Any, asset: str) -> None:
    specs = {"whole": 2**70, "fraction": 0.1, "zero": -0.5e-7}

    created = create(owner, cover_asset=asset, specs=specs)

    assert owner.get(f"/api/products/{created['id']}/").json["specs"] == specs


def test_refused_product_is_not_stored(owner: Any, asset: str) -> None:
    create(owner, 400, title="Ghost", images=[asset, UNKNOWN])

    assert owner.get("/api/products/").json["count"] == 0


@pytest.mark.parametrize("role", ["member", "admin"])
def test_members_may_create(registry: Any, owner: Any, make_client: Any, asset: str, role: str) -> None:
    create(make_client(role, owner.team_id), cover_asset=asset)


def test_a_viewer_may_not_create_whatever_he_sends(owner: Any, make_client: Any) -> None:
    viewer = make_client("viewer", owner.team_id)

    assert create(viewer, 403, images=5)["code"] == "permission_denied"


def test_an_administrator_without_team_may_not_create(admin: Any) -> None:
    assert create(admin, 403)["code"] == "permission_denied"


def test_nobody_may_create_without_token(api: Any) -> None:
    assert api.post_json("/api/products/", {}, status=401).json["code"] == "not_authenticated"


def test_the_same_key_makes_one_product(owner: Any, asset: str) -> None:
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    first = owner.post_json("/api/products/", {"cover_asset": asset}, headers=headers, status=201)

    again = owner.post_json("/api/products/", {"cover_asset": asset}, headers=headers, status=201)

    assert json.loads(again.body) == first.json
    assert again.headers["Idempotent-Replay"] == "true"
    assert owner.get("/api/products/").json["count"] == 1
