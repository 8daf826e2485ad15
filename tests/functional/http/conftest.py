"""The tiny application of ``app.py`` on a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from webtest import TestApp

from contentsvc.db.session import engine_of
from tests.functional.http.app import make_app

DATABASE = "http_machinery"

MakeApp = Callable[..., TestApp]


@pytest.fixture(scope="session")
def machinery_settings(postgres_url: str, app_settings: dict[str, Any]) -> dict[str, Any]:
    """The tests' settings on a database that holds the machinery's tables only."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
    return {**app_settings, "database.url": postgres_url.replace("/contentsvc", f"/{DATABASE}", 1)}


@pytest.fixture
def machinery(machinery_settings: dict[str, Any]) -> Iterator[MakeApp]:
    """``machinery({"http.token_rate": "2/hour"})``: an application with these settings."""
    made: list[TestApp] = []

    def make(overrides: dict[str, str] | None = None) -> TestApp:
        made.append(make_app({**machinery_settings, **(overrides or {})}))
        return made[-1]

    yield make
    for app in made:
        engine = engine_of(app.app.registry)
        left = engine.pool.checkedout()
        engine.dispose()
        assert left == 0, "a test or the application kept a database connection"


@pytest.fixture
def app(machinery: MakeApp) -> TestApp:
    """The application with the tests' settings."""
    return machinery()
