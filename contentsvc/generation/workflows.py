"""What differs between kinds of tasks: the model's request, and what becomes of the result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.db.tenancy import official_too
from contentsvc.generation.images import image_request, reference_ids
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.works import Stored, Work
from contentsvc.plugin import ImageRequest, ImageResult, ProviderError
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.ingest import ingest

_WORKFLOWS: Final = "contentsvc.workflows"


class Workflow(ABC):
    """One family of task types, as runners and settlement see it. Subclass and register it."""

    @abstractmethod
    def request(self, session: Session, registry: Registry, task: AITask) -> Any:
        """The plain request a backend gets; in a transaction, in the team's scope.

        Raises ProviderError where the order can't be carried out any more.
        """

    @abstractmethod
    def store(self, registry: Registry, task: AITask, result: Any) -> Stored:
        """Put the result's files into storage; outside of any transaction. Raises ProviderError."""

    def lock(self, session: Session, task: AITask) -> None:  # noqa: B027 - most kinds need none
        """Lock what settling will change beside the task, before the account is locked."""

    def succeeded(  # noqa: B027 - most kinds have nothing to add
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        """The task is charged and its works are filed; same transaction, in the team's scope."""

    def failed(  # noqa: B027 - most kinds have nothing to add
        self, session: Session, registry: Registry, task: AITask
    ) -> None:
        """The task is released; same transaction, in the team's scope."""

    def retried(  # noqa: B027 - most kinds have nothing to take back
        self, session: Session, registry: Registry, task: AITask
    ) -> None:
        """The failed task is being ordered anew; same transaction, in the team's scope, after ``lock``."""

    def is_told(self, task: AITask) -> bool:  # noqa: ARG002 - most kinds are
        """Whether who ordered the task gets a notification when it ends."""
        return True

    def most(self, task: AITask) -> Decimal | None:  # noqa: ARG002 - the price alone says, for most kinds
        """The most credits the task may be charged; None: whatever its units cost."""
        return None

    def default_units(self, task: AITask) -> Decimal:
        """Billing units to charge where the provider reports none: what was estimated."""
        return Decimal(task.price["units_estimated"])


class ImageWorkflow(Workflow):
    """One picture a task."""

    def request(self, session: Session, registry: Registry, task: AITask) -> ImageRequest:
        ids = reference_ids(task)
        # Deleted since the order was taken still counts: the bytes are there until the purge.
        with official_too(session):
            found = {a.id: a for a in session.scalars(select(Asset).where(Asset.id.in_(ids)))}
        if any(id_ not in found for id_ in ids):
            raise ProviderError("A reference picture of this order has been removed for good.")
        return image_request(registry, task, [found[id_] for id_ in ids])

    def store(self, registry: Registry, task: AITask, result: ImageResult) -> Stored:
        picture = result.image
        name = f"{task.request['purpose']}-{task.request['index'] + 1}{picture.path.suffix}"
        try:
            media = ingest(registry, picture.path, name, kinds=("image",), trusted=True)
        except MediaRejected as error:
            raise ProviderError("The model returned a picture that can't be used.") from error
        work = Work(media=media, name=name, category=task.request["purpose"], metadata=dict(picture.metadata))
        return Stored(works=(work,), usage=result.usage)


def workflow_of(registry: Registry, task_type: str) -> Workflow:
    """The workflow of a task type. Raises KeyError where none is registered."""
    return cast("dict[str, Workflow]", registry[_WORKFLOWS])[task_type]


def add_workflow(config: Configurator, task_types: Iterable[TaskType], workflow: Workflow) -> None:
    """Directive ``config.add_workflow``: how tasks of these types are run."""
    config.registry.setdefault(_WORKFLOWS, {}).update(dict.fromkeys(task_types, workflow))
