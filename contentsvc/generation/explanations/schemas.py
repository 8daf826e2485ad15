"""The explanation of a task's bill."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field, PlainSerializer, WithJsonSchema

from contentsvc.billing.caps import CapState
from contentsvc.billing.schemas import LedgerOut
from contentsvc.generation.models import TaskStatus
from contentsvc.generation.schemas import AITaskOut
from contentsvc.http.types import Credits, Factor, JsonObject, Out, Timestamp


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


Units = Annotated[
    Decimal,
    PlainSerializer(_plain, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d+)?$"}, mode="serialization"),
]


class PriceExplained(Out):
    """The figures a task is priced with, and what came of them.

    ``list`` is the product of unit price, units, exchange rate and margin in credits of 0.1, half-up to
    cents; times ``multiplier``, half-up, it is the price; times ``buffer``, half-up, it is
    ``estimated``. ``charged`` is the same without the buffer, for ``units_actual``; null until then.
    What has no price of its own, like the task of a whole storyboard, has null figures.
    """

    unit_price: Factor | None = None
    billing_unit: str | None = None
    units_estimated: Units | None = None
    units_actual: Units | None = None
    exchange_rate: Factor | None = None
    margin_factor: Factor | None = None
    multiplier: Factor | None = None
    buffer: Factor | None = Field(None, description="1 where nothing was reserved on top.")
    list: Credits | None = None
    estimated: Credits
    charged: Credits | None


class AttemptExplained(Out):
    """One order placed with a provider. ``usage`` is what it reported, raw and in billing units."""

    provider: str
    model: str
    started_at: Timestamp
    finished_at: Timestamp | None
    outcome: str
    usage: JsonObject
    error: str


class StatusAt(Out):
    """A status, and since when."""

    status: TaskStatus
    at: Timestamp


class Explanation(Out):
    """Everything behind a task's bill. ``caps`` are as they stood before its latest order."""

    task: AITaskOut
    price: PriceExplained
    caps: list[CapState]
    attempts: list[AttemptExplained]
    timeline: list[StatusAt]
    ledgers: list[LedgerOut] = Field(description="Every movement of credit for the task, oldest first.")
