"""Field types of the API, in and out: text, ids, credits, factors, times, links.

Pydantic's own types let through what PostgreSQL refuses or JSON can't say (NUL, NaN,
exponents of any size, UUIDs in braces); these do not.
"""

from __future__ import annotations

import math
import re
import uuid
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
)

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
PLAIN_NUMBER = re.compile(r"-?\d{1,16}(\.\d{1,12})?", re.ASCII)
AMOUNT_LIMIT = Decimal(10) ** 12
CENT = Decimal("0.01")
MICRO = Decimal("0.000001")


class In(BaseModel):
    """A request body. Unknown members are ignored; fields take their JSON type only."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Out(BaseModel):
    """A reply, filled from the attributes of rows and plain objects."""

    model_config = ConfigDict(from_attributes=True)


def parse_uuid(value: object) -> uuid.UUID:
    """A UUID in its 36-character form, case ignored. Raises ValueError for anything else."""
    if isinstance(value, uuid.UUID):
        return value
    if isinstance(value, str) and UUID_TEXT.fullmatch(value):
        return uuid.UUID(value)
    raise ValueError("not an id")


Id = Annotated[
    uuid.UUID,
    BeforeValidator(parse_uuid),
    WithJsonSchema({"type": "string", "format": "uuid"}),
]


def _amount(value: object, *, places: int) -> Decimal:
    if isinstance(value, Decimal):
        number = value
    elif isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("a number, or a string that holds one, is expected")  # noqa: TRY004 - pydantic's word
    elif isinstance(value, str) and not PLAIN_NUMBER.fullmatch(value):
        raise ValueError("not a plain decimal number")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a finite number")
    else:
        try:
            number = Decimal(repr(value) if isinstance(value, float) else str(value))
        except InvalidOperation as error:
            raise ValueError("not a number") from error
    if not number.is_finite() or abs(number) > AMOUNT_LIMIT:
        raise ValueError("the number is out of range")
    exponent = number.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > places:
        raise ValueError(f"at most {places} decimals are allowed")
    return number


def _credits(value: object) -> Decimal:
    return _amount(value, places=2)


def _factor(value: object) -> Decimal:
    return _amount(value, places=6)


def credits_text(value: Decimal) -> str:
    """Credits as they go out: plain, always two decimals."""
    return format(value.quantize(CENT, ROUND_HALF_UP), "f")


def factor_text(value: Decimal) -> str:
    """A rate as it goes out: plain, up to six decimals, no trailing zeros."""
    text = format(value.quantize(MICRO, ROUND_HALF_UP), "f")
    return text.rstrip("0").rstrip(".")


_NUMBER_IN = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^-?\d{1,16}(\.\d{1,12})?$"}]}

CreditsIn = Annotated[Decimal, BeforeValidator(_credits), WithJsonSchema(_NUMBER_IN, mode="validation")]
"""Credits from a client: number or string, at most two decimals, up to 10^12 either way."""

LimitIn = Annotated[CreditsIn, Field(ge=0)]
"""Credits that can't be negative."""

FactorIn = Annotated[Decimal, BeforeValidator(_factor), WithJsonSchema(_NUMBER_IN, mode="validation")]
"""A price, rate or multiplier from a client: at most six decimals."""

Credits = Annotated[
    Decimal,
    PlainSerializer(credits_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?\d+\.\d{2}$"}, mode="serialization"),
]
Factor = Annotated[
    Decimal,
    PlainSerializer(factor_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?\d+(\.\d{1,6})?$"}, mode="serialization"),
]


def _timestamp(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


Timestamp = Annotated[
    datetime,
    PlainSerializer(_timestamp, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]


def _absolute(value: Any, info: ValidationInfo) -> Any:
    """Media rows know their path; the reply needs the address the client reached us at."""
    if isinstance(value, str) and value.startswith("/") and isinstance(info.context, dict):
        return f"{info.context['base_url']}{value}"
    return value


Link = Annotated[str, BeforeValidator(_absolute), WithJsonSchema({"type": "string", "format": "uri"})]
"""A path on this server, made absolute in the reply."""

Word = Annotated[str, StringConstraints(max_length=255)]
"""One line of text: a name or a title."""

Prose = Annotated[str, StringConstraints(max_length=20_000)]
"""Longer text: a description."""

Prompt = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
JsonObject = dict[str, Any]
