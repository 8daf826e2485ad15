"""What is measured: a running service, a team in it, and its database from the inside."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from cryptography.fernet import Fernet
from pyramid.registry import Registry
from pyramid.router import Router

from contentsvc import configure
from contentsvc.billing.accounts import adjust, open_account
from contentsvc.db.embedded import EmbeddedPostgres
from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.http.logs import configure_logging
from contentsvc.security.models import Team
from contentsvc.settings import LogSettings
from tools.demo.client import Client
from tools.demo.service import own_service
from tools.demo.story import found_team, sign_in

INI = Path(__file__).resolve().parents[2] / "development.ini"
PHOTO = Path(__file__).resolve().parents[2] / "tests" / "samples" / "espresso-cup.png"
PLUGINS = Path(__file__).resolve().parents[2] / "tests" / "plugins"
PLENTY = Decimal(1_000_000)


@dataclass(frozen=True)
class House:
    """A running service, clients of its administrator and of a team's owner, and the application
    once more, in this process, on the service's database."""

    process_id: int
    base_url: str
    admin: Client
    owner: Client
    owner_id: uuid.UUID
    team_id: uuid.UUID
    app: Router
    scratch: Path

    @property
    def registry(self) -> Registry:
        """The registry of the application in this process."""
        return self.app.registry

    def add_team(self) -> uuid.UUID:
        """A team that nobody belongs to, with more credit than it can spend."""
        with transaction_scope(self.registry) as session:
            team = Team(name="Bench")
            session.add(team)
            session.flush()
            open_account(session, team.id)
            adjust(session, team.id, PLENTY, reason="credits for the benchmark")
            return team.id


@contextmanager
def house(folder: Path, ini: Path = INI) -> Iterator[House]:
    """Start a service below ``folder``, which stays; stop it afterwards."""
    configure_logging(LogSettings(format="console", level="error"))
    with own_service(ini, "log.level=warning", folder=folder) as service:
        owner = found_team(service.base_url, service.admin_password)
        me = owner.get("/api/auth/me/")
        team_id = uuid.UUID(me["team"]["id"])
        app = _app(service.var_dir, folder)
        with transaction_scope(app.registry) as session:
            adjust(session, team_id, PLENTY, reason="credits for the benchmark")
        try:
            yield House(
                process_id=service.process_id,
                base_url=service.base_url,
                admin=sign_in(service.base_url, "admin", service.admin_password),
                owner=owner,
                owner_id=uuid.UUID(me["user"]["id"]),
                team_id=team_id,
                app=app,
                scratch=folder,
            )
        finally:
            engine_of(app.registry).dispose()


@contextmanager
def with_plugins() -> Iterator[None]:
    """The fake provider's plugin on the import path of what is started."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PLUGINS), before]))
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def _app(var_dir: Path, folder: Path) -> Router:
    """The application once more, in this process, on the running service's database."""
    settings = {
        "var_dir": str(folder / "bench"),
        "database.url": EmbeddedPostgres(var_dir / "postgres").start(),
        "database.pool_size": "32",
        "queue.backend": "postgres",
        "storage.backend": "local",
        "storage.root": str(folder / "bench" / "media"),
        "uploads.temp_dir": str(folder / "bench" / "tmp"),
        "secrets.keys": Fernet.generate_key().decode(),
    }
    return configure(None, **settings).make_wsgi_app()
