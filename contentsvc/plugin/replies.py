"""Reading what providers write in their replies: nothing of it can be relied on."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

MOST_UNITS: Final = Decimal(10) ** 9
_MOST_DIGITS: Final = 40


def retry_after(reply: httpx.Response) -> float | None:
    """Seconds that the header Retry-After asks for, as a number or a date; None without a usable one."""
    text = reply.headers.get("Retry-After", "")
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def figure(value: object) -> Decimal | None:
    """A usage figure that a provider reports, as number or text.

    None for everything that is no figure to charge for: other types, NaN, less than zero, more
    than a thousand million.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    if isinstance(value, int) and abs(value) > MOST_UNITS:
        return None
    try:
        found = Decimal(str(value)[:_MOST_DIGITS])
    except InvalidOperation:
        return None
    return found if found.is_finite() and 0 <= found <= MOST_UNITS else None


def _seconds_until(date: str) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    return (then - datetime.now(UTC)).total_seconds() if then.tzinfo else math.nan
