"""A team with years of work behind it: rows that the database itself multiplies, within seconds."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetCategory, AssetType
from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.storage.keys import new_key
from contentsvc.storage.models import MediaFile

TASKS, LEDGER_ROWS, ASSETS = 100_000, 200_000, 50_000
TABLES = ("ai_task", "ledger_row", "asset")
CATEGORIES = ("platform_kit", "model_tryon", "free_create", "storyboard", "person")
UNREAD = 100
# A task every ten minutes: the newest is of now, the oldest almost two years old.
MINUTES_APART = 10


def fill(session: Session, team_id: uuid.UUID, user_id: uuid.UUID) -> None:
    """Tasks that have succeeded, two movements of credit for each, a picture for every other one."""
    task, file, asset, row = _templates(session, team_id, user_id)
    _multiply(
        session,
        task,
        TASKS,
        id=_id("a", "n"),
        created_at=_at("n"),
        read_at=f"CASE WHEN n <= {TASKS - UNREAD} THEN now() END",
        metadata="jsonb_build_object('mode', 'cover', 'index', n % 12)",
    )
    _multiply(
        session,
        row,
        LEDGER_ROWS,
        id=_id("b", "n"),
        created_at=_at("(n + 1) / 2"),
        task_id=_id("a", "(n + 1) / 2"),
        ledger_type=f"CASE WHEN n % 2 = 1 THEN '{LedgerType.RESERVE}' ELSE '{LedgerType.CHARGE}' END",
    )
    _multiply(session, file, ASSETS, id=_id("c", "n"), created_at=_at("n * 2"), key="md5('bench' || n)")
    categories = ", ".join(f"'{category}'" for category in CATEGORIES)
    _multiply(
        session,
        asset,
        ASSETS,
        id=_id("d", "n"),
        created_at=_at("n * 2"),
        task_id=_id("a", "n * 2"),
        name="'picture-' || n || '.png'",
        category=f"(ARRAY[{categories}])[n % {len(CATEGORIES)} + 1]",
        **{column: _id("c", "n") for column in ("file_id", "original_file_id", "thumbnail_file_id")},
    )


def settle_down(engine: Engine) -> None:
    """What PostgreSQL does by itself in the minutes after so many inserts."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in (*TABLES, "media_file"):
            connection.execute(text(f"VACUUM (ANALYZE) {table}"))


def _id(kind: str, number: str) -> str:
    """The id of the ``number``-th of a kind; like real ones they ascend with time."""
    return f"('01900000-000{kind}-7000-8000-' || lpad(to_hex({number}), 12, '0'))::uuid"


def _at(number: str) -> str:
    return f"now() - ({TASKS} - {number}) * INTERVAL '{MINUTES_APART} minutes'"


def _multiply(session: Session, template: Any, count: int, **values: str) -> None:
    """Copies of a row that differ in ``values``: SQL that may use the number ``n``."""
    table = template.__table__
    names = [column.name for column in table.columns]
    shown = ", ".join(values.get(name, f"template.{name}") for name in names)
    session.execute(
        text(
            f"INSERT INTO {table.name} ({', '.join(names)}) "
            f"SELECT {shown} FROM {table.name} AS template, generate_series(1, :count) AS n "
            "WHERE template.id = :id"
        ),
        {"count": count, "id": template.id},
    )


def _templates(session: Session, team_id: uuid.UUID, user_id: uuid.UUID) -> tuple[Any, Any, Any, Any]:
    """One row of each kind, as the service would write it."""
    price = Decimal("0.30")
    task = AITask(
        team_id=team_id,
        task_type=TaskType.COVER_IMAGE,
        status=TaskStatus.SUCCEEDED,
        progress=1.0,
        estimated_cost=price,
        actual_cost=price,
        model_name="bench",
        provider_name="bench",
        request={"brief": "a quiet table in the morning", "prompt": "a quiet table " * 20},
        created_by=user_id,
    )
    file = MediaFile(
        key=new_key(), filename="picture.png", media_type="image/png", size_bytes=800_000, etag=f"{0:064x}"
    )
    asset = Asset(
        team_id=team_id,
        name="picture.png",
        category=AssetCategory.PLATFORM_KIT,
        asset_type=AssetType.IMAGE,
        source="generated",
        file=file,
        original_file=file,
        thumbnail_file=file,
        mime_type="image/png",
        size_bytes=800_000,
        width=1080,
        height=1080,
        task_id=task.id,
        meta={"mode": "cover", "index": 0},
        created_by=user_id,
    )
    row = LedgerRow(
        team_id=team_id,
        ledger_type=LedgerType.RESERVE,
        # A movement of nothing: the books of the team stay as they are.
        amount=Decimal(0),
        balance_after=Decimal(0),
        frozen_after=Decimal(0),
        task_id=uuid.uuid4(),
        member_id=user_id,
        reservation_no=1,
    )
    session.add_all([task, file, asset, row])
    session.flush()
    return task, file, asset, row
