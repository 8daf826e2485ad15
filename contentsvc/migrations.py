"""Bring the database to the newest revision, or to a named one."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import Connection, Engine

from contentsvc.db.session import engine_of
from contentsvc.http.health import NotReady

SCRIPTS = Path(__file__).resolve().parent.parent / "alembic"


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    return config


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Apply every missing revision up to ``revision``; waits while another process migrates."""
    with engine.connect() as connection:
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take back every revision above ``revision``; "base" takes back all."""
    with engine.connect() as connection:
        command.downgrade(_config(connection), revision)


def check(engine: Engine) -> None:
    """Raise alembic.util.CommandError where tables and models differ."""
    with engine.connect() as connection:
        command.check(_config(connection))


def is_current(engine: Engine) -> bool:
    """Whether the database has the newest revision."""
    with engine.connect() as connection:
        known = MigrationContext.configure(connection).get_current_heads()
        return set(known) == set(ScriptDirectory.from_config(_config(connection)).get_heads())


def includeme(config: Configurator) -> None:
    """Readiness: the tables are those this version knows."""
    known: list[bool] = []

    def check_migrations(registry: Registry) -> str:
        # Asked until it is true; a newer version's migrations don't make this process less ready.
        if not known:
            if not is_current(engine_of(registry)):
                raise NotReady("the database has to be migrated")
            known.append(True)
        return "current"

    config.add_readiness_check("migrations", check_migrations)
