"""Models that a plugin brings along, from a table in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from contentsvc.plugin import BillingUnit, Capability, Model


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    display_name: str
    capability: Capability
    endpoint: str
    unit_price: Decimal
    billing_unit: BillingUnit
    options: Mapping[str, Any] = Field(default_factory=dict)


_ROWS = TypeAdapter(list[_Row])


def models_of(table: str, provider: str) -> tuple[Model, ...]:
    """The models in a JSON list of rows, none of them a default. Raises ValueError for a broken table."""
    return tuple(
        Model(
            provider=provider,
            name=row.name,
            display_name=row.display_name,
            capability=row.capability,
            unit_price=row.unit_price,
            billing_unit=row.billing_unit,
            endpoint=row.endpoint,
            options=row.options,
        )
        for row in _ROWS.validate_json(table)
    )
