"""Calls that the pages name are calls of the API."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.pages import PAGES, name_of, read

_CALL = re.compile(r"\b(GET|POST|PATCH|PUT|DELETE) (?:\$base)?(/api/[^\s`\"'?…]*)")
_PATH = re.compile(r"(?<![A-Z] )(?:\$base|`)(/api/[^\s`\"'?…]*)")
# A plugin's own page names paths of its provider as well.
OWN_PAGES = [page for page in PAGES if page.parents[1].name != "plugins"]


def _pattern(path: str) -> str:
    """A documented path with its ids as the document writes them."""
    return re.sub(r"<[^>]+>|\{[^}]+\}", "{}", path)


@pytest.fixture(scope="module")
def operations(wsgi: Any) -> dict[str, set[str]]:
    """Methods by path."""
    from webtest import TestApp

    document = TestApp(wsgi).get("/api/openapi.json").json
    return {_pattern(path): {method.upper() for method in item} for path, item in document["paths"].items()}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_calls_named_on_a_page_exist(page: Path, operations: dict[str, set[str]]) -> None:
    calls = [(method, _pattern(path)) for method, path in _CALL.findall(read(page))]
    assert [call for call in calls if call[0] not in operations.get(call[1], set())] == []


@pytest.mark.parametrize("page", OWN_PAGES, ids=name_of)
def test_paths_named_on_a_page_exist(page: Path, operations: dict[str, set[str]]) -> None:
    paths = {_pattern(path) for path in _PATH.findall(read(page))} - {"/api/", "/api/admin/"}
    assert {path for path in paths if not any(known.startswith(path) for known in operations)} == set()
