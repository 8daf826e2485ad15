"""Throttles: counters in PostgreSQL, each hit in a short transaction of its own.

Failures (wrong passwords, invalid codes) are counted in a window that slides in steps of
a fifteenth of its length. Requests are counted in fixed windows of the ini's unit.
"""

from __future__ import annotations

import math

from pyramid.registry import Registry
from sqlalchemy import text
from sqlalchemy.orm import Session

from contentsvc.db.session import engine_of
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.settings import Settings

STEPS = 15
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}

# The epoch as origin makes a window start at the same moment in every process.
_HIT = text(
    """
    INSERT INTO rate_counter (bucket, window_start, hits)
    VALUES (:bucket, date_bin(make_interval(secs => :seconds), clock_timestamp(), 'epoch'), 1)
    ON CONFLICT (bucket, window_start) DO UPDATE SET hits = rate_counter.hits + 1
    """
)
_RECENT = text(
    """
    SELECT hits, extract(epoch FROM window_start - clock_timestamp()) + :seconds AS seconds_left
    FROM rate_counter
    WHERE bucket = :bucket AND window_start > clock_timestamp() - make_interval(secs => :seconds)
    ORDER BY window_start DESC
    """
)


_NOW = text(
    """
    SELECT hits, extract(epoch FROM window_start - clock_timestamp()) + :seconds AS seconds_left
    FROM rate_counter
    WHERE bucket = :bucket
      AND window_start = date_bin(make_interval(secs => :seconds), clock_timestamp(), 'epoch')
    """
)


class FailureThrottle:
    """Counts failures by bucket over the last ``auth.failure_window_minutes``.

    A bucket names what is counted and for whom (``login:anna:203.0.113.7``). Long names
    are fine; they are stored as they are.
    """

    def __init__(self, registry: Registry) -> None:
        settings: Settings = registry["contentsvc.settings"]
        self._engine = engine_of(registry)
        self._seconds = settings.auth.failure_window_minutes * 60

    def check(self, bucket: str, limit: int) -> None:
        """Raise ApiError RATE_LIMITED when the bucket had ``limit`` failures in the window.

        ``retry_after`` is the time until enough of them have left the window.
        """
        with self._engine.begin() as connection:
            rows = connection.execute(_RECENT, {"bucket": bucket, "seconds": self._seconds}).all()
        counted = 0
        for hits, seconds_left in rows:
            counted += hits
            if counted >= limit:
                raise limited("Too many failed attempts.", float(seconds_left))

    def record(self, bucket: str) -> None:
        """Count one failure; stays counted when the request itself is rolled back."""
        with self._engine.begin() as connection:
            connection.execute(_HIT, {"bucket": bucket, "seconds": self._seconds / STEPS})


class RateLimit:
    """At most ``count`` requests of a bucket in each window of ``seconds``; 0 is no limit.

    ``rate`` is the ini's word, as 600/minute; "" for none.
    """

    def __init__(self, registry: Registry, rate: str) -> None:
        self._engine = engine_of(registry)
        count, _, unit = rate.partition("/")
        self.count = int(count) if rate else 0
        self.seconds = _SECONDS[unit] if rate else 0

    def check(self, session: Session, bucket: str) -> None:
        """Raise ApiError RATE_LIMITED when the bucket's window is used up."""
        row = session.execute(_NOW, {"bucket": bucket, "seconds": float(self.seconds)}).one_or_none()
        if row is not None and row.hits >= self.count:
            raise limited("Too many requests.", float(row.seconds_left))

    def hit(self, bucket: str) -> None:
        """Count one request, in a transaction of its own."""
        with self._engine.begin() as connection:
            # A lost count after a crash of the server harms nobody.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            connection.execute(_HIT, {"bucket": bucket, "seconds": float(self.seconds)})


def limited(reason: str, seconds_left: float) -> ApiError:
    """The refusal of a throttle; whole seconds, at least one."""
    wait = max(1, math.ceil(seconds_left))
    return ApiError(ErrorCode.RATE_LIMITED, f"{reason} Try again in {wait} seconds.", retry_after=wait)
