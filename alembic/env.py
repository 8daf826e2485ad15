"""Run migrations on the connection the caller hands over: one at a time, never waiting long."""

from __future__ import annotations

from alembic import context
from sqlalchemy import text

from contentsvc.metadata import metadata

# Any number, the same in every process that migrates this service.
MIGRATION_LOCK = 7_205_759_403_792_793


def include_name(name: str | None, type_: str, _parents: object) -> bool:
    """huey's own tables are made here but described by huey, not by our metadata."""
    return not (type_ == "table" and name is not None and name.startswith("huey_"))


def run() -> None:
    connection = context.config.attributes["connection"]
    connection.execute(text("SET lock_timeout = '5s'"))
    connection.execute(text("SET statement_timeout = '10min'"))
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
    connection.commit()
    try:
        context.configure(
            connection=connection,
            target_metadata=metadata,
            compare_type=True,
            compare_server_default=True,
            include_name=include_name,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
        connection.commit()


run()
