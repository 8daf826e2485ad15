"""Each test here gives a key away in one place; ``tests/system/test_canary.py`` runs them, nobody else."""

from __future__ import annotations

import base64
import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from pyramid.registry import Registry
from sqlalchemy import text
from webtest import TestApp

from contentsvc.backoffice.models import AuditRecord
from contentsvc.security.secrets import secret_box_of
from tests.canary import key_of
from tests.functional.conftest import Client
from tests.functional.generating import Database

KEY = key_of("a-leak")


def saying(body: bytes, *headers: tuple[str, str]) -> TestApp:
    def application(_environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain"), *headers])
        return [body]

    return TestApp(application)


def test_nowhere(admin: Client) -> None:
    admin.post_json(
        "/api/admin/providers/", {"name": "acme", "display_name": "A", "api_key": KEY}, status=201
    )


def test_in_a_line_of_the_service() -> None:
    structlog.get_logger("contentsvc.providers").debug("call_failed", address=f"https://a.test/{KEY}")


def test_in_a_line_of_a_library() -> None:
    logging.getLogger("acme").warning("calling with %s", KEY)


def test_on_standard_error() -> None:
    sys.stderr.write(f"{KEY}\n")


def test_on_standard_output() -> None:
    sys.stdout.write(f"{KEY}\n")


def test_in_a_reply() -> None:
    saying(KEY.encode()).get("/")


def test_in_a_header_of_a_reply() -> None:
    coded = base64.b64encode(f"me:{KEY}".encode()).decode()
    saying(b"", ("X-Called-With", f"Basic {coded}")).get("/")


def test_in_a_text_of_the_database(database: Database, owner: Client) -> None:
    with database() as session:
        session.execute(text("UPDATE team SET name = :key"), {"key": KEY})


def test_in_a_document_of_the_database(database: Database, admin: Client) -> None:
    change = {"headers": [{"X-Key": KEY}]}
    row = AuditRecord(actor_id=admin.user_id, action="key.set", target_type="provider", after=change)
    with database() as session:
        session.add(row)


@pytest.mark.parametrize("stored", [KEY.encode(), base64.b64encode(KEY.encode())], ids=["plain", "coded"])
def test_not_encrypted(database: Database, stored: bytes) -> None:
    with database() as session:
        session.execute(text("UPDATE provider SET api_key_encrypted = :key"), {"key": stored})


def test_a_key_without_the_mark(registry: Registry) -> None:
    secret_box_of(registry).encrypt("sk-0123456789")
