"""What differs between kinds of tasks: the model's request, and what becomes of the result."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, Protocol, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.generation.images import ONE_PICTURE, image_request, reference_ids
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.settlement import Work
from contentsvc.plugin import ImageRequest, ImageResult, ProviderError, Usage
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.ingest import ingest

_WORKFLOWS: Final = "contentsvc.workflows"


class Workflow(Protocol):
    """One family of task types, as the runner sees it."""

    def request(self, session: Session, registry: Registry, task: AITask) -> Any:
        """The plain request a backend gets; in a transaction, without I/O beside it."""

    def store(self, registry: Registry, task: AITask, result: Any) -> tuple[list[Work], Usage]:
        """Put the result's files into storage; outside of any transaction."""

    def default_units(self, task: AITask) -> Decimal:
        """Billing units to charge where the provider reports none."""


class ImageWorkflow:
    """One picture a task."""

    def request(self, session: Session, registry: Registry, task: AITask) -> ImageRequest:
        ids = reference_ids(task)
        # Deleted since the order was taken still counts: the bytes are there until the purge.
        found = {a.id: a for a in session.scalars(select(Asset).where(Asset.id.in_(ids)))}
        if any(id_ not in found for id_ in ids):
            raise ProviderError("A reference picture of this order has been removed for good.")
        return image_request(registry, task, [found[id_] for id_ in ids])

    def store(self, registry: Registry, task: AITask, result: ImageResult) -> tuple[list[Work], Usage]:
        picture = result.image
        name = f"{task.request['purpose']}-{task.request['index'] + 1}{picture.path.suffix}"
        try:
            media = ingest(registry, picture.path, name, kinds=("image",), trusted=True)
        except MediaRejected as error:
            raise ProviderError("The model returned a picture that can't be used.") from error
        work = Work(media=media, name=name, category=task.request["purpose"], metadata=dict(picture.metadata))
        return [work], result.usage

    def default_units(self, task: AITask) -> Decimal:  # noqa: ARG002 - others look at the task
        return ONE_PICTURE


def workflow_of(registry: Registry, task_type: str) -> Workflow:
    """The workflow of a task type. Raises KeyError where none is registered."""
    return cast("dict[str, Workflow]", registry[_WORKFLOWS])[task_type]


def add_workflow(config: Configurator, task_types: Iterable[TaskType], workflow: Workflow) -> None:
    """Directive ``config.add_workflow``: how tasks of these types are run."""
    config.registry.setdefault(_WORKFLOWS, {}).update(dict.fromkeys(task_types, workflow))
