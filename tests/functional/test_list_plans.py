"""Lists of crowded tables are found, ordered and counted by indexes.

On tables as small as these PostgreSQL would read all rows; told not to, it shows whether
there is an index to go by. ``make bench`` looks at crowded tables.
"""

from __future__ import annotations

import uuid

from pyramid.registry import Registry

from contentsvc.db.session import engine_of
from tests.functional.conftest import Client
from tools.bench.plans import Plan, plans_of

TABLES = ("ai_task", "ledger_row", "asset", "notification", "audit_record")
NO_WAY_AROUND = ("enable_seqscan = off", "enable_sort = off", "enable_bitmapscan = off")
ANY_ID = str(uuid.UUID(int=7))

ORDERED = (
    "/api/ai/tasks/",
    "/api/ai/tasks/?task_type=free_image",
    "/api/ai/tasks/?status=failed",
    "/api/ai/tasks/?unread=1",
    "/api/assets/",
    "/api/assets/?tab=kits",
    "/api/assets/?category=person",
    "/api/assets/?ordering=created_at",
    "/api/assets/?ordering=-name",
    "/api/assets/?ordering=size_bytes",
    "/api/billing/ledgers/",
    "/api/billing/ledgers/?ledger_type=CHARGE",
    "/api/ops/notifications/",
    "/api/admin/tasks/",
    "/api/admin/tasks/?status=failed",
    "/api/admin/tasks/?task_type=free_image",
    f"/api/admin/tasks/?team={ANY_ID}",
    "/api/admin/tasks/?anomaly=cost",
    "/api/admin/tasks/?anomaly=outcome_unknown",
    "/api/admin/ledgers/",
    "/api/admin/ledgers/?ledger_type=CHARGE",
    f"/api/admin/ledgers/?team={ANY_ID}&ledger_type=CHARGE",
    "/api/admin/audit/",
    f"/api/admin/audit/?actor={ANY_ID}",
    f"/api/admin/audit/?target={ANY_ID}",
)
# What these keep is little, so that it may be put in order afterwards.
FILTERED = (
    f"/api/ai/tasks/?project={ANY_ID}",
    f"/api/ai/tasks/?product={ANY_ID}",
    f"/api/ai/tasks/?batch_id={ANY_ID}",
    f"/api/assets/?product={ANY_ID}",
    "/api/ai/tasks/workbench/",
    "/api/billing/trend/?range=month",
)


def plans(registry: Registry, owner: Client, admin: Client, path: str, *settings: str) -> list[Plan]:
    client = admin if path.startswith("/api/admin/") else owner
    found = plans_of(engine_of(registry), lambda: client.get(path), TABLES, *settings)
    assert found, f"{path} asks for nothing in {TABLES}"
    return found


def read_whole(found: list[Plan]) -> list[str]:
    """Statements that read all of a crowded table."""
    return [
        plan.statement
        for plan in found
        if any(scan.table in TABLES and scan.index is None for scan in plan.scans)
    ]


def test_an_index_gives_the_rows_in_order(registry: Registry, owner: Client, admin: Client) -> None:
    """Rows of one moment may be put in order by their ids afterwards: an incremental sort."""
    sorted_, whole = [], []
    for path in ORDERED:
        found = plans(registry, owner, admin, path, *NO_WAY_AROUND)
        pages = [plan for plan in found if "ORDER BY" in plan.statement and "LIMIT" in plan.statement]
        sorted_ += [path] if not pages or any("Sort" in plan.nodes for plan in pages) else []
        whole += read_whole(found)
    assert (sorted_, whole) == ([], [])


def test_an_index_finds_the_rows(registry: Registry, owner: Client, admin: Client) -> None:
    found = {path: plans(registry, owner, admin, path, "enable_seqscan = off") for path in FILTERED}
    assert {path: whole for path, plans_ in found.items() if (whole := read_whole(plans_))} == {}
