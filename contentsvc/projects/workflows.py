"""What the workflows of a project's tasks have in common."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask
from contentsvc.generation.workflows import Workflow
from contentsvc.projects.models import Project


class ProjectWorkflow(Workflow):
    """A workflow that changes its task's project. Mix it in before another workflow."""

    def lock(self, session: Session, task: AITask) -> None:
        """Lock the task's project before the account, as requests do."""
        if task.project_id is not None:
            locked_project(session, task)


def locked_project(session: Session, task: AITask) -> Project:
    """The task's project, locked until the transaction ends; also a deleted one, whose tasks finish."""
    statement = (
        select(Project)
        .where(Project.id == task.project_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).one()
