"""The asset library: lists, filters, single assets, changes, raw bytes, other teams."""

from __future__ import annotations

import io
import uuid
from typing import Any

import pytest

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset
from contentsvc.assets.services import Assets
from contentsvc.db.session import transaction_scope
from contentsvc.http.errors import FieldErrors, NotFound
from contentsvc.products.models import Product
from tests.functional.conftest import Client, MakeClient
from tests.functional.library import add_asset, add_assets
from tests.functional.queries import count_queries
from tests.media_samples import exif, image

LIST = "/api/assets/"


@pytest.fixture
def add(registry: Any, owner: Client) -> Any:
    """``add(**fields)``: an asset of the owner's team; its id."""
    return lambda **fields: add_asset(registry, owner.team_id, **fields)


def names(client: Client, query: str = "") -> list[str]:
    return [asset["name"] for asset in client.get(f"{LIST}{query}").json["results"]]


def test_empty_list_has_the_whole_envelope(owner: Client) -> None:
    assert owner.get(LIST).json == {
        "count": 0,
        "page": 1,
        "page_size": 20,
        "next": None,
        "previous": None,
        "results": [],
    }


def test_newest_comes_first(owner: Client, add: Any) -> None:
    for name in ("first", "second", "third"):
        add(name=name)
    assert names(owner) == ["third", "second", "first"]


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        ("created_at", ["b", "c", "a"]),
        ("-created_at", ["a", "c", "b"]),
        ("name", ["a", "b", "c"]),
        ("-name", ["c", "b", "a"]),
        ("size_bytes", ["c", "a", "b"]),
        ("-size_bytes", ["b", "a", "c"]),
    ],
)
def test_ordering(owner: Client, add: Any, ordering: str, expected: list[str]) -> None:
    for name, size in (("b", 30), ("c", 10), ("a", 20)):
        add(name=name, size_bytes=size)
    assert names(owner, f"?ordering={ordering}") == expected


def test_pages_follow_each_other(owner: Client, registry: Any) -> None:
    add_assets(registry, owner.team_id, 5)
    first = owner.get(f"{LIST}?page_size=2&ordering=name").json
    assert (first["count"], len(first["results"]), first["previous"]) == (5, 2, None)
    assert first["next"] == f"http://localhost{LIST}?page_size=2&ordering=name&page=2"


@pytest.mark.parametrize(
    ("tab", "expected"),
    [
        ("tryon", ["tryon"]),
        ("kits", ["kit"]),
        ("creations", ["creation"]),
        ("others", ["plain", "uploaded tryon"]),
    ],
)
def test_tabs(owner: Client, add: Any, tab: str, expected: list[str]) -> None:
    add(name="tryon", category="model_tryon", source="generated")
    add(name="kit", category="platform_kit", source="generated")
    add(name="creation", category="free_create", source="generated")
    add(name="board", category="storyboard", source="generated")
    add(name="uploaded tryon", category="model_tryon", source="uploaded")
    add(name="plain", category="", source="generated")
    assert sorted(names(owner, f"?tab={tab}")) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?category=scene", ["hidden scene", "scene"]),
        ("?category=scene&in_library=true", ["scene"]),
        ("?source=generated", ["clip"]),
        ("?asset_type=video", ["clip"]),
        ("?in_library=false", ["hidden scene"]),
        ("?in_library=all", ["clip", "hidden scene", "scene"]),
        ("", ["clip", "scene"]),
        ("?tab=&category=&source=&asset_type=&product=&in_library=&ordering=&q=", ["clip", "scene"]),
    ],
)
def test_filters(owner: Client, add: Any, query: str, expected: list[str]) -> None:
    add(name="scene", category="scene")
    add(name="hidden scene", category="scene", in_library=False)
    add(name="clip", asset_type="video", source="generated")
    assert sorted(names(owner, query)) == expected


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("CUP", ["Red cup"]),
        ("100%25", ["100% cotton"]),
        ("soft", ["100% cotton"]),
        ("%25", ["100% cotton"]),
        ("_", []),
    ],
)
def test_search_is_literal(owner: Client, add: Any, q: str, expected: list[str]) -> None:
    add(name="Red cup")
    add(name="100% cotton", description="Soft to the skin")
    assert names(owner, f"?q={q}") == expected


def test_product_filter(owner: Client, add: Any, database: Any) -> None:
    with database() as session:
        product = Product(team_id=owner.team_id, title="Cup")
        session.add(product)
    add(name="of it", product_id=product.id)
    add(name="not of it")
    assert names(owner, f"?product={product.id}") == ["of it"]


def test_metadata_filters_compare_text(owner: Client, add: Any) -> None:
    add(name="a", meta={"batch_id": "b1", "index": 1})
    add(name="b", meta={"batch_id": "b1", "index": 2})
    add(name="c", meta={"batch_id": "b2", "final": True})
    assert sorted(names(owner, "?m_batch_id=b1")) == ["a", "b"]
    assert names(owner, "?m_batch_id=b1&m_index=2") == ["b"]
    assert names(owner, "?m_final=true") == ["c"]
    assert names(owner, "?m_nothing=b1") == []


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("tab", "video_packs"),
        ("category", "holiday"),
        ("source", "stolen"),
        ("asset_type", "gif"),
        ("ordering", "id"),
        ("in_library", "maybe"),
        ("product", "nonsense"),
        ("page", "0"),
        ("page_size", "x"),
    ],
)
def test_parameter_that_means_nothing_is_400(owner: Client, parameter: str, value: str) -> None:
    assert list(owner.get(f"{LIST}?{parameter}={value}", status=400).json) == [parameter]


@pytest.mark.parametrize("parameter", ["q", "m_key"])
def test_nul_in_the_query_is_400(owner: Client, parameter: str) -> None:
    owner.get(f"{LIST}?{parameter}=a%00b", status=400)


def test_unknown_product_gives_an_empty_list(owner: Client, add: Any) -> None:
    add()
    assert owner.get(f"{LIST}?product={uuid.uuid4()}").json["count"] == 0


def test_list_takes_the_same_queries_for_200_assets_as_for_1(owner: Client, registry: Any) -> None:
    add_asset(registry, owner.team_id)
    owner.get(LIST)
    with count_queries(registry) as for_one:
        assert len(owner.get(f"{LIST}?page_size=200").json["results"]) == 1
    add_assets(registry, owner.team_id, 199)
    with count_queries(registry) as for_all:
        assert len(owner.get(f"{LIST}?page_size=200").json["results"]) == 200
    assert len(for_all) == len(for_one)


def test_one_asset_answers_what_the_list_shows(owner: Client, add: Any) -> None:
    asset_id = add(meta={"batch_id": "b1"})
    [listed] = owner.get(LIST).json["results"]
    assert owner.get(f"{LIST}{asset_id}/").json == listed
    assert listed["metadata"] == {"batch_id": "b1"}


def test_id_is_found_in_capitals(owner: Client, add: Any) -> None:
    asset_id = add()
    assert owner.get(f"{LIST}{asset_id.upper()}/").json["id"] == asset_id


def test_name_and_description_change(owner: Client, add: Any) -> None:
    path = f"{LIST}{add()}/"
    before = owner.get(path).json
    reply = owner.patch_json(path, {"name": " New ", "description": "Words"}).json
    assert (reply["name"], reply["description"]) == ("New", "Words")
    assert reply["updated_at"] > before["updated_at"]
    assert owner.get(path).json == reply


def test_change_of_nothing_answers_the_asset(owner: Client, add: Any) -> None:
    path = f"{LIST}{add()}/"
    assert owner.patch_json(path, {}).json == owner.get(path).json


def test_other_members_are_never_written(owner: Client, add: Any) -> None:
    path = f"{LIST}{add()}/"
    before = owner.get(path).json
    forbidden = {"category": "scene", "in_library": False, "review_status": "active", "size_bytes": 1}
    assert owner.patch_json(path, forbidden | {"team_id": str(uuid.uuid4()), "metadata": {}}).json == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": None}, "name"),
        ({"name": 5}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"description": None}, "description"),
        ({"description": "x" * 20_001}, "description"),
    ],
)
def test_change_that_does_not_fit_is_400(owner: Client, add: Any, body: dict[str, Any], field: str) -> None:
    assert list(owner.patch_json(f"{LIST}{add()}/", body, status=400).json) == [field]


def test_viewer_reads_and_changes_nothing(make_client: MakeClient, owner: Client, add: Any) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)
    path = f"{LIST}{add()}/"
    assert viewer.get(path).json["name"] == "Cup"
    viewer.patch_json(path, {"name": "x"}, status=403)


ROUTES = [("get", ""), ("get", "raw/"), ("patch_json", "")]


@pytest.mark.parametrize(("method", "rest"), ROUTES)
def test_other_teams_asset_is_404(other: Client, add: Any, method: str, rest: str) -> None:
    body = ({"name": "x"},) if method == "patch_json" else ()
    reply = getattr(other, method)(f"{LIST}{add()}/{rest}", *body, status=404)
    assert reply.json == {"detail": "There is nothing here.", "code": "not_found"}


@pytest.mark.parametrize(("method", "rest"), ROUTES)
@pytest.mark.parametrize("asset_id", ["nonsense", str(uuid.uuid4()), "%7B", "1"])
def test_unknown_id_is_404(owner: Client, method: str, rest: str, asset_id: str) -> None:
    body = ({"name": "x"},) if method == "patch_json" else ()
    assert getattr(owner, method)(f"{LIST}{asset_id}/{rest}", *body, status=404).json["code"] == "not_found"


@pytest.mark.parametrize(("method", "rest"), ROUTES)
def test_deleted_asset_is_404(owner: Client, add: Any, database: Any, method: str, rest: str) -> None:
    asset_id = add()
    with database() as session:
        asset = session.get(Asset, uuid.UUID(asset_id))
        asset.deleted_at = asset.created_at
    body = ({"name": "x"},) if method == "patch_json" else ()
    getattr(owner, method)(f"{LIST}{asset_id}/{rest}", *body, status=404)
    assert owner.get(f"{LIST}?in_library=all").json["count"] == 0


def test_other_teams_list_is_empty(other: Client, add: Any) -> None:
    add()
    assert other.get(f"{LIST}?in_library=all").json["count"] == 0


class TestRaw:
    """The bytes as they came."""

    DATA = image("JPEG", exif=exif())

    @pytest.fixture
    def raw(self, owner: Client) -> str:
        files = [("file", "cup.jpg", self.DATA)]
        asset = owner.post("/api/assets/upload/", upload_files=files, status=201).json
        return f"{LIST}{asset['id']}/raw/"

    def test_answers_the_original(self, owner: Client, raw: str) -> None:
        reply = owner.get(raw)
        assert (reply.body, reply.content_type) == (self.DATA, "image/jpeg")
        assert reply.headers["Cache-Control"] == "private, no-cache"

    def test_known_tag_is_304(self, owner: Client, raw: str) -> None:
        tag = owner.get(raw).headers["ETag"]
        owner.get(raw, headers={"If-None-Match": tag}, status=304)

    def test_range(self, owner: Client, raw: str) -> None:
        assert owner.get(raw, headers={"Range": "bytes=2-5"}, status=206).body == self.DATA[2:6]

    def test_range_outside_is_416(self, owner: Client, raw: str) -> None:
        owner.get(raw, headers={"Range": f"bytes={len(self.DATA)}-"}, status=416)

    def test_needs_a_token(self, api: Any, raw: str) -> None:
        api.get(raw, status=401)

    def test_head_answers_headers_only(self, owner: Client, raw: str) -> None:
        reply = owner.head(raw)
        assert (reply.body, reply.content_length) == (b"", len(self.DATA))


class TestForOtherDomains:
    """What products, presenters and generation call."""

    def test_find_leaves_out_foreign_and_unknown(self, registry: Any, owner: Client, other: Client) -> None:
        own, foreign = (uuid.UUID(add_asset(registry, client.team_id)) for client in (owner, other))
        with transaction_scope(registry, owner.team_id) as session:
            found = Assets(session, owner.team_id).find([own, foreign, uuid.uuid4()])
        assert list(found) == [own]

    def test_required_images_come_in_their_order(self, registry: Any, owner: Client) -> None:
        ids = [uuid.UUID(each) for each in add_assets(registry, owner.team_id, 3)]
        wanted = [("a", ids[2]), ("b", ids[0]), ("c", ids[2])]
        with transaction_scope(registry, owner.team_id) as session:
            found = Assets(session, owner.team_id).require_images(wanted)
        assert [asset.id for asset in found] == [ids[2], ids[0], ids[2]]

    def test_what_is_no_image_is_refused_on_its_field(self, registry: Any, owner: Client) -> None:
        clip = uuid.UUID(add_asset(registry, owner.team_id, asset_type="video"))
        with (
            transaction_scope(registry, owner.team_id) as session,
            pytest.raises(FieldErrors) as caught,
        ):
            Assets(session, owner.team_id).require_images([("x", clip), ("y", uuid.uuid4())])
        assert list(caught.value.errors) == ["x", "y"]

    def test_other_teams_asset_is_not_found(self, registry: Any, owner: Client, other: Client) -> None:
        foreign = uuid.UUID(add_asset(registry, other.team_id))
        with transaction_scope(registry) as session, pytest.raises(NotFound):
            Assets(session, owner.team_id).get(foreign)

    def test_media_ref_reads_the_public_copy(self, registry: Any, owner: Client) -> None:
        files = [("file", "cup.jpg", image("JPEG", exif=exif()))]
        uploaded = owner.post("/api/assets/upload/", upload_files=files, status=201).json
        with transaction_scope(registry, owner.team_id) as session:
            asset = Assets(session, owner.team_id).get(uuid.UUID(uploaded["id"]))
            asset.handles = {"acme": {"file_id": "f-1"}}
            ref = media_ref(registry, asset, "acme")
        with ref.open() as file:
            data = file.read()
        assert (len(data), io.BytesIO(data).read(2)) == (uploaded["size_bytes"], b"\xff\xd8")
        assert (ref.media_type, ref.width, ref.height, ref.public_url) == ("image/jpeg", 64, 48, None)
        assert ref.handles == {"file_id": "f-1"}
        assert media_ref(registry, asset).handles == {}
