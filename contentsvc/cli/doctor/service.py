"""What the doctor looks at through the application: database, queue, storage, plugins, providers."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from pyramid.registry import Registry
from sqlalchemy import exists, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from contentsvc import migrations
from contentsvc.cli.doctor.findings import Finding, fail, ok, warn
from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.http.errors import ApiError
from contentsvc.http.health import NotReady
from contentsvc.jobs.models import Queue
from contentsvc.jobs.readiness import check_queue
from contentsvc.jobs.services import worker_online
from contentsvc.plugin import Capability, Driver
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.checks import CheckResult, check_provider
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from contentsvc.providers.plugins import Distribution, plugins_of
from contentsvc.security.models import User
from contentsvc.security.secrets import SecretUnreadable, secret_box_of
from contentsvc.storage.backends import storage_of

OLDEST_SERVER: Final = 160000
PROBE: Final = b"contentsvc doctor was here"


def database(registry: Registry) -> Iterator[Finding]:
    """Whether PostgreSQL answers, and is new enough."""
    advice = "see that PostgreSQL runs, and that database.url names its host, user, password and database"
    try:
        with engine_of(registry).connect() as connection:
            number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
    except SQLAlchemyError as error:
        yield fail("database", f"PostgreSQL does not answer: {_said(error)}", advice)
        return
    version = f"PostgreSQL {number // 10000}.{number % 10000}"
    if number < OLDEST_SERVER:
        yield fail("database", f"{version} is too old", "move to PostgreSQL 16 or newer")
    else:
        yield ok("database", f"{version} answers")


def tables(registry: Registry, ini: str) -> Iterator[Finding]:
    """Whether the tables are those of this version."""
    if migrations.is_current(engine_of(registry)):
        yield ok("migrations", "the tables are up to date")
    else:
        yield fail(
            "migrations",
            "the tables are not those of this version",
            f"run `contentsvc migrate {ini}`; if a newer version has migrated them, run that version",
        )


def queue(registry: Registry) -> Iterator[Finding]:
    """Whether the doorbell's server answers."""
    try:
        yield ok("queue", f"{check_queue(registry)} answers")
    except Exception as error:  # noqa: BLE001  # whatever the client library raises
        yield fail(
            "queue",
            f"it does not answer: {_said(error)}",
            "see that Redis runs and that queue.redis_url names it; no work is lost meanwhile",
        )


def storage(registry: Registry) -> Iterator[Finding]:
    """Whether a file can be stored, read back and deleted."""
    advice = "see the keys storage.* in the ini: address, bucket or folder, key and its rights"
    key = uuid.uuid4().hex
    try:
        place = storage_of(registry)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "probe"
            path.write_bytes(PROBE)
            place.put(key, path, "text/plain")
        found = b"".join(place.read(key))
        place.delete(key)
        gone = not place.exists(key)
    except Exception as error:  # noqa: BLE001  # a plugin's storage may raise anything
        # The cause names the address or the path, which the service itself tells nobody.
        yield fail("storage", f"a file can't be kept: {_said(error.__cause__ or error)}", advice)
        return
    if found != PROBE or not gone:
        yield fail("storage", "what was stored did not come back, or could not be deleted", advice)
    else:
        yield ok("storage", "a file was stored, read and deleted")


def plugins(distributions: Sequence[Distribution]) -> Iterator[Finding]:
    """What is wrong with the installed plugins."""
    for distribution in distributions:
        label = f"{distribution.name} {distribution.version}"
        for problem in distribution.problems:
            yield fail(
                "plugins",
                f"{label}, {problem.stage}: {problem.message}",
                f"mend or upgrade {distribution.name}, or switch it off with plugins.disabled",
            )
        if not distribution.problems:
            yield ok("plugins", label)
    if not distributions:
        yield warn("plugins", "none is installed", "install those below plugins/, or nothing can be made")


def secrets(registry: Registry) -> Iterator[Finding]:
    """Whether the ini's keys open what is stored encrypted."""
    box = secret_box_of(registry)
    with transaction_scope(registry) as session:
        rows = session.scalars(select(Provider).where(Provider.deleted_at.is_(None))).all()
    stored = [(row.name, row.api_key_encrypted) for row in rows if row.api_key_encrypted is not None]
    unreadable, outdated = [], []
    for name, secret in stored:
        try:
            box.decrypt(secret)
        except SecretUnreadable:
            unreadable.append(name)
        else:
            outdated += [] if box.is_current(secret) else [name]
    if unreadable:
        yield fail(
            "secrets",
            f"the API keys of {', '.join(unreadable)} can't be read",
            "put the key they were encrypted with into secrets.keys again, or enter them anew",
        )
    elif outdated:
        yield warn(
            "secrets",
            f"the API keys of {', '.join(outdated)} are encrypted with an older key",
            "run `contentsvc migrate`, which encrypts them anew, before that key is removed",
        )
    else:
        yield ok("secrets", f"the key is usable; it opens all of {len(stored)} stored")


def administrator(session: Session, ini: str) -> Iterator[Finding]:
    """Whether anybody can sign in to the back office."""
    if session.scalar(select(exists().where(User.is_platform_admin, User.is_active))):
        yield ok("admin", "there is an administrator")
    else:
        yield fail("admin", "there is no administrator", f"run `contentsvc admin create {ini}`")


def workers(session: Session, registry: Registry, ini: str) -> Iterator[Finding]:
    """Whether every queue is served."""
    missing = [served.value for served in Queue if not worker_online(session, registry, served)]
    if missing:
        yield warn(
            "workers",
            f"none is online for {', '.join(missing)}: orders that need one are refused",
            f"run `contentsvc worker {ini}`, or `contentsvc up {ini}` for everything",
        )
    else:
        yield ok("workers", "every queue is served")


def models(session: Session, registry: Registry) -> Iterator[Finding]:
    """Whether there is a default model for everything."""
    missing = [capability for capability in Capability if not _has_default(session, registry, capability)]
    if missing:
        yield warn(
            "models",
            f"no model can be ordered by default for {', '.join(missing)}",
            "install a plugin and `contentsvc plugins sync`, or set a default in the back office",
        )
    else:
        yield ok("models", "every capability has a default model")


def drivers(registry: Registry) -> Iterator[Finding]:
    """What drivers that need nobody but this machine say of it."""
    for driver in _local_drivers(registry):
        row = Provider(name=driver.name, driver=driver.name, base_url="")
        result = check_provider(registry, row)
        if result.ok:
            yield ok("driver", f"{driver.name}: {result.detail}")
        else:
            yield fail(
                "driver",
                f"{driver.name}: {result.detail}",
                f"see the keys plugins.{driver.name}.* in the ini, or install the requirements anew",
            )


def providers(registry: Registry) -> Iterator[Finding]:
    """What the checks of active providers say; all are asked at once, none is ordered from.

    A provider that came with its plugin and got no key yet, or no model, is not in use.
    """
    here = {driver.name for driver in _local_drivers(registry)}
    active = (Provider.status == ConfigStatus.ACTIVE, Provider.deleted_at.is_(None))
    elsewhere = select(Provider).where(*active, Provider.driver.not_in(here)).order_by(Provider.name)
    with transaction_scope(registry) as session:
        rows = session.scalars(elsewhere).all()
        live = select(ModelConfig.provider_id).where(ModelConfig.deleted_at.is_(None))
        with_models = set(session.scalars(live))
    lacking = {row.id: _lack(registry, row, has_model=row.id in with_models) for row in rows}
    for row in rows:
        if lack := lacking[row.id]:
            yield ok("provider", f"{row.name}: not in use; {lack} is what it needs.")

    def check(row: Provider) -> tuple[Provider, CheckResult]:
        return row, check_provider(registry, row)

    with ThreadPoolExecutor(max_workers=8) as pool:
        for row, result in pool.map(check, [row for row in rows if not lacking[row.id]]):
            if result.ok:
                yield ok("provider", f"{row.name}: {result.detail}")
            else:
                yield warn(
                    "provider",
                    f"{row.name}: {result.detail}",
                    "see its address and API key in the back office, or make it inactive",
                )


def _lack(registry: Registry, row: Provider, *, has_model: bool) -> str:
    """What a provider that came with its plugin still needs; empty: nothing, or it is somebody's own."""
    driver = plugins_of(registry).drivers.get(row.driver)
    if driver is None or row.declared_key is None:
        return ""
    if driver.needs_secret and not row.has_api_key:
        return "an API key"
    return "" if has_model else "a model"


def _local_drivers(registry: Registry) -> list[Driver]:
    return [
        driver
        for driver in plugins_of(registry).drivers.values()
        if driver.check is not None and not driver.needs_secret and not driver.base_url
    ]


def _has_default(session: Session, registry: Registry, capability: Capability) -> bool:
    try:
        catalog_of(registry).default(session, capability)
    except ApiError:
        return False
    return True


def _said(error: BaseException) -> str:
    """The first line of what a library has to say, without the statement and the help that follow."""
    if isinstance(error, NotReady):
        return str(error)
    text = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return text[:300] or type(error).__name__
