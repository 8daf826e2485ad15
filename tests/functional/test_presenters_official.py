"""Official presenters: made by the administrator, used by every team, changed by none."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.assets.models import Asset
from contentsvc.backoffice.models import AuditRecord
from contentsvc.db.tenancy import official_too
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from tests.fakes.provider import fake_provider
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_fake_models, order, read
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_product, add_project
from tests.functional.queries import count_queries
from tests.media_samples import image

ADMIN = "/api/admin/presenters/"
LIBRARY = "/api/models/"

Publish = Callable[..., dict[str, Any]]


@pytest.fixture
def publish(admin: Client) -> Publish:
    """``publish(name="Vera", …)``: an official presenter with a portrait of its own."""

    def make(**fields: str) -> dict[str, Any]:
        files = [("file", "vera.png", image("PNG"))]
        made: dict[str, Any] = admin.post(
            ADMIN, {"name": "Vera", **fields}, upload_files=files, status=201
        ).json
        return made

    return make


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        made = Studio(registry, database, server)
        yield made
        assert made.faults() == []


def audited(database: Database) -> list[tuple[str, Any, Any]]:
    with database() as session:
        rows = session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)).all()
        return [(row.action, row.before, row.after) for row in rows]


# The back office


def test_the_administrator_uploads_one(admin: Client, publish: Publish) -> None:
    made = publish(description="Calm", tags="calm, studio")
    assert (made["name"], made["description"], made["tags"]) == ("Vera", "Calm", ["calm", "studio"])
    assert (made["is_official"], made["source_asset"], made["three_views"]) == (True, None, [])
    assert (made["portrait"]["category"], made["portrait"]["created_by"]) == ("model_portrait", None)
    assert admin.get(ADMIN).json["results"] == [made]


@pytest.mark.parametrize(("q", "names"), [("ver", ["Vera"]), ("STUDIO", ["Otto"]), ("%", [])])
def test_the_administrators_list_is_searched(
    admin: Client, publish: Publish, q: str, names: list[str]
) -> None:
    publish()
    publish(name="Otto", tags="studio")
    assert [row["name"] for row in admin.get(ADMIN, {"q": q}).json["results"]] == names


def test_the_list_has_no_presenters_of_teams(admin: Client, owner: Client, registry: Registry) -> None:
    asset = add_asset(registry, owner.team_id)
    own = owner.post_json("/api/models/enroll-asset/", {"asset_id": asset}).json["id"]
    assert admin.get(ADMIN).json["count"] == 0
    admin.patch_json(f"{ADMIN}{own}/", {"name": "Mine"}, status=404)
    admin.delete(f"{ADMIN}{own}/", status=404)


def test_the_list_asks_the_same_however_long(registry: Registry, admin: Client, publish: Publish) -> None:
    publish()
    with count_queries(registry) as few:
        admin.get(ADMIN)
    publish(name="Otto")
    publish(name="Ida")
    with count_queries(registry) as many:
        admin.get(ADMIN)
    assert len(many) == len(few)


def test_a_change_keeps_what_is_not_sent(admin: Client, publish: Publish) -> None:
    made = publish(description="Calm", tags="calm")
    changed = admin.patch_json(f"{ADMIN}{made['id']}/", {"name": "Vera II", "is_official": False}).json
    assert changed == {**made, "name": "Vera II"}


@pytest.mark.parametrize("tags", [["a", " b ", "a", ""], "a, b,a,,"])
def test_tags_are_a_list_or_one_text(admin: Client, publish: Publish, tags: Any) -> None:
    path = f"{ADMIN}{publish()['id']}/"
    assert admin.patch_json(path, {"tags": tags}).json["tags"] == ["a", "b"]


@pytest.mark.parametrize(
    ("body", "field"),
    [({"name": ""}, "name"), ({"name": None}, "name"), ({"tags": [5]}, "tags.0"), ({"tags": 5}, "tags")],
)
def test_a_wrong_value_is_refused(admin: Client, publish: Publish, body: Any, field: str) -> None:
    assert list(admin.patch_json(f"{ADMIN}{publish()['id']}/", body, status=400).json) == [field]


def test_what_is_no_picture_is_refused(admin: Client) -> None:
    reply = admin.post(ADMIN, {}, upload_files=[("file", "a.png", b"%PDF-1.7 x %%EOF")], status=400)
    assert list(reply.json) == ["file"]


def test_unknown_ones_are_not_found(admin: Client) -> None:
    for known in (str(uuid.uuid4()), "x"):
        admin.patch_json(f"{ADMIN}{known}/", {}, status=404)
        admin.delete(f"{ADMIN}{known}/", status=404)


def test_only_the_administrator_gets_in(owner: Client, publish: Publish) -> None:
    path = f"{ADMIN}{publish()['id']}/"
    owner.get(ADMIN, status=403)
    owner.post(ADMIN, {}, upload_files=[("file", "a.png", image("PNG"))], status=403)
    owner.patch_json(path, {"name": "Mine"}, status=403)
    owner.delete(path, status=403)


def test_changes_are_audited_with_before_and_after(
    admin: Client, publish: Publish, database: Database
) -> None:
    made = publish(tags="calm")
    path = f"{ADMIN}{made['id']}/"
    admin.patch_json(path, {"name": "Vera"})
    admin.patch_json(path, {"name": "Otto"})
    admin.delete(path)
    state = {"name": "Vera", "description": "", "tags": ["calm"], "portrait_asset_id": made["portrait"]["id"]}
    assert audited(database) == [
        ("presenter.create", None, state),
        ("presenter.change", state, {**state, "name": "Otto"}),
        ("presenter.delete", {**state, "name": "Otto"}, None),
    ]


# In every team's library


def test_every_team_sees_it(owner: Client, other: Client, publish: Publish) -> None:
    made = publish()
    for client in (owner, other):
        assert client.get(LIBRARY, {"tab": "official"}).json["results"] == [made]
        assert client.get(LIBRARY, {"tab": "mine"}).json["count"] == 0
        assert client.get(LIBRARY, {"q": "vera"}).json["count"] == 1


def test_every_team_can_look_at_its_portrait(owner: Client, publish: Publish) -> None:
    portrait = publish()["portrait"]
    assert owner.get(f"/api/assets/{portrait['id']}/").json == portrait
    assert owner.get(f"/api/assets/{portrait['id']}/raw/").body == image("PNG")
    assert owner.get(portrait["preview_url"]).content_type == "image/png"


def test_its_portrait_is_in_no_list(owner: Client, publish: Publish) -> None:
    publish()
    for path in ("/api/assets/?in_library=all", "/api/assets/?category=model_portrait", "/api/trash/"):
        assert owner.get(path).json["count"] == 0


def test_no_team_can_touch_its_portrait(owner: Client, publish: Publish, registry: Registry) -> None:
    portrait = publish()["portrait"]["id"]
    path = f"/api/assets/{portrait}/"
    owner.patch_json(path, {"name": "Mine"}, status=404)
    owner.delete(path, status=404)
    owner.post(f"{path}submit-review/", status=404)
    owner.post(f"{path}restore/", status=404)
    owner.delete(f"{path}purge/", status=404)
    owner.post_json("/api/models/enroll-asset/", {"asset_id": portrait}, status=404)
    owner.post_json("/api/products/", {"title": "Cup", "images": [portrait]}, status=400)
    project = add_project(registry, owner.team_id)
    body = {"asset_id": portrait, "kind": "person", "label": "Vera"}
    act(owner, project, "attach-base-asset", body, status=404)
    assert owner.get(path).json["name"] == "vera.png"


def test_no_team_can_delete_it(owner: Client, publish: Publish) -> None:
    made = publish()
    assert owner.delete(f"{LIBRARY}{made['id']}/", status=403).json["code"] == "permission_denied"


def test_deleted_it_leaves_every_library(admin: Client, owner: Client, publish: Publish) -> None:
    made = publish()
    assert admin.delete(f"{ADMIN}{made['id']}/", status=204).body == b""
    assert owner.get(LIBRARY).json["count"] == admin.get(ADMIN).json["count"] == 0
    owner.get(f"/api/assets/{made['portrait']['id']}/", status=404)
    owner.delete(f"{LIBRARY}{made['id']}/", status=404)
    admin.delete(f"{ADMIN}{made['id']}/", status=404)


def test_a_teams_scope_shows_it_only_to_who_asks_and_never_to_writers(
    owner: Client, publish: Publish, database: Database
) -> None:
    publish()
    with database(owner.team_id) as session:
        assert session.scalars(select(Asset.name)).all() == []
        with official_too(session):
            assert session.scalars(select(Asset.name)).all() == ["vera.png"]
            written = session.execute(update(Asset).values(name="Mine").returning(Asset.id)).all()
        assert written == []
        assert session.scalars(select(Asset.name)).all() == []


# At work


def test_a_try_on_shows_the_official_presenter(
    studio: Studio, registry: Registry, owner: Client, publish: Publish
) -> None:
    made = publish()
    product = add_product(registry, owner.team_id)
    [task_id] = order(
        owner, mode="model", product_id=product, model_entity_id=made["id"], reference_product=False
    )
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], studio.provider.orders[0]["references"]) == ("succeeded", ["presenter"])
    [work] = task["assets"]
    assert (work["category"], work["metadata"]["model_entity_id"]) == ("model_tryon", made["id"])
    assert owner.get("/api/assets/?tab=tryon").json["results"] == [work]


@pytest.mark.parametrize("field", ["model_id", "reference_image_ids"])
def test_its_portrait_can_be_referred_to(studio: Studio, owner: Client, publish: Publish, field: str) -> None:
    portrait = publish()["portrait"]["id"]
    [task_id] = order(owner, mode="model", **{field: portrait if field == "model_id" else [portrait]})
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert len(studio.provider.orders[0]["references"]) == 1


def test_an_order_survives_its_presenter(
    studio: Studio, admin: Client, owner: Client, publish: Publish
) -> None:
    made = publish()
    [task_id] = order(owner, mode="model", model_entity_id=made["id"])
    admin.delete(f"{ADMIN}{made['id']}/")
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


def test_a_deleted_one_can_not_be_ordered(
    studio: Studio, admin: Client, owner: Client, publish: Publish
) -> None:
    made = publish()
    admin.delete(f"{ADMIN}{made['id']}/")
    for field, value in (("model_entity_id", made["id"]), ("model_id", made["portrait"]["id"])):
        body = {"prompt": "a quiet table", "mode": "model", field: value}
        assert list(owner.post_json("/api/ai/generate-image/", body, status=400).json) == [field]
