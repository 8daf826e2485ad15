"""Real processes: workers, servers, PostgreSQL, Redis."""

from __future__ import annotations

import itertools
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from sqlalchemy import text

from contentsvc import configure, migrations
from contentsvc.db.session import engine_of
from tests.system.farm import HURRIED, Farm
from tests.system.hosted import house
from tests.system.installation import Installation
from tests.system.processes import eventually

_TEMPLATE = "system_template"
_PROBE_TABLES = """
    CREATE TABLE probe_order (
        id uuid PRIMARY KEY, seconds float8 NOT NULL, steps_left int NOT NULL,
        begun int NOT NULL DEFAULT 0, pid int
    );
    CREATE TABLE probe_effect (id bigserial PRIMARY KEY, order_id uuid NOT NULL);
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[redis.Redis]:
    """A client of a real redis-server of this test process."""
    binary = shutil.which("redis-server") or str(Path(sys.executable).parent / "redis-server")
    folder = tmp_path_factory.mktemp("redis")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
        "--dir",
        str(folder),
    ]
    process = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    try:
        eventually(lambda: _answers(client), within=10, what="redis-server to answer")
        yield client
    finally:
        client.close()
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def plugin_house(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A running service in which plugins' tests are guests, one after the other."""
    with house(postgres_url, tmp_path_factory.mktemp("house")) as service:
        yield service


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture(scope="session")
def migrated_template(postgres_url: str, app_settings: dict[str, Any]) -> str:
    """Name of a migrated database that tests copy."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {_TEMPLATE}")  # type: ignore[call-overload]
    url = _named(postgres_url, _TEMPLATE)
    registry = configure(None, **{**app_settings, "database.url": url}).registry
    migrations.upgrade(engine_of(registry))
    with engine_of(registry).begin() as connection:
        connection.execute(text(_PROBE_TABLES))
    engine_of(registry).dispose()
    return _TEMPLATE


@pytest.fixture(scope="session")
def make_database(postgres_url: str, migrated_template: str) -> Callable[[], str]:
    """``make_database()``: URL of a fresh, migrated database."""

    def make() -> str:
        name = f"system_{next(_numbers)}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_template}")  # type: ignore[call-overload]
        return _named(postgres_url, name)

    return make


@pytest.fixture
def database_url(make_database: Callable[[], str]) -> str:
    """URL of a fresh, migrated database."""
    return make_database()


def _named(url: str, database: str) -> str:
    base, _, query = url.partition("?")
    return f"{base.rpartition('/')[0]}/{database}?{query}"


@pytest.fixture(params=["postgres", "redis"])
def queue_settings(request: pytest.FixtureRequest) -> dict[str, str]:
    """Both doorbells, each a test of its own."""
    if request.param == "postgres":
        return {"queue.backend": "postgres"}
    port = request.getfixturevalue("redis_server").connection_pool.connection_kwargs["port"]
    return {
        "queue.backend": "redis",
        "queue.redis_url": f"redis://127.0.0.1:{port}/0",
        "queue.name": f"test{next(_numbers)}",
    }


@pytest.fixture
def farm(
    database_url: str,
    queue_settings: dict[str, str],
    app_settings: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Farm]:
    """A database with a queue; workers come when the test starts them."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "probe"))
    settings = {**app_settings, **queue_settings, "database.url": database_url, "log.level": "info"}
    ini = tmp_path / "farm.ini"
    lines = [f"{key} = {value.replace('%', '%%')}" for key, value in settings.items()]
    ini.write_text("[app:main]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    hurried = dict(word.split("=") for word in HURRIED)
    farm = Farm(configure(None, **{**settings, **hurried}).registry, ini, tmp_path / "workers.log")
    try:
        yield farm
    finally:
        farm.close()
