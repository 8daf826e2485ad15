"""The order in which the doctor looks: what rests on something that failed is left out."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from cryptography.fernet import Fernet
from pyramid.registry import Registry

from contentsvc.cli.database import embedded_server, reachable_database
from contentsvc.cli.doctor import machine, service
from contentsvc.cli.doctor.findings import Finding, Level, fail, ok, warn
from contentsvc.cli.ini import DATABASE_URL, CommandError, Ini
from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.providers.plugins import describe
from contentsvc.settings import Settings

NOWHERE: Final = "postgresql://127.0.0.1:9/none"


def examine(ini: Ini) -> Iterator[Finding]:
    """Everything, one finding after the other. Raises CommandError where the settings can't be used."""
    try:
        settings = ini.settings()
    except CommandError as error:
        advice = "Fill them in or remove them; `contentsvc settings` says what each key means."
        raise CommandError(f"{error}\n{advice}", status=error.status) from None
    yield ok("settings", f"{ini.path.name} can be used")
    yield from machine.folders(settings)
    yield from machine.ffmpeg()
    server = embedded_server(ini)
    if server is not None and not server.is_made():
        yield warn(
            "database",
            "the embedded one has not been made yet",
            f"run `contentsvc up {ini.path.name}`, which makes it and everything in it",
        )
        yield from _without_database(ini)
        return
    if server is not None and not server.is_running():
        yield ok("database", "the embedded one is not running; it is started for this examination")
    try:
        with _application(ini) as registry:
            yield from _through(registry, ini.path.name)
    except subprocess.SubprocessError:
        log = "see the file log below the folder postgres of var_dir"
        yield fail("database", "the embedded one does not start", log)


def _through(registry: Registry, ini: str) -> Iterator[Finding]:
    yield from service.plugins(describe(registry))
    yield from service.drivers(registry)
    yield from service.storage(registry)
    reached = list(service.database(registry))
    yield from reached
    settings: Settings = registry["contentsvc.settings"]
    if not _has_failed(reached) or settings.queue.backend != "postgres":
        yield from service.queue(registry)
    if _has_failed(reached):
        return
    migrated = list(service.tables(registry, ini))
    yield from migrated
    if _has_failed(migrated):
        return
    yield from service.secrets(registry)
    with transaction_scope(registry) as session:
        found = [
            *service.administrator(session, ini),
            *service.workers(session, registry, ini),
            *service.models(session, registry),
        ]
    yield from found
    yield from service.providers(registry)


def _without_database(ini: Ini) -> Iterator[Finding]:
    # A key of the moment: the application would make the ini's key file, for a service that isn't there.
    own = {"secrets.keys": Fernet.generate_key().decode(), "secrets.key_file": ""}
    nowhere = replace(ini, app={**ini.app, DATABASE_URL: NOWHERE, **own})
    registry = nowhere.configure().registry
    yield from service.plugins(describe(registry))
    yield from service.drivers(registry)


@contextmanager
def _application(ini: Ini) -> Iterator[Registry]:
    with reachable_database(ini) as reachable:
        registry = reachable.configure().registry
        try:
            yield registry
        finally:
            close_doorbells(registry)
            engine_of(registry).dispose()


def _has_failed(findings: Iterable[Finding]) -> bool:
    return any(finding.level is Level.FAIL for finding in findings)
