"""A team's free videos: listed, asked for, marked, taken off the list."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from contentsvc.generation.admission import POLL_KIND
from contentsvc.generation.free_videos.schemas import VideoQuery
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.generation.tasks import attach_assets, known_ids
from contentsvc.http import NotFound, fetch_page
from contentsvc.http.pagination import Slice
from contentsvc.jobs.services import hasten
from contentsvc.settings import GenerationSettings


class FreeVideos:
    """The tasks of one team's free videos. Deleted ones count as unknown."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: VideoQuery) -> Slice:
        """The videos, or the favourites among them, newest first."""
        statement = self._all().order_by(AITask.created_at.desc(), AITask.id.desc())
        if query.favorited:
            statement = statement.where(AITask.is_favorited)
        found = fetch_page(self._session, statement, query)
        attach_assets(self._session, found.rows)
        return found

    def get(self, task_id: uuid.UUID) -> AITask:
        """One of them, with its assets. Raises NotFound."""
        task = self._session.scalars(self._all().where(AITask.id == task_id)).one_or_none()
        if task is None:
            raise NotFound
        attach_assets(self._session, [task])
        return task

    def ask_for(self, ids: Sequence[str], settings: GenerationSettings) -> list[AITask]:
        """The videos with these ids, in that order; the provider is asked for them a little sooner.

        Unknown and malformed ids are left out.
        """
        wanted = known_ids(ids)
        found = {task.id: task for task in self._session.scalars(self._all().where(AITask.id.in_(wanted)))}
        tasks = [found[id_] for id_ in wanted if id_ in found]
        attach_assets(self._session, tasks)
        for task in tasks:
            if task.status in (TaskStatus.SUBMITTED, TaskStatus.POLLING):
                soon, late = settings.poll_min_seconds, settings.poll_max_seconds
                hasten(self._session, POLL_KIND, task.id, seconds=soon, longest=late)
        return tasks

    def favor(self, task: AITask, *, favorited: bool) -> None:
        """Make a video a favourite, or not any more."""
        task.is_favorited = favorited
        self._session.flush()

    def delete(self, task: AITask) -> None:
        """Take a video off the list. One in the making is finished and charged; its asset stays."""
        task.is_deleted = True
        self._session.flush()

    def _all(self) -> Select[AITask]:
        return select(AITask).where(
            AITask.team_id == self._team_id,
            AITask.task_type == TaskType.FREE_VIDEO,
            AITask.is_deleted.is_(False),
        )
