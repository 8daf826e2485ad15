"""Engine, sessions, and what runs after a commit."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import structlog
import zope.sqlalchemy
from pyramid.registry import Registry
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker
from transaction import TransactionManager

from contentsvc.db.tenancy import enter_platform, enter_team, guard
from contentsvc.settings import DatabaseSettings

_ENGINE: Final = "contentsvc.engine"
_SESSIONS: Final = "contentsvc.sessions"
_CALLBACKS: Final = "contentsvc.after_commit"

log = structlog.get_logger(__name__)


def make_engine(settings: DatabaseSettings, url: str, *, pool_size: int | None = None) -> Engine:
    """An engine whose every connection has the ini's lock and statement timeouts, in UTC."""
    options = (
        f"-c lock_timeout={settings.lock_timeout_ms} "
        f"-c statement_timeout={settings.statement_timeout_ms} "
        "-c timezone=UTC -c idle_in_transaction_session_timeout=120000"
    )
    return create_engine(
        url.replace("postgresql://", "postgresql+psycopg://", 1),
        pool_size=pool_size or settings.pool_size,
        max_overflow=settings.max_overflow,
        pool_timeout=settings.pool_timeout,
        pool_pre_ping=True,
        connect_args={"options": options, "connect_timeout": 5},
        json_serializer=lambda value: json.dumps(value, ensure_ascii=False, allow_nan=False),
    )


def make_sessions(engine: Any) -> sessionmaker[Session]:
    """A session factory with the tenant guard and the after-commit callbacks installed."""
    factory = sessionmaker(bind=engine, expire_on_commit=False)
    guard(factory)
    event.listen(factory, "after_commit", _run_callbacks)
    event.listen(factory, "after_rollback", _forget_callbacks)
    return factory


def install(registry: Registry, engine: Engine, sessions: sessionmaker[Session]) -> None:
    """Put the database where requests and workers find it."""
    registry[_ENGINE] = engine
    registry[_SESSIONS] = sessions


def engine_of(registry: Registry) -> Engine:
    """The application's engine."""
    return cast(Engine, registry[_ENGINE])


def sessions_of(registry: Registry) -> sessionmaker[Session]:
    """The application's session factory; its sessions are in no scope yet."""
    return cast("sessionmaker[Session]", registry[_SESSIONS])


@contextmanager
def transaction_scope(registry: Registry, team_id: uuid.UUID | None = None) -> Iterator[Session]:
    """One short transaction of its own: commits at the end, rolls back on an error.

    In the scope of ``team_id``, or of the platform without one. For workers, and for
    what has to survive the request's own rollback.
    """
    with sessions_of(registry)() as session, session.begin():
        if team_id is None:
            enter_platform(session)
        else:
            enter_team(session, team_id)
        yield session


def joined_session(registry: Registry, manager: TransactionManager) -> Session:
    """A session that commits and rolls back with a transaction manager (pyramid_tm's).

    It counts as changed from the start: zope.sqlalchemy can't see Core inserts and
    ``text()``, and would roll them back without a word. Committing a read costs nothing.
    """
    session = sessions_of(registry)()
    zope.sqlalchemy.register(session, initial_state="changed", transaction_manager=manager)
    return session


def after_commit(session: Session, callback: Callable[[], None]) -> None:
    """Run ``callback`` once the session's transaction is committed; never after a rollback.

    Errors of a callback are logged and touch nobody. The session can't be used in it.
    """
    session.info.setdefault(_CALLBACKS, []).append(callback)


def _run_callbacks(session: Session) -> None:
    if session.get_nested_transaction() is not None:
        return
    for callback in session.info.pop(_CALLBACKS, []):
        try:
            callback()
        except Exception:
            log.exception("after_commit_failed", callback=repr(callback))


def _forget_callbacks(session: Session) -> None:
    # A savepoint that is rolled back takes nothing from the transaction around it.
    if session.get_nested_transaction() is None:
        session.info.pop(_CALLBACKS, None)
