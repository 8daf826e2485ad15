"""What the platform's administrator does with tasks."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select, text, update

from contentsvc.backoffice.models import AuditRecord
from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import AITask
from contentsvc.jobs.runner import run_due
from tests.fakes.provider import Reply
from tests.functional.generating import Studio, order

TASKS = "/api/admin/tasks/"


def retry(admin: Any, task_id: str, status: int = 200) -> Any:
    """Try a task again; the reply."""
    return admin.post(f"{TASKS}{task_id}/retry/", status=status).json


def reap(admin: Any, task_id: str, status: int = 200) -> Any:
    """Give a task up; the reply."""
    return admin.post(f"{TASKS}{task_id}/reap/", status=status).json


def detail(admin: Any, task_id: str) -> Any:
    """A task as the administrator sees it."""
    return admin.get(f"{TASKS}{task_id}/").json


def found(admin: Any, **query: Any) -> list[str]:
    """Ids of the administrator's list."""
    return [task["id"] for task in admin.get(TASKS, query).json["results"]]


def chain(client: Any, task_id: str) -> list[tuple[str, int]]:
    """Types and reservations of a task's ledger rows, oldest first."""
    rows = client.get(f"/api/ai/tasks/{task_id}/explain/").json["ledgers"]
    return [(row["ledger_type"], row["reservation_no"]) for row in rows]


def pass_minutes(registry: Registry, minutes: float) -> None:
    """Make every reservation, and all of the ledger, older by so much."""
    with transaction_scope(registry) as session:
        for table in ("ledger_row", "reservation"):
            session.execute(
                text(f"UPDATE {table} SET created_at = created_at - make_interval(secs => :seconds)"),
                {"seconds": 60 * minutes},
            )


def set_task(registry: Registry, task_id: str, **values: Any) -> None:
    """Set columns of a task's row."""
    with transaction_scope(registry) as session:
        session.execute(update(AITask).where(AITask.id == uuid.UUID(task_id)).values(**values))


def audited(registry: Registry, task_id: str) -> list[tuple[str, str, str]]:
    """What was recorded of a task: the action, the status before and after it."""
    with transaction_scope(registry) as session:
        rows = session.scalars(select(AuditRecord).where(AuditRecord.target_id == uuid.UUID(task_id)))
        return [(row.action, (row.before or {})["status"], (row.after or {})["status"]) for row in rows]


def failed_picture(studio: Studio, client: Any, **body: Any) -> str:
    """A picture whose provider refused it; its task."""
    studio.provider.replies.append(Reply(422))
    [task_id] = order(client, **body)
    studio.work()
    return task_id


def stuck_picture(studio: Studio, client: Any) -> str:
    """A picture that was ordered eleven minutes ago; its task."""
    [task_id] = order(client)
    pass_minutes(studio.registry, 11)
    return task_id


@contextmanager
def at_work(studio: Studio, reply: Reply | None = None) -> Iterator[threading.Event]:
    """A worker that waits for its provider's answer, a picture by default, given once the event is set.

    After the block the answer is given and the worker has ended.
    """
    gate = threading.Event()
    studio.provider.replies.append(replace(reply or Reply(), gate=gate))
    worker = threading.Thread(target=run_due, args=(studio.registry,))
    worker.start()
    assert studio.provider.ordered.acquire(timeout=20)
    try:
        yield gate
    finally:
        gate.set()
        worker.join()
