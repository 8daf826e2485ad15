"""Reading what providers write in their replies: nothing of it can be relied on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

import httpx

from contentsvc.plugin.backends import Context
from contentsvc.plugin.errors import ProviderError

MOST_UNITS: Final = Decimal(10) ** 9
MOST_BYTES: Final = 50 * 1024 * 1024
_MOST_DIGITS: Final = 40


def retry_after(reply: httpx.Response) -> float | None:
    """Seconds that the header Retry-After asks for, as a number or a date; None without a usable one."""
    text = reply.headers.get("Retry-After", "")
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def save_reply(
    ctx: Context, pieces: Iterable[bytes], *, name: str, media_type: str, max_bytes: int = MOST_BYTES
) -> Path:
    """Write a file that is the reply itself below the work folder, as it comes; where it lies.

    ``name`` is a new, plain file name, ``media_type`` the reply's Content-Type. Raises
    ProviderError for a page, text or JSON, for nothing, for more than ``max_bytes``, and once
    the work is cancelled; what ``pieces`` raises passes.
    """
    kind = media_type.partition(";")[0].strip().lower()
    if kind.startswith("text/") or kind == "application/json":
        raise ProviderError("The provider's answer is no file.")
    path, size = ctx.work_dir / name, 0
    with path.open("xb") as file:
        for piece in pieces:
            if ctx.cancelled:
                raise ProviderError("The work was cancelled.")
            size += len(piece)
            if size > max_bytes:
                raise ProviderError("The provider's answer is too large.")
            file.write(piece)
    if not size:
        raise ProviderError("The provider sent an empty file.")
    return path


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
