"""What becomes of an export's task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.models import Asset, AssetCategory
from contentsvc.generation.models import AITask
from contentsvc.generation.works import Stored, Work
from contentsvc.plugin import ExportRequest, ExportResult, ProviderError
from contentsvc.projects.core.access import lock_for_result, touch
from contentsvc.projects.exports.film import film_request
from contentsvc.projects.models import Project, ProjectExport, ProjectStatus, Stage, WorkStatus
from contentsvc.projects.workflows import ProjectWorkflow
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.ingest import ingest


class ExportWorkflow(ProjectWorkflow):
    """One film a task."""

    @override
    def request(self, session: Session, registry: Registry, task: AITask) -> ExportRequest:
        return film_request(session, registry, task)

    @override
    def store(self, registry: Registry, task: AITask, result: ExportResult) -> Stored:
        name = f"{task.request['name']}.mp4"
        try:
            media = ingest(registry, result.video.path, name, kinds=("video",), trusted=True)
        except MediaRejected as error:
            raise ProviderError("The exported film can't be used.") from error
        metadata = {**result.video.metadata, "skipped_clips": list(result.skipped)}
        work = Work(media=media, name=name, category=AssetCategory.NONE, metadata=metadata)
        return Stored(works=(work,), usage=result.usage, facts=result.duration_seconds)

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        export = _export_of(session, task)
        if export is None:
            return
        [film] = assets
        export.status = WorkStatus.SUCCEEDED
        export.error = None
        export.asset_id = film.id
        export.duration_seconds = film.duration_seconds or facts
        _tell_project(session, export, ProjectStatus.COMPLETED)

    @override
    def failed(self, session: Session, registry: Registry, task: AITask) -> None:
        export = _export_of(session, task)
        if export is None:
            return
        export.status = WorkStatus.FAILED
        export.error = task.error_message
        _tell_project(session, export, ProjectStatus.FAILED)


def _export_of(session: Session, task: AITask) -> ProjectExport | None:
    return session.scalar(select(ProjectExport).where(ProjectExport.task_id == task.id))


def _tell_project(session: Session, export: ProjectExport, status: ProjectStatus) -> None:
    """Only the newest export speaks for its project, and only while the project is being exported."""
    newest = (
        select(ProjectExport.id)
        .where(ProjectExport.project_id == export.project_id)
        .order_by(ProjectExport.created_at.desc(), ProjectExport.id.desc())
        .limit(1)
    )
    project: Project | None = lock_for_result(session, export.project_id)
    if project is None:
        return
    if project.stage == Stage.EXPORT and session.scalar(newest) == export.id:
        project.status = status
    touch(project)
