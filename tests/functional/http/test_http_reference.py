"""The OpenAPI document, the page made of it, and the health endpoints."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from pyramid.interfaces import IRoutesMapper
from pyramid.registry import Registry
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.http.health import NotReady
from contentsvc.http.reference.document import build_document
from tests.functional.http.conftest import MakeApp


@pytest.fixture
def document(app: TestApp) -> dict[str, object]:
    return dict(app.get("/api/openapi.json").json)


def test_the_document_is_valid_openapi(document: dict[str, object]) -> None:
    assert document["openapi"] == "3.1.0"
    validate(document, cls=OpenAPIV31SpecValidator)


def test_the_document_is_the_same_every_time(app: TestApp) -> None:
    first, second = (json.dumps(build_document(app.app.registry)) for _ in range(2))
    assert first == second


def test_every_operation_is_in_the_document(app: TestApp, document: dict) -> None:
    routes = {
        re.sub(r"\{(\w+)[^}]*\}", r"{\1}", route.pattern)
        for route in app.app.registry.getUtility(IRoutesMapper).get_routes()
    }
    assert set(document["paths"]) == routes


def test_the_whole_applications_document_is_valid_and_complete(registry: Registry) -> None:
    document = build_document(registry)
    validate(document, cls=OpenAPIV31SpecValidator)
    routes = {
        re.sub(r"\{(\w+)[^}]*\}", r"{\1}", route.pattern)
        for route in registry.getUtility(IRoutesMapper).get_routes()
    }
    assert set(document["paths"]) == routes


def test_an_operation_says_what_it_takes_and_who_may_call_it(document: dict) -> None:
    operation = document["paths"]["/api/notes/"]["post"]
    assert operation["operationId"] == "notes_post"
    assert operation["summary"] == "Make a note"
    assert operation["x-permission"] == "work"
    assert operation["security"] == [{"token": []}]
    assert [one["name"] for one in operation["parameters"]] == ["Idempotency-Key"]
    assert operation["requestBody"]["required"] is True
    assert set(operation["responses"]) == {
        "201", "400", "401", "403", "409", "413", "415", "429", "500", "503",
    }  # fmt: skip
    assert document["components"]["schemas"]["NoteIn"]["required"] == ["title"]


def test_only_schemas_that_are_referred_to_are_listed(document: dict) -> None:
    assert set(document["components"]["schemas"]) == {
        "CheckOut", "Error", "FieldErrors", "FileOut", "HealthOut", "NoteIn", "NoteOut", "OptionalIn",
        "Page_NoteOut", "ReadyOut",
    }  # fmt: skip


def test_a_query_becomes_parameters(document: dict) -> None:
    parameters = document["paths"]["/api/notes/"]["get"]["parameters"]
    assert [(one["name"], one["in"]) for one in parameters] == [
        ("page", "query"),
        ("page_size", "query"),
        ("product", "query"),
        ("q", "query"),
    ]


def test_ids_of_a_path_become_parameters(document: dict) -> None:
    (parameter, _key) = document["paths"]["/api/notes/{id}/act/"]["post"]["parameters"]
    assert parameter == {
        "name": "id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    }


def test_an_upload_is_multipart_with_its_file(document: dict) -> None:
    body = document["paths"]["/api/files/"]["post"]["requestBody"]
    schema = body["content"]["multipart/form-data"]["schema"]
    assert list(schema["properties"]) == ["file", "name", "count"]
    assert schema["required"] == ["file"]


def test_the_document_names_the_server_it_came_from(machinery: MakeApp) -> None:
    app = machinery({"http.public_url": "https://api.example.com/"})
    assert app.get("/api/openapi.json").json["servers"] == [{"url": "https://api.example.com"}]


class Page(HTMLParser):
    """Ids, links and outside references of a page; complains about tags that don't close."""

    VOID = frozenset({"meta", "input", "br", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [value for value in [given.get("id")] if value]
        self.links += [value for value in [given.get("href")] if value]
        self.outside += [value for value in [given.get("src")] if value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def page(app: TestApp) -> Page:
    parser = Page()
    parser.feed(app.get("/api/docs/").text)
    return parser


def test_the_page_shows_every_operation_under_its_anchor(page: Page, document: dict) -> None:
    operations = {one["operationId"] for item in document["paths"].values() for one in item.values()}
    assert operations <= set(page.ids)
    assert page.open == []


def test_every_link_of_the_page_leads_somewhere_and_nothing_is_loaded(page: Page) -> None:
    inner = {link[1:] for link in page.links if link.startswith("#")}
    assert inner <= set(page.ids)
    assert {link for link in page.links if not link.startswith("#")} == {"../openapi.json"}
    assert page.outside == []
    assert len(page.ids) == len(set(page.ids))


def test_the_pages_policy_lets_nothing_else_run(app: TestApp) -> None:
    reply = app.get("/api/docs/")
    assert reply.content_type == "text/html"
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert "unsafe" not in reply.headers["Content-Security-Policy"]


def test_health_says_ok(app: TestApp) -> None:
    assert app.get("/api/health/").json == {"status": "ok"}


def test_ready_names_every_dependency(app: TestApp) -> None:
    assert app.get("/api/health/ready/").json == {
        "status": "ready",
        "checks": {"database": {"status": "ok", "detail": "connected"}},
    }


def test_a_failing_dependency_makes_the_service_not_ready(app: TestApp) -> None:
    def refuse(_registry: Registry) -> str:
        raise NotReady("the bucket is missing")

    def crash(_registry: Registry) -> str:
        raise OSError("s3.internal: canary")

    app.app.registry["contentsvc.readiness"] |= {"storage": refuse, "queue": crash}
    reply = app.get("/api/health/ready/", status=503)
    assert reply.json["status"] == "not_ready"
    assert reply.json["checks"]["database"]["status"] == "ok"
    assert reply.json["checks"]["storage"] == {"status": "failing", "detail": "the bucket is missing"}
    assert reply.json["checks"]["queue"] == {"status": "failing", "detail": "unavailable"}


def test_without_the_database_the_service_lives_but_is_not_ready(app: TestApp) -> None:
    registry = app.app.registry
    real = registry["contentsvc.engine"]
    registry["contentsvc.engine"] = real.execution_options()
    registry["contentsvc.engine"].connect = lambda: (_ for _ in ()).throw(OSError("gone"))
    try:
        assert app.get("/api/health/ready/", status=503).json["checks"]["database"]["status"] == "failing"
        assert app.get("/api/health/").status_int == 200
    finally:
        registry["contentsvc.engine"] = real
    assert engine_of(registry) is real
