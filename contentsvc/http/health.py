"""Whether the process lives, and whether everything it needs is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import structlog
from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import text

from contentsvc.db.session import engine_of
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.service import ApiService
from contentsvc.http.types import Out

_CHECKS: Final = "contentsvc.readiness"

Check = Callable[[Registry], str]

log = structlog.get_logger(__name__)

health = ApiService("health", "/api/health/")
ready = ApiService("ready", "/api/health/ready/")


class NotReady(Exception):
    """A dependency isn't usable; the message is shown, so it holds nothing internal."""


class HealthOut(Out):
    """The process answers."""

    status: Literal["ok"]


class CheckOut(Out):
    """State of one dependency."""

    status: Literal["ok", "failing"]
    detail: str


class ReadyOut(Out):
    """``ready`` when every dependency is ok; the status is 503 otherwise."""

    status: Literal["ready", "not_ready"]
    checks: dict[str, CheckOut]


@health.get(permission=Permission.PUBLIC, response=HealthOut, rated=False)
def show_health(_request: ApiRequest) -> dict[str, str]:
    """Tell that the process lives.

    Looks at nothing else; for restarting what hangs.
    """
    return {"status": "ok"}


@ready.get(permission=Permission.PUBLIC, response=ReadyOut, other_statuses=(503,), rated=False)
def show_ready(request: ApiRequest) -> dict[str, Any]:
    """Tell whether requests can be served.

    Looks at every dependency; 503 while one of them is failing, for taking the process
    out of a load balancer.
    """
    found = {name: _state(name, check, request.registry) for name, check in _checks(request.registry)}
    all_ok = all(state["status"] == "ok" for state in found.values())
    request.response.status_int = 200 if all_ok else 503
    return {"status": "ready" if all_ok else "not_ready", "checks": found}


def _state(name: str, check: Check, registry: Registry) -> dict[str, str]:
    try:
        return {"status": "ok", "detail": check(registry)}
    except NotReady as reason:
        return {"status": "failing", "detail": str(reason)}
    except Exception:
        # Messages of drivers hold addresses and users: for the log, not for the public.
        log.warning("not_ready", check=name, exc_info=True)
        return {"status": "failing", "detail": "unavailable"}


def _checks(registry: Registry) -> list[tuple[str, Check]]:
    return sorted(registry[_CHECKS].items())


def add_readiness_check(config: Configurator, name: str, function: Check) -> None:
    """Directive: a named check of a dependency.

    ``function(registry)`` returns a short detail when all is well, and raises when not;
    the message of a :class:`NotReady` is shown to the public, other errors only logged.
    """
    discriminator = ("readiness", name)
    config.action(discriminator, lambda: config.registry[_CHECKS].__setitem__(name, function))


def check_database(registry: Registry) -> str:
    """One statement on a connection of the pool."""
    with engine_of(registry).connect() as connection:
        connection.execute(text("SELECT 1"))
    return "connected"


def includeme(config: Configurator) -> None:
    """The directive, the database's check, both services."""
    config.registry[_CHECKS] = {}
    config.add_directive("add_readiness_check", add_readiness_check)
    config.add_readiness_check("database", check_database)
    for service in (health, ready):
        config.add_cornice_service(service)
