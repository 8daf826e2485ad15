"""Two teams with one of each thing: whatever one of them asks for, nothing of the other's appears."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from webtest import TestResponse

from contentsvc.db.session import transaction_scope
from contentsvc.http.operations import Operation
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.plugin import Capability
from tests.contract.operations import OPERATIONS, Contracted, Who
from tests.contract.populating import PNG, Populated, populate
from tests.fakes.trades import every_trade
from tests.functional.conftest import Client, sign_up, start_empty, stranger
from tests.functional.filming import set_default_model
from tests.functional.walking import operations_of

# The back office shows all teams; what is public shows none.
OF_A_TEAM = [one for one in OPERATIONS if one.who not in (Who.PUBLIC, Who.PLATFORM)]
# These would end the token that the walk itself uses.
FAREWELLS = ("POST /api/auth/logout/", "POST /api/auth/me/sessions/revoke-others/")
# What the id of a path names, by the path's beginning; the first that fits counts.
SUBJECTS = (
    ("/api/ai/tasks/", "task"),
    ("/api/ai/video-references/", "reference"),
    ("/api/ai/videos/", "video"),
    ("/api/assets/{id}/purge/", "deleted_asset"),
    ("/api/assets/{id}/restore/", "deleted_asset"),
    ("/api/assets/", "asset"),
    ("/api/auth/me/sessions/", "session"),
    ("/api/auth/team/invitations/", "invitation"),
    ("/api/auth/team/members/", "member"),
    ("/api/models/", "presenter"),
    ("/api/ops/notifications/", "notification"),
    ("/api/products/{id}/purge/", "archived_product"),
    ("/api/products/{id}/restore/", "archived_product"),
    ("/api/products/", "product"),
    ("/api/projects/", "project"),
)
FREE_VIDEO = {"prompt": "steam", "task_type": "free_video"}
# What a body needs beside the id in question to be looked at that far.
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/ai/estimate/": {"prompt": "steam", "task_type": "free_image", "mode": "model"},
    "POST /api/ai/estimate/ reference_ids[]": FREE_VIDEO,
    "POST /api/ai/estimate/ first_frame_id": FREE_VIDEO,
    "POST /api/ai/estimate/ last_frame_id": FREE_VIDEO,
    "POST /api/ai/estimate/ reference_asset_id": {"prompt": "steam", "task_type": "scene_image"},
    "POST /api/ai/estimate/ video_segment_id": {"prompt": "steam", "task_type": "video_segment"},
    "POST /api/ai/generate-image/": {"prompt": "steam", "mode": "model"},
    "POST /api/ai/generate-video/": {"prompt": "steam"},
    "POST /api/projects/": {"name": "Film"},
    "POST /api/projects/{id}/generate-base-asset/": {"kind": "scene", "prompt": "steam"},
    "POST /api/projects/{id}/script-agent-stream/": {"mode": "auto"},
    "POST /api/projects/{id}/set-base-asset-adopt/": {"state": "unadopted"},
    "POST /api/projects/{id}/submit-video-segment/": {"prompt": "steam"},
}
# The other ids of a body are the caller's own, so that only the one in question can be refused.
COMPANIONS = {"group_id", "asset_id", "shot_id", "version_id", "video_segment_id"}
# The contract: unknown ids are left out of these lists, and an unknown batch is a new one.
LEFT_OUT = {"ids[]", "batch_id"}
FILTERS = {"product", "project"}


@pytest.fixture(scope="module")
def teams(configured: Any, wsgi: Any) -> Iterator[tuple[Populated, Populated]]:
    """This team and the other, for all tests of the module; every order is taken and nobody does it."""
    registry = configured.registry
    start_empty(registry)
    beat_once(registry, list(Queue))
    with every_trade() as provider:
        with transaction_scope(registry) as session:
            for capability in Capability:
                set_default_model(session, capability, provider.url, price="0.0001")
        ours, theirs = (sign_up(registry, stranger(wsgi), balance=100) for _ in range(2))
        yield populate(registry, ours, "quagga"), populate(registry, theirs, "okapi")


@pytest.fixture(autouse=True)
def online(configured: Any, teams: object) -> None:
    """Somebody lives who would do the orders."""
    beat_once(configured.registry, list(Queue))


@pytest.fixture(scope="module")
def declared(configured: Any) -> dict[str, Operation]:
    return {f"{one.method} {one.path}": one for one in operations_of(configured.registry)}


def _path(operation: Contracted, ids: dict[str, str]) -> str:
    subject = next((kind for start, kind in SUBJECTS if operation.path.startswith(start)), "")
    named = {"id": ids.get(subject, ""), "image_id": ids["image"]}
    return re.sub(r"{(\w+)}", lambda match: named[match[1]], operation.path)


def _send(client: Client, declared: Operation, path: str, body: dict[str, Any] | None = None) -> TestResponse:
    if declared.upload is not None:
        files = [("file", "cup.png", PNG)]
        return client.post(path, body or {}, upload_files=files, expect_errors=True)
    if declared.method == "GET":
        query = {name: ",".join(one) if isinstance(one, list) else one for name, one in (body or {}).items()}
        return client.get(path, query, expect_errors=True)
    call = getattr(client, f"{declared.method.lower()}_json")
    reply: TestResponse = call(path, body or {}, expect_errors=True)
    return reply


def _told(reply: TestResponse) -> str:
    """Everything a client can read, but for the name of its request."""
    headers = [f"{name}: {value}" for name, value in reply.headerlist if name != "X-Request-ID"]
    return "\n".join([*headers, reply.body.decode("utf-8", "replace")])


def test_nothing_of_another_team_is_in_any_list(
    teams: tuple[Populated, Populated], declared: dict[str, Operation]
) -> None:
    ours, theirs = teams
    leaks = {}
    shown = set()
    for operation in OF_A_TEAM:
        if "{" not in operation.path and operation.label not in FAREWELLS:
            told = _told(
                _send(ours.client, declared[operation.label], operation.path, BODIES.get(operation.label))
            )
            leaks[operation.label] = theirs.found_in(told)
            shown |= set(ours.found_in(told))
    assert {label: words for label, words in leaks.items() if words} == {}
    # The control: this team's own things do appear.
    assert len(shown) > 30


def test_nothing_of_another_team_is_behind_any_id(
    teams: tuple[Populated, Populated], declared: dict[str, Operation]
) -> None:
    ours, theirs = teams
    wrong = {}
    for operation in OF_A_TEAM:
        if "{" in operation.path:
            reply = _send(ours.client, declared[operation.label], _path(operation, theirs.ids))
            # The path of the request may be quoted; the id in it is what the client has sent itself.
            if reply.status_int != 404 or theirs.found_in(_told(reply)):
                wrong[operation.label] = reply.text
    assert wrong == {}


def test_what_the_team_sees_of_its_own_things_holds_nothing_of_another_team(
    teams: tuple[Populated, Populated], declared: dict[str, Operation]
) -> None:
    ours, theirs = teams
    leaks = {}
    for operation in OF_A_TEAM:
        if "{" in operation.path and operation.method == "GET":
            reply = _send(ours.client, declared[operation.label], _path(operation, ours.ids))
            leaks[operation.label] = (reply.status_int, theirs.found_in(_told(reply)))
    assert {label: told for label, told in leaks.items() if told != (200, [])} == {}


def _named(operation: Contracted, name: str, value: str, own: Populated) -> dict[str, Any]:
    """A body that names one thing, and otherwise what is this team's own."""
    body = dict(BODIES.get(f"{operation.label} {name}", BODIES.get(operation.label, {})))
    for companion, kind in operation.names.items():
        if (
            companion in COMPANIONS
            and len(operation.names) > 1
            and operation.path.startswith("/api/projects/")
        ):
            body[companion] = own.ids[kind]
    if name == "last_frame_id":
        body["first_frame_id"] = own.ids["asset"]
    body[name.removesuffix("[]")] = [value] if name.endswith("[]") else value
    return body


def _cases() -> list[tuple[Contracted, str, str]]:
    """Operation, field and kind of thing; what deletes or replaces things comes last."""
    cases = [(one, name, kind) for one in OF_A_TEAM for name, kind in one.names.items()]
    return sorted(cases, key=lambda case: ("agent-stream" in case[0].path, "delete" in case[0].path))


def test_another_teams_id_in_a_body_is_an_unknown_one(
    teams: tuple[Populated, Populated], declared: dict[str, Operation]
) -> None:
    ours, theirs = teams
    wrong = {}
    for operation, name, kind in _cases():
        path = _path(operation, ours.ids)
        foreign, unknown = (
            _send(ours.client, declared[operation.label], path, _named(operation, name, value, ours))
            for value in (theirs.ids[kind], str(uuid.uuid4()))
        )
        if name in LEFT_OUT or (operation.method == "GET" and name in FILTERS):
            fine = foreign.status_int < 300
        else:
            fine = foreign.status_int in (400, 404) and foreign.text == unknown.text
        words = set(theirs.found_in(_told(foreign))) - {theirs.ids[kind].lower()}
        if not fine or words:
            wrong[f"{operation.label} {name}"] = (foreign.status_int, foreign.text[:300], words)
    assert wrong == {}


def test_its_own_ids_in_a_body_are_known(
    teams: tuple[Populated, Populated], declared: dict[str, Operation]
) -> None:
    """The control: the refusals above are about the id, not about the rest of the body."""
    ours, _ = teams
    wrong = {}
    for operation, name, kind in _cases():
        body = _named(operation, name, ours.ids[kind], ours)
        reply = _send(ours.client, declared[operation.label], _path(operation, ours.ids), body)
        unknown = reply.status_int == 404 or (
            reply.status_int == 400 and any(key.startswith(name.removesuffix("[]")) for key in reply.json)
        )
        if unknown:
            wrong[f"{operation.label} {name}"] = (reply.status_int, reply.text[:300])
    assert wrong == {}
