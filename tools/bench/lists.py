"""Lists: twenty rows of ten thousand, over HTTP."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from sqlalchemy import insert, text
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.assets.models import Asset
from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.storage.keys import new_key
from contentsvc.storage.models import MediaFile
from tools.bench.figures import Figure, milliseconds
from tools.bench.house import House
from tools.demo.client import Client

ROWS = 10_000
REQUESTS = 100
WARM_UP = 5
LISTS = (("tasks", "/api/ai/tasks/"), ("ledgers", "/api/billing/ledgers/"), ("assets", "/api/assets/"))


def measure(house: House) -> Iterator[Figure]:
    """Fill the team, then read the first page of each list again and again."""
    with transaction_scope(house.registry) as session:
        _fill(session, house.team_id, house.owner_id)
    with transaction_scope(house.registry) as session:
        session.execute(text("ANALYZE"))
    for name, path in LISTS:
        durations = [_timed(house.owner, path) for _ in range(WARM_UP + REQUESTS)][WARM_UP:]
        how = f"20 of {ROWS:,} rows, p50 / p95 of {REQUESTS} requests, one client"
        yield Figure(f"List of {name}", milliseconds(durations), how)


def _timed(client: Client, path: str) -> float:
    started = time.perf_counter()
    page = client.get(path)
    seconds = time.perf_counter() - started
    if len(page["results"]) != 20 or page["count"] < ROWS:
        raise RuntimeError(f"{path} answers {len(page['results'])} of {page['count']} rows")
    return seconds


def _fill(session: Session, team_id: uuid.UUID, user_id: uuid.UUID) -> None:
    """Tasks that have succeeded, with a picture and a movement of credit each."""
    tasks, files, assets, rows = [], [], [], []
    for number in range(ROWS):
        task_id, file_id = uuid7(), uuid7()
        tasks.append(_task(task_id, team_id, user_id))
        files.append(_file(file_id, number))
        assets.append(_asset(file_id, task_id, team_id, user_id, number))
        rows.append(_ledger_row(task_id, team_id, user_id))
    for model, values in ((AITask, tasks), (MediaFile, files), (Asset, assets), (LedgerRow, rows)):
        session.execute(insert(model), values)


def _task(task_id: uuid.UUID, team_id: uuid.UUID, user_id: uuid.UUID) -> dict[str, Any]:
    return {
        "id": task_id,
        "team_id": team_id,
        "task_type": TaskType.COVER_IMAGE,
        "status": TaskStatus.SUCCEEDED,
        "progress": 1.0,
        "estimated_cost": Decimal("0.30"),
        "actual_cost": Decimal("0.30"),
        "model_name": "bench",
        "provider_name": "bench",
        "meta": {"mode": "cover", "index": 0, "ratio": "1:1"},
        "request": {"brief": "a quiet table in the morning", "prompt": "a quiet table " * 20},
        "created_by": user_id,
    }


def _file(file_id: uuid.UUID, number: int) -> dict[str, Any]:
    return {
        "id": file_id,
        "key": new_key(),
        "filename": f"platform_kit-{number}.png",
        "media_type": "image/png",
        "size_bytes": 800_000,
        "etag": f"{number:064x}",
    }


def _asset(
    file_id: uuid.UUID, task_id: uuid.UUID, team_id: uuid.UUID, user_id: uuid.UUID, number: int
) -> dict[str, Any]:
    return {
        "team_id": team_id,
        "name": f"platform_kit-{number}.png",
        "category": "platform_kit",
        "asset_type": "image",
        "source": "generated",
        "file_id": file_id,
        "original_file_id": file_id,
        "thumbnail_file_id": file_id,
        "mime_type": "image/png",
        "size_bytes": 800_000,
        "width": 1080,
        "height": 1080,
        "task_id": task_id,
        "meta": {"mode": "cover", "index": 0},
        "created_by": user_id,
    }


def _ledger_row(task_id: uuid.UUID, team_id: uuid.UUID, user_id: uuid.UUID) -> dict[str, Any]:
    # A movement of nothing: the books of the team stay as they are.
    return {
        "team_id": team_id,
        "ledger_type": LedgerType.RESERVE,
        "amount": Decimal(0),
        "balance_after": Decimal(0),
        "frozen_after": Decimal(0),
        "task_id": task_id,
        "member_id": user_id,
        "reservation_no": 1,
    }
