"""What this process has answered, and how long it took."""

from __future__ import annotations

import bisect
import math
import os
import threading
from collections import Counter
from typing import Final, cast

from pyramid.registry import Registry

from contentsvc.http.metrics.families import Family, Kind, Sample

MEASURES: Final = "contentsvc.measures"
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, math.inf)
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Measures:
    """Requests by method, route and status, and the seconds until their reply began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answered: Counter[tuple[str, str, int]] = Counter()
        self._within = [0] * len(BOUNDS)
        self._seconds = 0.0

    @property
    def process(self) -> str:
        """The value of the label ``process``."""
        return str(os.getpid())

    def count(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """One request. ``route`` is the pattern, None where no route has matched."""
        # Anybody can make methods up; each would be a series of its own.
        key = (method if method in METHODS else "other", route or "none", status)
        with self._lock:
            self._answered[key] += 1
            self._within[bisect.bisect_left(BOUNDS, seconds)] += 1
            self._seconds += seconds

    def families(self) -> list[Family]:
        """The figures, labelled with this process."""
        with self._lock:
            answered, within, seconds = dict(self._answered), list(self._within), self._seconds
        mine = {"process": self.process}
        counts = [
            Sample(number, mine | {"method": method, "route": route, "status": str(status)})
            for (method, route, status), number in sorted(answered.items())
        ]
        buckets = [
            Sample(sum(within[: index + 1]), mine | {"le": _bound(bound)}, "_bucket")
            for index, bound in enumerate(BOUNDS)
        ]
        totals = [Sample(seconds, mine, "_sum"), Sample(sum(within), mine, "_count")]
        return [
            Family("http_requests_total", Kind.COUNTER, "Requests this process has answered.", counts),
            Family(
                "http_request_seconds",
                Kind.HISTOGRAM,
                "Seconds until a reply of this process began.",
                buckets + totals,
            ),
        ]


def _bound(bound: float) -> str:
    return "+Inf" if math.isinf(bound) else str(bound)


def measures_of(registry: Registry) -> Measures:
    """This process's measures."""
    return cast("Measures", registry[MEASURES])
