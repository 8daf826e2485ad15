"""The real application on a real database; every commit is real, every test starts empty."""

from __future__ import annotations

import itertools
import json
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from psycopg import sql
from pyramid.registry import Registry
from sqlalchemy import TextClause, select, text
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7
from webtest import TestApp

from contentsvc import configure, migrations
from contentsvc.billing.models import CreditAccount
from contentsvc.bootstrap import bootstrap
from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.metadata import metadata
from contentsvc.providers.models import Provider
from contentsvc.security.models import Role, Team, User
from contentsvc.security.passwords import hash_password
from contentsvc.security.secrets import secret_box_of
from contentsvc.security.tokens import open_session
from tests.canary import assert_no_trace, keep_search, key_of, traces_in_rows

PASSWORD = "correct horse battery"
_TABLES = [table.name for table in metadata.sorted_tables] + ["huey_task", "huey_kv", "huey_schedule"]
# Ten times as fast as TRUNCATE, which makes new files for every table and index, empty or not.
# As a replica no foreign key is looked at, so the order doesn't matter.
_EMPTY = f"""
DO $tests$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOREACH name IN ARRAY ARRAY{_TABLES} LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    {{again}}
END $tests$"""
# What writes the rows of the first start again, a dozen milliseconds sooner than the first start does.
_AGAIN = "INSERT INTO {table} SELECT * FROM jsonb_populate_recordset(NULL::{table}, {rows});"
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BEGINNING = "tests.beginning"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def configured(app_settings: dict[str, Any]) -> Iterator[Any]:
    """The application, migrated; one per test process."""
    config = configure(None, **app_settings)
    engine = engine_of(config.registry)
    migrations.upgrade(engine)
    keep_search(engine)
    config.registry[_BEGINNING] = _beginning(config.registry)
    yield config
    close_doorbells(config.registry)
    engine.dispose()


def _beginning(registry: Registry) -> str:
    """SQL that takes the database back to its first start."""
    with engine_of(registry).begin() as connection:
        connection.execute(_sql(_EMPTY.format(again="")))
    bootstrap(registry)
    give_keys(registry, "fake")
    again = []
    with engine_of(registry).begin() as connection:
        for name in _TABLES:
            rows = connection.scalar(_sql(f"SELECT jsonb_agg(row) FROM {name} AS row"))
            if rows:
                again.append(_AGAIN.format(table=name, rows=sql.Literal(json.dumps(rows)).as_string()))
    return _EMPTY.format(again="\n".join(again))


def give_keys(registry: Registry, *providers: str) -> None:
    """A key for each of these providers, which their plugins send with every order."""
    with transaction_scope(registry) as session:
        for row in session.scalars(select(Provider).where(Provider.name.in_(providers))):
            row.api_key_encrypted = secret_box_of(registry).encrypt(key_of(row.name))


def _sql(words: str) -> TextClause:
    """As it stands: no colon begins a parameter."""
    return text(words.replace(":", r"\:"))


@pytest.fixture(scope="session")
def wsgi(configured: Any) -> Any:
    return configured.make_wsgi_app()


@pytest.fixture
def registry(configured: Any, wsgi: Any) -> Iterator[Registry]:
    """The application's registry on an empty database with the first start's rows."""
    start_empty(configured.registry)
    yield configured.registry
    engine = engine_of(configured.registry)
    assert engine.pool.checkedout() == 0, "a test or the application kept a database connection"
    assert_no_trace("the database", traces_in_rows(engine, is_kept=True))


def start_empty(registry: Registry) -> None:
    """Remove every row, and write those of a first start: with ids that no cache knows."""
    new: defaultdict[str, str] = defaultdict(lambda: str(uuid7()))
    words = _ID.sub(lambda found: new[found[0]], registry[_BEGINNING])
    with engine_of(registry).begin() as connection:
        connection.execute(_sql(words))


@pytest.fixture
def api(registry: Registry, wsgi: Any) -> TestApp:
    """A client without a token."""
    return stranger(wsgi)


def stranger(wsgi: Any) -> TestApp:
    """A client without a token, from a documentation address."""
    return TestApp(wsgi, extra_environ={"REMOTE_ADDR": "203.0.113.7"})


@dataclass
class Client:
    """A signed-in user's client: ``client.get("/api/…")`` sends his token."""

    api: TestApp
    token: str
    user_id: uuid.UUID
    team_id: uuid.UUID | None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.api, name)

        def call(path: str, *args: Any, headers: dict[str, str] | None = None, **kwargs: Any) -> Any:
            return method(
                path, *args, headers={"Authorization": f"Token {self.token}", **(headers or {})}, **kwargs
            )

        return call


MakeClient = Callable[..., Client]


@pytest.fixture
def make_client(registry: Registry, api: TestApp) -> MakeClient:
    """``make_client(role="owner", team_id=None, balance=0, platform=False)``: a new signed-in user.

    Without ``team_id`` he gets a team of his own with ``balance`` credits.
    """

    def make(
        role: str = Role.OWNER,
        team_id: uuid.UUID | None = None,
        balance: Decimal | int = 0,
        *,
        platform: bool = False,
    ) -> Client:
        return sign_up(registry, api, role, team_id, balance, platform=platform)

    return make


def sign_up(
    registry: Registry,
    api: TestApp,
    role: str = Role.OWNER,
    team_id: uuid.UUID | None = None,
    balance: Decimal | int = 0,
    *,
    platform: bool = False,
) -> Client:
    """See ``make_client``."""
    number = next(_numbers)
    with transaction_scope(registry) as session:
        if team_id is None and not platform:
            team_id = add_team(session, f"Team {number}", Decimal(balance)).id
        user = User(
            username=f"user{number}",
            password_hash=hash_password(registry, PASSWORD),
            role=role,
            team_id=team_id,
            is_platform_admin=platform,
        )
        session.add(user)
        session.flush()
        token = open_session(session, registry, user, ip="203.0.113.7", user_agent="tests").token
    return Client(api, token, user.id, team_id)


def add_team(session: Session, name: str, balance: Decimal) -> Team:
    """A team with an account; a balance comes with the ledger row that explains it."""
    from contentsvc.billing.models import LedgerRow, LedgerType

    team = Team(name=name)
    session.add(team)
    session.flush()
    session.add(CreditAccount(team_id=team.id, balance=balance))
    if balance:
        session.add(
            LedgerRow(
                team_id=team.id,
                ledger_type=LedgerType.ADJUSTMENT,
                amount=balance,
                balance_after=balance,
                frozen_after=Decimal(0),
                reason="test credit",
            )
        )
    return team


@pytest.fixture
def owner(make_client: MakeClient) -> Client:
    """An owner with a team of his own and 100 credits."""
    return make_client(balance=100)


@pytest.fixture
def other(make_client: MakeClient) -> Client:
    """The owner of another team."""
    return make_client(balance=100)


@pytest.fixture
def admin(make_client: MakeClient) -> Client:
    """A platform administrator without a team."""
    return make_client(platform=True)


@pytest.fixture
def database(registry: Registry) -> Callable[..., Any]:
    """``with database() as session``: a committed transaction in the platform's scope."""
    return lambda team_id=None: transaction_scope(registry, team_id)
