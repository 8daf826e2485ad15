"""The embedded database, for commands that run beside `contentsvc up` or without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from contentsvc.cli.ini import DATABASE_URL, EMBEDDED, CommandError, Ini
from contentsvc.db.embedded import EmbeddedPostgres


def embedded_server(ini: Ini) -> EmbeddedPostgres | None:
    """The private PostgreSQL of an ini; None where ``database.url`` names a server."""
    settings = ini.settings()
    if settings.database.url != EMBEDDED:
        return None
    return EmbeddedPostgres(settings.var_dir / "postgres")


@contextmanager
def reachable_database(ini: Ini) -> Iterator[Ini]:
    """The ini with a database that answers; an embedded one is started for the block if need be."""
    server = embedded_server(ini)
    if server is None:
        yield ini
        return
    was_running = server.is_running()
    try:
        yield ini.with_database(server.start())
    finally:
        if not was_running:
            server.stop()


def running_database(ini: Ini) -> Ini:
    """The ini with the URL of the embedded database that `contentsvc up` runs.

    Raises CommandError where it doesn't run: a server or worker on its own must not own it.
    """
    if ini.app.get(DATABASE_URL) != EMBEDDED:
        return ini
    server = embedded_server(ini)
    if server is None:
        return ini
    if not server.is_running():
        raise CommandError(
            f"{ini.path.name} uses the embedded database, which `contentsvc up {ini.path.name}` starts. "
            "Start that first, or name a server in database.url."
        )
    return ini.with_database(server.start())
