"""Migrations: one line of them, the tables the models describe, and a way back."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Engine, inspect

from contentsvc import migrations
from contentsvc.db.session import make_engine
from contentsvc.metadata import metadata
from contentsvc.settings import DatabaseSettings

# What `contentsvc migrate` does to the tables, in a process of its own.
MIGRATE = """
import sys
from contentsvc import migrations
from contentsvc.db.session import make_engine
from contentsvc.settings import DatabaseSettings
migrations.upgrade(make_engine(DatabaseSettings(url=sys.argv[1]), sys.argv[1]))
"""


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    """An engine on an empty database of its own."""
    name = f"migrations_{uuid.uuid4().hex}"
    identifier = sql.Identifier(name)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(identifier))
    url = postgres_url.replace("/contentsvc?", f"/{name}?")
    made = make_engine(DatabaseSettings(url=url), url)
    yield made
    made.dispose()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {}").format(identifier))


def _tables(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names())


def _schema(engine: Engine) -> dict[str, object]:
    """Every table's columns, indexes and constraints, as text."""
    seen = inspect(engine)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in seen.get_columns(table)],
            sorted(str(index) for index in seen.get_indexes(table)),
            sorted(str(check) for check in seen.get_check_constraints(table)),
            sorted(str(key) for key in seen.get_foreign_keys(table)),
        )
        for table in sorted(seen.get_table_names())
    }


def test_there_is_one_head() -> None:
    script = ScriptDirectory(str(migrations.SCRIPTS))
    assert len(script.get_heads()) == 1


def test_the_migrations_make_the_tables_of_the_models(engine: Engine) -> None:
    migrations.upgrade(engine)
    migrations.check(engine)
    assert set(metadata.tables) <= _tables(engine)


def test_a_fresh_database_is_not_current_and_a_migrated_one_is(engine: Engine) -> None:
    before = migrations.is_current(engine)
    migrations.upgrade(engine)
    assert (before, migrations.is_current(engine)) == (False, True)


def test_down_leaves_nothing_behind(engine: Engine) -> None:
    migrations.upgrade(engine)
    migrations.downgrade(engine, "base")
    assert _tables(engine) == {"alembic_version"}


def test_up_down_up_is_the_same_as_up(engine: Engine) -> None:
    migrations.upgrade(engine)
    first = _schema(engine)
    migrations.downgrade(engine, "base")
    migrations.upgrade(engine)
    assert _schema(engine) == first


def test_every_step_can_be_taken_back_alone(engine: Engine) -> None:
    migrations.upgrade(engine)
    revisions = list(ScriptDirectory(str(migrations.SCRIPTS)).walk_revisions())
    for revision in revisions:
        migrations.downgrade(engine, str(revision.down_revision or "base"))
    migrations.upgrade(engine)
    migrations.check(engine)


def test_two_processes_may_migrate_at_once(engine: Engine) -> None:
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    processes = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", MIGRATE, url]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert migrations.is_current(engine)
