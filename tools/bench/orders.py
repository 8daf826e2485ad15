"""Orders: from the POST to the finished picture, through web server, queue, worker and storage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tools.bench.figures import Figure, milliseconds
from tools.bench.house import PHOTO, House
from tools.demo.client import Client
from tools.demo.story import add_product

ORDERS = 10
BATCH = 12
LOOK_SECONDS = 0.02
PATIENCE_SECONDS = 60.0


def measure(house: House) -> Iterator[Figure]:
    """One picture after the other, then a whole batch."""
    product = add_product(house.owner, PHOTO)
    order = {"mode": "cover", "prompt": "morning light", "product_id": product["id"], "ratio": "1:1"}
    _seconds(house.owner, {**order, "count": 1})
    singles = [_seconds(house.owner, {**order, "count": 1}) for _ in range(ORDERS)]
    yield Figure(
        "Order of one picture, POST to succeeded",
        milliseconds(singles),
        f"p50 / p95 of {ORDERS} orders, the offline provider's platform set",
    )
    seconds = _seconds(house.owner, {**order, "count": BATCH})
    yield Figure(
        f"Order of {BATCH} pictures", f"{seconds:.1f} s", f"{60 * BATCH / seconds:.0f} pictures a minute"
    )


def _seconds(client: Client, order: dict[str, Any]) -> float:
    started = time.perf_counter()
    ids = ",".join(task["id"] for task in client.post("/api/ai/generate-image/", order)["tasks"])
    while time.perf_counter() - started < PATIENCE_SECONDS:
        statuses = {task["status"] for task in client.get("/api/ai/generate-image/", ids=ids)["tasks"]}
        if "failed" in statuses:
            raise RuntimeError("a picture has failed")
        if statuses == {"succeeded"}:
            return time.perf_counter() - started
        time.sleep(LOOK_SECONDS)
    raise RuntimeError("the pictures took too long")
