"""How providers do, as all processes together see it: for the back office and for metrics."""

from __future__ import annotations

import os
import platform
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Final, cast

import structlog
from pyramid.registry import Registry
from sqlalchemy import ColumnElement, DateTime, Float, delete, func, literal, literal_column, select
from sqlalchemy.dialects.postgresql import insert

from contentsvc.db.session import transaction_scope
from contentsvc.http.metrics import Family, Kind, Sample
from contentsvc.providers.circuit import Circuits, Condition
from contentsvc.providers.models import Health, Provider, ProviderTrouble
from contentsvc.settings import Settings

REMEMBERED_SECONDS: Final = 600.0
"""How long a failure tells something where no call has been made since."""
GONE_SECONDS: Final = 3600.0

_CIRCUITS: Final = "contentsvc.provider_circuits"

log = structlog.get_logger(__name__)


def install_circuits(registry: Registry) -> None:
    """Make the process's circuits from the ini; once, at configuration."""
    settings: Settings = registry["contentsvc.settings"]

    def told(provider_id: uuid.UUID, condition: Condition) -> None:
        _note(registry, provider_id, condition)

    circuit = settings.providers
    registry[_CIRCUITS] = Circuits(circuit.circuit_failures, circuit.circuit_seconds, told)


def circuits_of(registry: Registry) -> Circuits:
    """The process's circuits."""
    return cast("Circuits", registry[_CIRCUITS])


def read(registry: Registry) -> Iterable[Family]:
    """One figure for each provider and state: 1 where he is in it."""
    live = select(Provider.name, Provider.health).where(Provider.deleted_at.is_(None)).order_by(Provider.name)
    with transaction_scope(registry) as session:
        found = session.execute(live).all()
    samples = [
        Sample(int(health == state), {"provider": name, "state": state.value})
        for name, health in found
        for state in Health
    ]
    return [Family("provider_health", Kind.GAUGE, "Whether providers are in this state.", samples)]


def _note(registry: Registry, provider_id: uuid.UUID, condition: Condition) -> None:
    """Write down what this process sees. Never raises: the call that showed it goes on."""
    write = log.warning if condition.failing else log.info
    write(
        "provider_condition",
        provider=str(provider_id),
        failing=condition.failing,
        open_seconds=round(condition.open_seconds, 1),
        paused_seconds=round(condition.paused_seconds, 1),
    )
    try:
        _write(registry, provider_id, condition)
    except Exception:
        log.exception("provider_condition_lost", provider=str(provider_id))


def _write(registry: Registry, provider_id: uuid.UUID, condition: Condition) -> None:
    # The container's or machine's name: two processes on different ones may have the same number.
    process = f"{platform.node()}:{os.getpid()}"
    remembered = condition.paused_seconds
    if condition.failing:
        remembered = max(remembered, condition.open_seconds + REMEMBERED_SECONDS)
    times = {
        "open_until": _in_seconds(condition.open_seconds) if condition.open_seconds else None,
        "degraded_until": _in_seconds(remembered),
    }
    mine = (ProviderTrouble.provider_id == provider_id) & (ProviderTrouble.process == process)
    with transaction_scope(registry) as session:
        # Its own row, and those of processes that must have gone.
        is_over = ProviderTrouble.degraded_until < _in_seconds(-GONE_SECONDS)
        session.execute(delete(ProviderTrouble).where(is_over | mine))
        if remembered:
            row = insert(ProviderTrouble).values(provider_id=provider_id, process=process, **times)
            session.execute(row.on_conflict_do_update(index_elements=["provider_id", "process"], set_=times))


def _in_seconds(seconds: float) -> ColumnElement[datetime]:
    moment = func.clock_timestamp(type_=DateTime(timezone=True))
    return moment + literal(float(seconds), Float(53)) * literal_column("interval '1 second'")
