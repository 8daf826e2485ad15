"""Times by the database's clock: workers' clocks may differ, leases must not."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, DateTime, Float, func, literal, literal_column

SECOND: Final[ColumnElement[Any]] = literal_column("interval '1 second'")


def now() -> ColumnElement[datetime]:
    """This very moment, also inside a long transaction."""
    return func.clock_timestamp(type_=DateTime(timezone=True))


def statement_start() -> ColumnElement[datetime]:
    """When the statement began: constant in it, so that an index on a time can be used."""
    return func.statement_timestamp(type_=DateTime(timezone=True))


def in_seconds(seconds: float) -> ColumnElement[datetime]:
    """``seconds`` from now; in the past where negative."""
    return func.clock_timestamp(type_=DateTime(timezone=True)) + literal(float(seconds), Float(53)) * SECOND
