"""Entities and base assets as clients send and see them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from contentsvc.assets.schemas import AssetOut
from contentsvc.generation.models import TaskStatus
from contentsvc.generation.schemas import TaskStub
from contentsvc.http.types import Id, In, Out, Prompt
from contentsvc.plugin import EntityType
from contentsvc.projects.core.metadata import AdoptState
from contentsvc.projects.models import GroupKind

Label = Annotated[str, StringConstraints(strip_whitespace=True, max_length=255)]


class GroupMetadataOut(Out):
    """What a group belongs to."""

    label: str = Field(description="Name of the entity.")
    triview_of: Id | None = Field(description="Of a three-view's group: the portrait's asset.")


class BaseAssetGroupOut(Out):
    """All pictures of one product, character or scene, or the three-views of one portrait."""

    group_id: Id
    kind: GroupKind
    label: str
    state: AdoptState
    candidate_assets: list[AssetOut] = Field(description="Oldest first.")
    adopted_asset: AssetOut | None
    metadata: GroupMetadataOut


class BaseAssetIn(In):
    """A picture to make of the product, a character or a scene."""

    kind: GroupKind
    prompt: Prompt
    label: Label = Field("", description="Name of the entity; the same one means the same group.")
    reference_asset_id: Id | None = Field(None, description="An image of the team to work from.")


class TriviewIn(In):
    """A portrait to show from three sides."""

    portrait_asset_id: str = Field(description="A candidate of a character's or the product's group.")


class AdoptAssetIn(In):
    """The candidate that a group shall use."""

    group_id: str
    asset_id: str


class AdoptStateIn(In):
    """Whether the storyboard shall use a group."""

    group_id: str
    state: AdoptState


class GroupIn(In):
    """A group to take away."""

    group_id: str


class AttachIn(In):
    """An asset to put into a group: the named one, or that of an entity by ``kind`` and ``label``."""

    asset_id: str
    group_id: str | None = None
    kind: GroupKind | None = None
    label: Label = ""

    @model_validator(mode="after")
    def _names_a_group(self) -> AttachIn:
        if self.group_id is None and self.kind is None:
            raise ValueError("A group is needed: group_id, or kind and label.")
        return self


class TaskOut(Out):
    """The task an order has become."""

    task: TaskStub


class PendingAsset(Out):
    """A picture that is being made; ``id`` is its task's."""

    id: Id
    kind: GroupKind
    label: str
    is_triview: bool
    status: TaskStatus


class PendingAssets(Out):
    pending: list[PendingAsset]


class ExtractionOut(Out):
    """The task that reads the script."""

    task_id: Id
    status: TaskStatus


class EntityOut(Out):
    """Who or what the script shows."""

    id: str
    type: EntityType
    name: str
    visual_prompt: str = ""
    ref_index: int | None = Field(None, description="Place among the entities, from 0.")


class ExtractStatusOut(Out):
    """How far the newest extraction is; nulls before any."""

    running: bool
    status: TaskStatus | None
    error: str | None
    entities: list[EntityOut]
