"""Bad input of every kind to every operation: refused in the contract's words, never a 500."""

from __future__ import annotations

import itertools
import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from pyramid.registry import Registry
from webtest import TestApp, TestResponse

from contentsvc.http.operations import Operation
from contentsvc.http.permissions import Permission
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from tests import media_samples
from tests.functional.conftest import Client, MakeClient
from tests.functional.library import add_asset
from tests.functional.nasty import (
    BROKEN_BODIES,
    STRANGE,
    UNREADABLE,
    complaint,
    extremes,
    wrong_types,
)
from tests.functional.test_tenants_walk import UPLOADED, make_ids
from tests.functional.walking import operations_of

# Fields that take more than their schema says.
LENIENT = {
    # The contract: what is no UUID starts a new batch.
    ("GenerateImageIn", "batch_id"),
    ("EstimateIn", "batch_id"),
}


@dataclass
class Callers:
    """Whoever may call an operation, with ids that exist."""

    registry: Registry
    api: TestApp
    owner: Client
    admin: Client
    paths: dict[str, str]

    def of(self, operation: Operation) -> TestApp | Client:
        if operation.permission is Permission.PUBLIC:
            return self.api
        return self.admin if operation.permission is Permission.PLATFORM else self.owner

    def path(self, operation: Operation) -> str:
        if operation.path not in self.paths:
            ids = self._ids(operation) if "{" in operation.path else {}
            self.paths[operation.path] = re.sub(r"{(\w+)}", lambda match: ids[match[1]], operation.path)
        return self.paths[operation.path]

    def send(self, operation: Operation, body: bytes, media_type: str = "application/json") -> TestResponse:
        return self.of(operation).request(
            self.path(operation),
            method=operation.method,
            body=body,
            content_type=media_type,
            expect_errors=True,
        )

    def ask(self, operation: Operation, query: str) -> TestResponse:
        return self.of(operation).get(f"{self.path(operation)}?{query}", expect_errors=True)

    def _ids(self, operation: Operation) -> dict[str, str]:
        if operation.permission is not Permission.PLATFORM:
            return make_ids(operation.path, self.registry, self.owner)
        for prefix, maker in ADMIN_MAKERS.items():
            if operation.path.startswith(prefix):
                return {"id": maker(self.admin, self.owner)}
        raise AssertionError(f"add {operation.path} to ADMIN_MAKERS")


def _invitation(admin: Client, _owner: Client) -> str:
    return str(admin.post_json("/api/admin/invitations/", {}).json["id"])


def _provider(admin: Client, _owner: Client) -> str:
    body = {"name": f"n-{uuid.uuid4()}", "display_name": "N"}
    return str(admin.post_json("/api/admin/providers/", body).json["id"])


def _model(admin: Client, owner: Client) -> str:
    body = {
        "provider": _provider(admin, owner),
        "name": "n",
        "display_name": "N",
        "capability": "image_generation",
    }
    return str(admin.post_json("/api/admin/models/", body).json["id"])


def _official_presenter(admin: Client, _owner: Client) -> str:
    return str(admin.post("/api/admin/presenters/", upload_files=UPLOADED).json["id"])


def _quality_word(admin: Client, _owner: Client) -> str:
    return str(admin.post_json("/api/admin/quality-words/", {"stage": "video", "text": "calm"}).json["id"])


def _prompt_template(admin: Client, _owner: Client) -> str:
    return str(admin.get("/api/admin/prompt-templates/").json[0]["id"])


def _quota_policy(admin: Client, owner: Client) -> str:
    return str(admin.post_json("/api/admin/quota-policies/", {"team": str(owner.team_id)}).json["id"])


def _team(_admin: Client, owner: Client) -> str:
    return str(owner.team_id)


def _user(_admin: Client, owner: Client) -> str:
    body = {"username": f"user-{uuid.uuid4()}", "password": "correct horse battery"}
    return str(owner.post_json("/api/auth/team/members/", body).json["id"])


# How an administrator comes by what the id of a path names, by the path's beginning.
ADMIN_MAKERS: dict[str, Callable[[Client, Client], str]] = {
    "/api/admin/invitations/": _invitation,
    "/api/admin/models/": _model,
    "/api/admin/presenters/": _official_presenter,
    "/api/admin/prompt-templates/": _prompt_template,
    "/api/admin/providers/": _provider,
    "/api/admin/quality-words/": _quality_word,
    "/api/admin/quota-policies/": _quota_policy,
    "/api/admin/teams/": _team,
    "/api/admin/users/": _user,
}


@pytest.fixture
def callers(registry: Registry, api: TestApp, owner: Client, admin: Client) -> Callers:
    return Callers(registry, api, owner, admin, {})


@pytest.fixture
def operations(registry: Registry) -> list[Operation]:
    return operations_of(registry)


@pytest.fixture
def with_body(operations: list[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.body is not None]


@pytest.fixture
def with_query(operations: list[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.query is not None]


@pytest.fixture
def with_upload(operations: list[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.upload is not None]


def _name(operation: Operation) -> str:
    return f"{operation.method} {operation.path}"


def _complaint(reply: TestResponse) -> str:
    try:
        document = json.loads(reply.body)
    except ValueError:
        return f"status {reply.status_int}, no JSON"
    return complaint(reply.status_int, document)


Case = tuple[str, str, TestResponse]


def _complaints(cases: Iterator[Case]) -> list[str]:
    return [f"{name}: {what}: {told}" for name, what, reply in cases if (told := _complaint(reply))]


def test_broken_bodies_are_refused(callers: Callers, with_body: list[Operation]) -> None:
    cases = (
        (_name(operation), what, callers.send(operation, body))
        for operation in with_body
        for what, body in BROKEN_BODIES.items()
    )
    assert _complaints(cases) == []


def test_bodies_that_are_no_json_are_told_so(callers: Callers, with_body: list[Operation]) -> None:
    codes = {
        callers.send(operation, BROKEN_BODIES[what]).json.get("code")
        for operation in with_body
        for what in ("cut off", "an array", "a string", "5000 digits", "deep objects", "not UTF-8", "NaN")
    }
    assert codes == {"malformed_json"}


def test_other_media_types_than_json_are_refused(callers: Callers, with_body: list[Operation]) -> None:
    statuses = {
        callers.send(operation, b"{}", media_type).status_int
        for operation in with_body
        for media_type in (
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        )
    }
    assert statuses == {415}


def test_bodies_over_the_limit_are_refused(callers: Callers, with_body: list[Operation]) -> None:
    body = json.dumps({"x": "x" * (1024 * 1024)}).encode()
    assert {callers.send(operation, body).status_int for operation in with_body} == {413}


def test_a_wrong_type_is_told_by_its_field(callers: Callers, with_body: list[Operation]) -> None:
    faults = []
    for operation in with_body:
        assert operation.body is not None
        for field, document in wrong_types(operation.body):
            if (operation.body.__name__, field) in LENIENT:
                continue
            reply = callers.send(operation, json.dumps(document).encode())
            named = set() if _complaint(reply) else {key.partition(".")[0] for key in reply.json}
            if field not in named:
                faults.append(f"{_name(operation)}: {document}: {reply.status_int} {reply.text}")
    assert faults == []


def test_extreme_values_break_nothing(callers: Callers, with_body: list[Operation]) -> None:
    image = add_asset(callers.registry, callers.owner.team_id)
    bases = {
        "AdjustIn": {"team": str(callers.owner.team_id)},
        "EnrollIn": {"asset_id": image},
        "ProductCreate": {"images": [image]},
        "ProjectCreate": {"product": _product(callers.owner, image)},
    }
    faults = []
    # A field that has refused a value refuses it under the same schema elsewhere.
    refused: set[str] = set()
    for operation in with_body:
        assert operation.body is not None
        # Orders are taken while somebody works, and this takes longer than one beat lasts.
        beat_once(callers.registry, list(Queue))
        for field, kind, document in extremes(operation.body, bases.get(operation.body.__name__, {})):
            if kind in refused:
                continue
            reply = callers.send(operation, json.dumps(document).encode())
            if reply.status_int >= 300 and (told := _complaint(reply)):
                faults.append(f"{_name(operation)}: {str(document)[:200]}: {told}")
            elif reply.status_int == 400 and field in reply.json:
                refused.add(kind)
    assert faults == []


def _product(client: Client, image: str) -> str:
    product: str = client.post_json("/api/products/", {"images": [image]}).json["id"]
    return product


def test_unreadable_queries_are_refused(callers: Callers, operations: list[Operation]) -> None:
    cases = (
        (_name(operation), query, callers.ask(operation, query))
        for operation in operations
        if operation.method == "GET" and "{" not in operation.path
        for value in UNREADABLE
        for query in (f"x={value}", f"{value}=1", f"page=1&m_x={value}")
    )
    assert _complaints(cases) == []


def test_unreadable_parameters_are_refused(callers: Callers, with_query: list[Operation]) -> None:
    cases = (
        (_name(operation), f"{name}={value}", callers.ask(operation, f"{name}={value}"))
        for operation in with_query
        for name in _parameters(operation)
        for value in UNREADABLE
    )
    assert _complaints(cases) == []


def test_strange_parameters_break_nothing(callers: Callers, with_query: list[Operation]) -> None:
    replies = (
        (_name(operation), f"{name}={value[:40]}", callers.ask(operation, f"{name}={value}"))
        for operation in with_query
        for name in _own_parameters(operation)
        for value in STRANGE
    )
    assert _complaints(case for case in replies if case[2].status_int != 200) == []


def _own_parameters(operation: Operation) -> list[str]:
    """Those that not every list has; pages are the next test's. One list stands for what all ignore."""
    shared = {"page", "page_size"}
    more = [*shared, "m_x", "unknown"] if operation.path == "/api/assets/" else []
    return [name for name in _parameters(operation) if name not in shared] + more


def _parameters(operation: Operation) -> list[str]:
    assert operation.query is not None
    return [field.alias or name for name, field in operation.query.model_fields.items()]


@pytest.mark.parametrize("value", ["-1", "0", "1.5", "x", "9" * 5000, "%D9%A3", "1,2,,3", "+1", "1_000"])
@pytest.mark.parametrize("name", ["page", "page_size"])
def test_pages_are_whole_numbers_from_one(
    callers: Callers, with_query: list[Operation], name: str, value: str
) -> None:
    paged = [operation for operation in with_query if name in _parameters(operation)]
    replies = [callers.ask(operation, f"{name}={value}") for operation in paged]
    assert {(reply.status_int, *reply.json) for reply in replies} == {(400, name)}


def _multipart(*parts: tuple[str, bytes]) -> bytes:
    """A multipart body of the boundary ``x``; a part is its disposition and its content."""
    lines = [
        b"--x\r\nContent-Disposition: form-data; " + disposition.encode() + b"\r\n\r\n" + content + b"\r\n"
        for disposition, content in parts
    ]
    return b"".join(lines) + b"--x--\r\n"


FILE = 'name="file"; filename="a.png"'
PNG = media_samples.image("PNG")
FORM = "multipart/form-data; boundary=x"
BROKEN_UPLOADS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", FORM),
    "no part": (b"--x--\r\n", FORM),
    "no file": (_multipart(('name="name"', b"x")), FORM),
    "a file that is text": (_multipart(('name="file"', PNG)), FORM),
    "an empty file": (_multipart((FILE, b"")), FORM),
    "two files": (_multipart((FILE, PNG), (FILE, PNG)), FORM),
    "no picture": (_multipart((FILE, b"<html>")), FORM),
    "half a picture": (_multipart((FILE, PNG[: len(PNG) // 2])), FORM),
    "a picture that declares 60000 by 60000": (
        _multipart((FILE, media_samples.png_that_declares(60000, 60000))),
        FORM,
    ),
    "cut off": (_multipart((FILE, PNG))[:-20], FORM),
    "another boundary": (_multipart((FILE, PNG)), "multipart/form-data; boundary=y"),
    "no boundary": (_multipart((FILE, PNG)), "multipart/form-data"),
    "NUL in a text": (_multipart(('name="name"', b"a\0b"), (FILE, PNG)), FORM),
    "text that is not UTF-8": (_multipart(('name="name"', b"\xff"), (FILE, PNG)), FORM),
    "a part without a name": (_multipart(("filename=x", PNG)), FORM),
    "another kind of part": (b"--x\r\nContent-Disposition: attachment\r\n\r\nx\r\n--x--\r\n", FORM),
    "60 texts": (_multipart(*[(f'name="t{n}"', b"x") for n in range(60)], (FILE, PNG)), FORM),
    "a text of 100 kB": (_multipart(('name="name"', b"x" * 100_000), (FILE, PNG)), FORM),
    "JSON": (b"{}", "application/json"),
    "bare bytes": (PNG, "image/png"),
    "no media type": (PNG, ""),
}


def test_broken_uploads_are_refused(callers: Callers, with_upload: list[Operation]) -> None:
    cases = (
        (_name(operation), what, callers.send(operation, body, media_type))
        for operation in with_upload
        for what, (body, media_type) in BROKEN_UPLOADS.items()
    )
    assert _complaints(cases) == []


def test_the_file_an_upload_lacks_is_told(callers: Callers, with_upload: list[Operation]) -> None:
    replies = [callers.send(operation, *BROKEN_UPLOADS["no file"]) for operation in with_upload]
    assert {(reply.status_int, "file" in reply.json) for reply in replies} == {(400, True)}


WRONG_TOKENS = (
    "Token",
    "Token ",
    "Token wrong",
    "Token " + "x" * 5000,
    "Token a b",
    "Bearer wrong",
    "Basic dXNlcjpwYXNz",
    "wrong",
    "Token \xff\xfe",
)


def _ended_token(make_client: MakeClient) -> str:
    client = make_client()
    client.post("/api/auth/logout/", status=204)
    return f"Token {client.token}"


def test_wrong_tokens_open_nothing(
    api: TestApp, operations: list[Operation], make_client: MakeClient
) -> None:
    closed = [operation for operation in operations if operation.permission is not Permission.PUBLIC]
    # All of them at one operation, and at each operation one: they are read in one place, before any view.
    tokens = [*WRONG_TOKENS, _ended_token(make_client)]
    tried = [(closed[0], token) for token in tokens] + list(
        zip(closed, itertools.cycle(tokens), strict=False)
    )
    opened = {
        (_name(operation), token): reply.status_int
        for operation, token in tried
        if (reply := _with(api, operation, {"Authorization": token})).status_int != 401 or _complaint(reply)
    }
    assert opened == {}


def test_without_a_token_nothing_opens(api: TestApp, operations: list[Operation]) -> None:
    told = {
        (reply.status_int, reply.json["code"])
        for operation in operations
        if operation.permission is not Permission.PUBLIC
        for reply in [_with(api, operation, {})]
    }
    assert told == {(401, "not_authenticated")}


def _with(api: TestApp, operation: Operation, headers: dict[str, str]) -> TestResponse:
    path = re.sub(r"{\w+}", str(uuid.uuid4()), operation.path)
    return api.request(path, method=operation.method, headers=headers, expect_errors=True)
