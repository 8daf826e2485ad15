"""A tiny application on the real database: the HTTP machinery alone, with services made for tests."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPForbidden
from pyramid.response import Response
from pyramid.security import Allowed, Denied
from sqlalchemy import Column, Integer, MetaData, Table, Text, insert, select, text
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.http import (
    ApiError,
    ApiRequest,
    ApiService,
    ErrorCode,
    NotFound,
    PageQuery,
    Permission,
    outside_transaction,
)
from contentsvc.http.models import IdempotencyRecord, RateCounter
from contentsvc.http.operations import UploadSpec
from contentsvc.http.pagination import Page, Slice, envelope
from contentsvc.http.paths import path_id
from contentsvc.http.render import error_response
from contentsvc.http.types import CreditsIn, Id, In, JsonObject, Out, Word
from contentsvc.settings import load

TOKEN = "Token 0190a6e2-0000-7000-8000-000000000001"
OTHER_TOKEN = "Token 0190a6e2-0000-7000-8000-000000000002"
VIEWER = "Token 0190a6e2-0000-7000-8000-00000000000f"
KNOWN_ID = "0190a6e2-1111-7000-8000-000000000001"
UPLOAD_LIMIT = 100_000

tables = MetaData()
notes = Table("http_test_note", tables, Column("id", Integer, primary_key=True), Column("title", Text))


class NoteIn(In):
    """A note to make."""

    title: Word
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    price: CreditsIn | None = None
    ref: Id | None = None
    specs: JsonObject = Field(default_factory=dict)


class NoteOut(Out):
    """A note."""

    id: int
    title: str


class OptionalIn(In):
    """Nothing is required."""

    title: Word = "untitled"


class NoteQuery(PageQuery):
    """Filters of the list."""

    product: Id | None = None
    q: Word = ""


class FileFields(In):
    """The text fields of the upload."""

    name: Word = ""
    count: int = 0


class FileOut(Out):
    """What was received."""

    name: str
    filename: str
    size_bytes: int
    sha256: str


collection = ApiService("notes", "/api/notes/")
action = ApiService("note_action", "/api/notes/{id}/act/")
optional = ApiService("optional", "/api/optional/")
bodiless = ApiService("bodiless", "/api/bodiless/")
uploads = ApiService("files", "/api/files/")
uploads_below = ApiService("files_below", "/api/notes/{id}/files/")
public = ApiService("public", "/api/public/")
failing = ApiService("failing", "/api/failing/{how}/")
SERVICES = (collection, action, optional, bodiless, uploads, uploads_below, public, failing)


def _add(request: ApiRequest, title: str) -> Any:
    return request.db.execute(insert(notes).values(title=title).returning(notes)).one()


@collection.post(permission=Permission.WORK, body=NoteIn, response=NoteOut, status=201)
def create_note(request: ApiRequest) -> Any:
    """Make a note.

    The note ``fails`` when its title says so.
    """
    made = _add(request, request.validated["body"].title)
    hook = request.registry.get("test.hook")
    if hook is not None:
        hook(request)
    return made


@collection.get(permission=Permission.READ, query=NoteQuery, response=Page[NoteOut])
def list_notes(request: ApiRequest) -> Any:
    """List the notes."""
    query = request.validated["query"]
    rows = request.db.execute(select(notes).order_by(notes.c.id)).all()
    page = request.db.execute(select(notes).order_by(notes.c.id).limit(query.limit).offset(query.offset))
    return envelope(request, Slice(len(rows), page.all()), query)


def _load(request: ApiRequest) -> str:
    if str(path_id(request)) != KNOWN_ID:
        raise NotFound
    return KNOWN_ID


@action.post(permission=Permission.WORK, subject=_load, body=NoteIn, response=NoteOut, status=202)
def act(request: ApiRequest) -> Any:
    """Act on a note."""
    return _add(request, request.validated["body"].title)


@optional.post(permission=Permission.WORK, body=OptionalIn, response=NoteOut)
def optional_body(request: ApiRequest) -> Any:
    """Take a body or none."""
    return _add(request, request.validated["body"].title)


@bodiless.post(permission=Permission.WORK, response=None, status=204)
def no_body(request: ApiRequest) -> None:
    """Take no body and answer none."""
    _add(request, "bodiless")


SPEC = UploadSpec(fields=FileFields, max_bytes=lambda _settings: UPLOAD_LIMIT)


def _received(request: ApiRequest) -> dict[str, Any]:
    upload = request.validated["upload"]
    hook = request.registry.get("test.hook")
    if hook is not None:
        hook(request)
    _add(request, upload.filename)
    return {
        "name": upload.fields.name,
        **{k: getattr(upload, k) for k in ("filename", "size_bytes", "sha256")},
    }


@uploads.post(permission=Permission.WORK, upload=SPEC, response=FileOut, status=201)
def upload_file(request: ApiRequest) -> Any:
    """Upload a file."""
    return _received(request)


@uploads_below.post(permission=Permission.WORK, subject=_load, upload=SPEC, response=FileOut, status=201)
def upload_below(request: ApiRequest) -> Any:
    """Upload a file to a note."""
    return _received(request)


@public.post(permission=Permission.PUBLIC, body=OptionalIn, response=NoteOut, idempotent=True)
def public_note(request: ApiRequest) -> Any:
    """Make a note without a token."""
    return _add(request, request.validated["body"].title)


@failing.get(permission=Permission.PUBLIC, response=None, status=204)
def fail(request: ApiRequest) -> None:
    """Fail in the way the path says."""
    how = request.matchdict["how"]
    calls = request.registry["test.calls"]
    calls.append(how)
    if how == "crash":
        raise RuntimeError("postgresql://user:canary@host/ is a secret")
    if how == "refused":
        raise ApiError(ErrorCode.CONFLICT, "Not now.", extra={"which": 7})
    if how == "leaky":
        request.db.execute(insert(notes).values(title="lost"))
        raise NotFound
    if how == "committed":
        _add(request, "kept")
        with outside_transaction(request):
            pass
    if how in ("once", "committed") and len(calls) > 1:
        return
    request.db.execute(text(STATEMENTS.get(how, STATEMENTS["serialization"])))


STATEMENTS: Mapping[str, str] = {
    "serialization": "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$",
    "deadlock": "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END $$",
    "lock": "DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '55P03'; END $$",
    "unique": "DO $$ BEGIN RAISE EXCEPTION 'taken' USING ERRCODE = '23505'; END $$",
    "data": "SELECT '99999999999999999999'::int",
    "defect": "SELECT no_such_column",
    "killed": "SELECT pg_terminate_backend(pg_backend_pid())",
}


class HeaderPolicy:
    """The token is the user's id; one user may only read."""

    def identity(self, request: ApiRequest) -> str | None:
        header = request.headers.get("Authorization", "")
        known = header in (TOKEN, OTHER_TOKEN, VIEWER)
        return header.removeprefix("Token ") if known else None

    authenticated_userid = identity

    def permits(self, request: ApiRequest, _context: Any, permission: str) -> Allowed | Denied:
        user = self.identity(request)
        if permission == Permission.PUBLIC or (user and f"Token {user}" != VIEWER):
            return Allowed("may")
        return Allowed("may") if user and permission == Permission.READ else Denied("may not")


def _forbidden(_error: HTTPForbidden, request: ApiRequest) -> Response:
    code = ErrorCode.NOT_AUTHENTICATED if request.identity is None else ErrorCode.PERMISSION_DENIED
    return error_response(ApiError(code, "no"))


def make_app(settings: Mapping[str, str]) -> TestApp:
    """The tiny application; its tables made and empty."""
    raw = {"database.pool_size": "30", **settings}
    config = Configurator(settings=raw, request_factory=ApiRequest)
    config.registry["contentsvc.settings"] = load(raw)
    config.registry["test.calls"] = []
    config.include("contentsvc.db")
    config.include("contentsvc.http")
    config.set_security_policy(HeaderPolicy())
    config.add_forbidden_view(_forbidden)
    for service in SERVICES:
        config.add_cornice_service(service)
    app = config.make_wsgi_app()
    engine = engine_of(config.registry)
    with engine.begin() as connection:
        for model in (IdempotencyRecord, RateCounter):
            model.__table__.create(connection, checkfirst=True)
        tables.create_all(connection)
        connection.execute(text("TRUNCATE http_test_note, idempotency_record, rate_counter"))
    return TestApp(app, extra_environ={"REMOTE_ADDR": "203.0.113.7"})


def titles(app: TestApp) -> list[str]:
    """Titles of all notes, oldest first."""
    with engine_of(app.app.registry).connect() as connection:
        return list(connection.scalars(select(notes.c.title).order_by(notes.c.id)))


def in_threads(count: int, call: Any) -> list[Any]:
    """Results of ``call(index)`` from as many threads, released at one moment."""
    results: list[Any] = [None] * count
    gate = threading.Barrier(count)

    def run(index: int) -> None:
        gate.wait(10)
        results[index] = call(index)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def new_key() -> str:
    """A fresh idempotency key."""
    return uuid.uuid4().hex
