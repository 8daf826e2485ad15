"""Lists: the first fifty pages of tens of thousands of rows, over HTTP, and how they are found."""

from __future__ import annotations

import time
from collections.abc import Iterator

from webob import Request

from contentsvc.db.session import engine_of, transaction_scope
from tools.bench.crowded import ASSETS, LEDGER_ROWS, TABLES, TASKS, fill, settle_down
from tools.bench.figures import Figure, milliseconds
from tools.bench.house import House
from tools.bench.plans import plans_of
from tools.demo.client import Client

PAGES = 50
WARM_UP = 5
# Title, path, who asks, at least so many rows.
LISTS = (
    ("tasks", "/api/ai/tasks/", "owner", TASKS),
    ("ledgers", "/api/billing/ledgers/", "owner", LEDGER_ROWS),
    ("ledgers, charges", "/api/billing/ledgers/?ledger_type=CHARGE", "owner", LEDGER_ROWS // 2),
    ("assets", "/api/assets/", "owner", ASSETS),
    ("assets of a tab", "/api/assets/?tab=kits", "owner", ASSETS // 5),
    ("all teams' tasks", "/api/admin/tasks/", "admin", TASKS),
    ("all teams' ledgers", "/api/admin/ledgers/", "admin", LEDGER_ROWS),
    ("all teams' reviews", "/api/admin/asset-reviews/", "admin", ASSETS // 5),
)


def measure(house: House) -> Iterator[Figure]:
    """Fill the team, then leaf through each list."""
    with transaction_scope(house.registry) as session:
        fill(session, house.team_id, house.owner_id)
    settle_down(engine_of(house.registry))
    for name, path, role, rows in LISTS:
        client = house.admin if role == "admin" else house.owner
        for _ in range(WARM_UP):
            _seconds(client, path, 1, rows)
        durations = [_seconds(client, path, page, rows) for page in range(1, PAGES + 1)]
        how = f"p50 / p95 of the first {PAGES} pages of {rows:,} rows; by {_indexes(house, client, path)}"
        yield Figure(f"List of {name}", milliseconds(durations), how)


def _seconds(client: Client, path: str, page: int, rows: int) -> float:
    started = time.perf_counter()
    answer = client.get(f"{path}{'&' if '?' in path else '?'}page={page}")
    seconds = time.perf_counter() - started
    if len(answer["results"]) != 20 or answer["count"] < rows:
        raise RuntimeError(f"{path} answers {len(answer['results'])} of {answer['count']} rows")
    return seconds


def _indexes(house: House, client: Client, path: str) -> str:
    """The indexes by which the list finds its rows.."""
    request = Request.blank(path, headers={"Authorization": client.authorization})
    plans = plans_of(engine_of(house.registry), lambda: request.get_response(house.app), TABLES)
    scans = [scan for plan in plans for scan in plan.scans if scan.table in TABLES]
    return ", ".join(dict.fromkeys(scan.index or f"all of {scan.table}" for scan in scans))
