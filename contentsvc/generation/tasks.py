"""A team's tasks: lists, one task, results by id, the unread badge, the workbench."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.generation.models import IMAGE_TYPES, AITask, TaskStatus
from contentsvc.generation.schemas import TaskQuery
from contentsvc.http import NotFound, PageQuery, fetch_page
from contentsvc.http.pagination import Slice
from contentsvc.http.types import parse_uuid

FINAL = (TaskStatus.SUCCEEDED, TaskStatus.FAILED)
WORKBENCH_WINDOW = timedelta(hours=24)


class Tasks:
    """Reads and marks the tasks of one team."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def _all(self) -> Select[AITask]:
        return select(AITask).where(AITask.team_id == self._team_id)

    def get(self, task_id: uuid.UUID) -> AITask:
        """One task with its assets. Raises NotFound."""
        task = self._session.scalars(self._all().where(AITask.id == task_id)).one_or_none()
        if task is None:
            raise NotFound
        attach_assets(self._session, [task])
        return task

    def page(self, query: TaskQuery) -> Slice:
        """Tasks by the query's filters, newest first."""
        statement = self._all()
        for column, value in (
            (AITask.status, query.status),
            (AITask.project_id, query.project),
            (AITask.product_id, query.product),
            (AITask.batch_id, query.batch_id),
        ):
            if value is not None:
                statement = statement.where(column == value)
        if query.task_type:
            statement = statement.where(AITask.task_type.in_(query.task_type))
        if query.unread:
            statement = statement.where(*self._is_unread())
        return self._fetch(statement, query)

    def workbench(self, query: PageQuery) -> Slice:
        """Image tasks of the last 24 hours, and unread ones of any age."""
        recent = AITask.created_at > func.now() - WORKBENCH_WINDOW
        statement = self._all().where(
            AITask.task_type.in_(IMAGE_TYPES), or_(recent, AITask.read_at.is_(None))
        )
        return self._fetch(statement, query)

    def results(self, ids: Sequence[str]) -> list[AITask]:
        """The tasks with these ids, in that order; unknown and malformed ids are left out."""
        wanted = known_ids(ids)
        found = {task.id: task for task in self._session.scalars(self._all().where(AITask.id.in_(wanted)))}
        tasks = [found[id_] for id_ in wanted if id_ in found]
        attach_assets(self._session, tasks)
        return tasks

    def unread_count(self) -> int:
        """Finished tasks nobody of the team has looked at."""
        statement = select(func.count()).select_from(AITask).where(AITask.team_id == self._team_id)
        return self._session.scalar(statement.where(*self._is_unread())) or 0

    def mark_read(self, ids: Sequence[str] | None) -> int:
        """Mark finished tasks as read, all of them without ``ids``; how many were unread."""
        statement = update(AITask).where(AITask.team_id == self._team_id, *self._is_unread())
        if ids is not None:
            statement = statement.where(AITask.id.in_(known_ids(ids)))
        changed = self._session.execute(
            statement.values(read_at=func.clock_timestamp()).returning(AITask.id),
            execution_options={"synchronize_session": False},
        )
        return len(changed.all())

    @staticmethod
    def _is_unread() -> tuple[Any, ...]:
        return AITask.read_at.is_(None), AITask.status.in_(FINAL), AITask.is_deleted.is_(False)

    def _fetch(self, statement: Select[AITask], query: PageQuery) -> Slice:
        found = fetch_page(
            self._session, statement.order_by(AITask.created_at.desc(), AITask.id.desc()), query
        )
        attach_assets(self._session, found.rows)
        return found


def any_teams_task(session: Session, task_id: uuid.UUID) -> AITask:
    """A task of whichever team, with its assets, for the platform. Raises NotFound."""
    task = session.get(AITask, task_id)
    if task is None:
        raise NotFound
    attach_assets(session, [task])
    return task


def attach_assets(session: Session, tasks: Sequence[AITask]) -> None:
    """Give each task its ``assets``, in one statement for all."""
    statement = (
        select(Asset)
        .where(Asset.task_id.in_([task.id for task in tasks]), Asset.deleted_at.is_(None))
        .order_by(Asset.created_at, Asset.id)
    )
    by_task: dict[uuid.UUID | None, list[Asset]] = defaultdict(list)
    for asset in session.scalars(statement):
        by_task[asset.task_id].append(asset)
    for task in tasks:
        task.assets = by_task[task.id]


def known_ids(ids: Sequence[str]) -> list[uuid.UUID]:
    """Those of the texts that are ids, each once, in their order."""
    known = []
    for text in ids:
        try:
            known.append(parse_uuid(text))
        except ValueError:
            continue
    return list(dict.fromkeys(known))
