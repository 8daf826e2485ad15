"""Every route that names something by its id, with another team's id: as if it didn't exist."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from webtest import TestResponse

from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import AITask, TaskType
from contentsvc.http.operations import Operation
from contentsvc.http.permissions import Permission
from tests import media_samples
from tests.functional.conftest import Client, MakeClient
from tests.functional.library import add_asset
from tests.functional.projecting import add_project
from tests.functional.telling import inbox, notice, tell
from tests.functional.walking import operations_of

Ids = dict[str, str]
Maker = Callable[[Registry, Client], Ids]

UPLOADED = [("file", "cup.png", media_samples.image("PNG"))]


def _asset(_registry: Registry, owner: Client) -> Ids:
    return {"id": owner.post("/api/assets/upload/", upload_files=UPLOADED).json["id"]}


def _deleted_asset(registry: Registry, owner: Client) -> Ids:
    ids = {"id": add_asset(registry, owner.team_id)}
    owner.delete(f"/api/assets/{ids['id']}/")
    return ids


def _portrait(registry: Registry, owner: Client) -> Ids:
    return {"id": add_asset(registry, owner.team_id, category="person")}


def _product(registry: Registry, owner: Client) -> Ids:
    images = [add_asset(registry, owner.team_id), add_asset(registry, owner.team_id)]
    made = owner.post_json("/api/products/", {"title": "Cup", "images": images}).json
    return {"id": made["id"], "image_id": made["images"][0]["id"]}


def _archived_product(registry: Registry, owner: Client) -> Ids:
    ids = _product(registry, owner)
    owner.delete(f"/api/products/{ids['id']}/")
    return ids


def _presenter(registry: Registry, owner: Client) -> Ids:
    asset = add_asset(registry, owner.team_id)
    return {"id": owner.post_json("/api/models/enroll-asset/", {"asset_id": asset}).json["id"]}


def _project(registry: Registry, owner: Client) -> Ids:
    return {"id": add_project(registry, owner.team_id)}


def _task(registry: Registry, owner: Client, task_type: TaskType = TaskType.FREE_IMAGE) -> Ids:
    with transaction_scope(registry, owner.team_id) as session:
        task = AITask(team_id=owner.team_id, task_type=task_type, estimated_cost=0, created_by=owner.user_id)
        session.add(task)
        session.flush()
        return {"id": str(task.id)}


def _video(registry: Registry, owner: Client) -> Ids:
    return _task(registry, owner, TaskType.FREE_VIDEO)


def _video_reference(_registry: Registry, owner: Client) -> Ids:
    return {"id": owner.post("/api/ai/video-references/", upload_files=UPLOADED).json["id"]}


def _login(_registry: Registry, owner: Client) -> Ids:
    return {"id": owner.get("/api/auth/me/sessions/").json[0]["id"]}


def _invitation(_registry: Registry, owner: Client) -> Ids:
    return {"id": owner.post_json("/api/auth/team/invitations/", {}).json["id"]}


def _notification(registry: Registry, owner: Client) -> Ids:
    tell(registry, [owner], notice())
    return {"id": inbox(owner)["results"][0]["id"]}


def _member(_registry: Registry, owner: Client) -> Ids:
    body = {"username": f"user-{uuid.uuid4()}", "password": "correct horse battery"}
    return {"id": owner.post_json("/api/auth/team/members/", body).json["id"]}


# What the ids of a path name. A route that is missing here fails the walk.
MAKERS: dict[str, Maker] = {
    "/api/ai/tasks/{id}/": _task,
    "/api/ai/tasks/{id}/explain/": _task,
    "/api/ai/video-references/{id}/": _video_reference,
    "/api/ai/video-references/{id}/poll/": _video_reference,
    "/api/ai/videos/{id}/": _video,
    "/api/ai/videos/{id}/favorite/": _video,
    "/api/assets/{id}/": _asset,
    "/api/assets/{id}/purge/": _deleted_asset,
    "/api/assets/{id}/raw/": _asset,
    "/api/assets/{id}/restore/": _deleted_asset,
    "/api/assets/{id}/submit-review/": _portrait,
    "/api/auth/me/sessions/{id}/revoke/": _login,
    "/api/auth/team/invitations/{id}/revoke/": _invitation,
    "/api/auth/team/members/{id}/": _member,
    "/api/auth/team/members/{id}/password/": _member,
    "/api/models/{id}/": _presenter,
    "/api/ops/notifications/{id}/archive/": _notification,
    "/api/ops/notifications/{id}/mark-read/": _notification,
    "/api/products/{id}/": _product,
    "/api/products/{id}/images/": _product,
    "/api/products/{id}/images/{image_id}/": _product,
    "/api/products/{id}/materials/": _product,
    "/api/products/{id}/purge/": _archived_product,
    "/api/products/{id}/restore/": _archived_product,
}

# Every route below a project names the project; its other ids are in bodies.
PROJECT = "/api/projects/{id}/"
# What these look up is made by other calls, so a new project has none: 404 for its own team too.
NOTHING_YET = {"poll-storyboard", "poll-export"}


def make_ids(path: str, registry: Registry, owner: Client) -> Ids:
    """What a path names, of this owner's team; the ids it needs."""
    maker = _project if path.startswith(PROJECT) else MAKERS[path]
    return maker(registry, owner)


@pytest.fixture
def operations(registry: Registry) -> list[Operation]:
    """The operations on paths with an id that a team may use. Files have keys that nobody can guess."""
    return [
        operation
        for operation in operations_of(registry)
        if "{" in operation.path and operation.permission not in (Permission.PUBLIC, Permission.PLATFORM)
    ]


def _call(client: Client, operation: Operation, ids: Ids) -> TestResponse:
    path = re.sub(r"{(\w+)}", lambda match: ids[match[1]], operation.path)
    if operation.upload is not None:
        return client.post(path, upload_files=UPLOADED, expect_errors=True)
    body = b"{}" if operation.body is not None else b""
    return client.request(
        path, method=operation.method, body=body, content_type="application/json", expect_errors=True
    )


def _told(reply: TestResponse) -> tuple[Any, ...]:
    """All that a client can tell replies apart by, but for the request's id."""
    headers = sorted(item for item in reply.headerlist if item[0] != "X-Request-ID")
    return reply.status_int, reply.body, headers


def _unknown(ids: Ids) -> Ids:
    return {name: str(uuid.uuid4()) for name in ids}


def _walk(
    registry: Registry, operations: list[Operation], maker_of: Client
) -> Iterator[tuple[Operation, Ids]]:
    for operation in operations:
        yield operation, make_ids(operation.path, registry, maker_of)


def test_every_path_with_an_id_has_a_maker(operations: list[Operation]) -> None:
    paths = {operation.path for operation in operations if not operation.path.startswith(PROJECT)}
    assert paths == set(MAKERS)


def test_another_teams_things_do_not_exist(
    registry: Registry, operations: list[Operation], owner: Client, other: Client
) -> None:
    seen = {
        f"{operation.method} {operation.path}": _call(owner, operation, ids).status_int
        for operation, ids in _walk(registry, operations, other)
    }
    assert {name: status for name, status in seen.items() if status != 404} == {}


def test_another_teams_things_can_not_be_told_from_unknown_ones(
    registry: Registry, operations: list[Operation], owner: Client, other: Client
) -> None:
    different = [
        f"{operation.method} {operation.path}"
        for operation, ids in _walk(registry, operations, other)
        if _told(_call(owner, operation, ids)) != _told(_call(owner, operation, _unknown(ids)))
    ]
    assert different == []


def test_their_own_team_finds_them(
    registry: Registry, operations: list[Operation], make_client: MakeClient
) -> None:
    """The control: the ids of the walk are right, so the 404s are about the team."""
    seen = {}
    for operation in operations:
        # A new team for each: one of the operations ends the very session that calls it.
        team = make_client()
        ids = make_ids(operation.path, registry, team)
        seen[f"{operation.method} {operation.path}"] = _call(team, operation, ids).status_int
    refused = {name: status for name, status in seen.items() if status not in (200, 201, 204)}
    # Some want more than an empty body: they have found what the path names when they say so.
    assert {name: status for name, status in refused.items() if not _found(name, status)} == {}


def _found(name: str, status: int) -> bool:
    if name in ("POST /api/auth/team/members/{id}/password/", "POST /api/ai/videos/{id}/favorite/"):
        return status == 400
    _, _, action = name.partition(PROJECT)
    return bool(action) and (status < 404 or action.rstrip("/") in NOTHING_YET)


def test_what_a_team_is_refused_stays_as_it_was(
    registry: Registry, operations: list[Operation], owner: Client, other: Client
) -> None:
    walked = [(operation, ids) for operation, ids in _walk(registry, operations, other)]
    before = _state(other)
    for operation, ids in walked:
        _call(owner, operation, ids)
    assert _state(other) == before


def _state(client: Client) -> list[Any]:
    """What the walked operations could have changed."""
    paths = (
        "/api/assets/?in_library=all",
        "/api/trash/",
        "/api/auth/me/sessions/",
        "/api/auth/team/invitations/",
        "/api/auth/team/members/",
        "/api/models/",
        "/api/ops/notifications/",
        "/api/products/",
        "/api/projects/",
        "/api/products/trash/",
        "/api/ai/tasks/",
    )
    return [client.get(path).json for path in paths]


def test_own_products_do_not_open_another_teams_images(
    registry: Registry, owner: Client, other: Client
) -> None:
    own, foreign = _product(registry, owner), _product(registry, other)
    owner.delete(f"/api/products/{own['id']}/images/{foreign['image_id']}/", status=404)


def test_malformed_ids_name_nothing(operations: list[Operation], owner: Client) -> None:
    seen = {
        (f"{operation.method} {operation.path}", bad): _call(
            owner, operation, {"id": bad, "image_id": bad}
        ).status_int
        for operation in operations
        for bad in ("1", "not-an-id", "%7B" + str(uuid.uuid4()) + "%7D", "0" * 5000)
    }
    assert {key: status for key, status in seen.items() if status != 404} == {}


def test_the_back_office_is_closed_to_team_owners(registry: Registry, owner: Client) -> None:
    seen = {
        f"{operation.method} {operation.path}": _call(owner, operation, {"id": str(uuid.uuid4())}).status_int
        for operation in operations_of(registry)
        if operation.path.startswith("/api/admin/")
    }
    assert len(seen) > 10
    assert {name: status for name, status in seen.items() if status != 403} == {}


def test_whatever_is_for_the_platform_lies_in_the_back_office(registry: Registry) -> None:
    platform = {
        operation.path for operation in operations_of(registry) if operation.permission is Permission.PLATFORM
    }
    assert {path for path in platform if not path.startswith("/api/admin/")} == set()
