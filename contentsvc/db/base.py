"""The declarative base: naming convention, keys, time stamps, money, enumerations."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from sqlalchemy import CheckConstraint, DateTime, MetaData, Numeric, Text, Uuid, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from uuid_utils.compat import uuid7

Amount = Annotated[Decimal, mapped_column(Numeric(18, 2))]
"""Credits."""

Factor = Annotated[Decimal, mapped_column(Numeric(18, 6))]
"""A unit price, a rate or a multiplier."""


class Base(DeclarativeBase):
    """Base of all tables; constraint names are stable so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        uuid.UUID: Uuid(),
        datetime: DateTime(timezone=True),
        str: Text(),
        dict[str, Any]: JSONB(),
        list[Any]: JSONB(),
    }


class Entity:
    """A row with a time-ordered id (UUIDv7) and its time of creation."""

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid7)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class TeamOwned:
    """A row of one team. Sessions filter these by the team they serve (see ``tenancy``)."""

    team_id: Mapped[uuid.UUID] = mapped_column()


def one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    """CHECK that a text column holds one of an enumeration's values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def finite(column: str, condition: str = "") -> CheckConstraint:
    """CHECK that a number is no NaN (which PostgreSQL sorts above every number).

    ``condition`` is SQL that must hold as well.
    """
    clause = f"{column} <> 'NaN'" + (f" AND {condition}" if condition else "")
    return CheckConstraint(clause, name=f"{column}_finite")
