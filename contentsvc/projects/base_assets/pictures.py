"""Orders of base assets: from a request to a picture and where it will be filed."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.services import Assets
from contentsvc.generation.admission import TaskPlan
from contentsvc.generation.images import ONE_PICTURE, Picture, Reference
from contentsvc.generation.models import AITask, TaskType, TemplateKey
from contentsvc.generation.prompts import Composed, picture_prompt, stage_prompt, stage_ratio
from contentsvc.generation.ratios import Ratio
from contentsvc.http.errors import FieldErrors, NotFound
from contentsvc.plugin import ImagePurpose, ProductFacts, ReferenceRole
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from contentsvc.projects.base_assets.entities import entity_prompt
from contentsvc.projects.base_assets.groups import find_portrait
from contentsvc.projects.base_assets.schemas import BaseAssetIn
from contentsvc.projects.models import BaseAssetGroup, GroupKind, Project
from contentsvc.providers.models import ModelConfig

TASK_OF_KIND: Final = {
    GroupKind.PERSON: TaskType.PERSON_IMAGE,
    GroupKind.PRODUCT: TaskType.PRODUCT_IMAGE,
    GroupKind.SCENE: TaskType.SCENE_IMAGE,
}
ROLE_OF_KIND: Final = {
    GroupKind.PERSON: ReferenceRole.CHARACTER,
    GroupKind.PRODUCT: ReferenceRole.PRODUCT,
    GroupKind.SCENE: ReferenceRole.SCENE,
}
_PURPOSE_OF_KIND: Final = {
    GroupKind.PERSON: ImagePurpose.PERSON,
    GroupKind.PRODUCT: ImagePurpose.PRODUCT,
    GroupKind.SCENE: ImagePurpose.SCENE,
}
_STAGE_OF_KIND: Final = {
    GroupKind.PERSON: TemplateKey.PERSON_PORTRAIT,
    GroupKind.SCENE: TemplateKey.SCENE_IMAGE,
}
_THREE_VIEW_OF_KIND: Final = {
    GroupKind.PERSON: TemplateKey.PERSON_THREE_VIEW,
    GroupKind.PRODUCT: TemplateKey.PRODUCT_THREE_VIEW,
}


@dataclass(frozen=True)
class BaseAssetOrder:
    """A validated order. ``triview_of`` is the portrait's asset of a three-view."""

    task_type: TaskType
    kind: GroupKind
    label: str
    picture: Picture
    triview_of: uuid.UUID | None = None

    def plan(self, project: Project, model: ModelConfig) -> TaskPlan:
        """The task it becomes."""
        meta: dict[str, Any] = {
            "kind": self.kind.value,
            "label": self.label,
            "ratio": self.picture.ratio,
        }
        if self.triview_of is not None:
            meta["triview_of"] = str(self.triview_of)
        return TaskPlan(
            task_type=self.task_type,
            units=ONE_PICTURE,
            request=self.picture.document(model),
            meta=meta,
            product_id=project.product_id,
            project_id=project.id,
        )


class BaseAssetOrders:
    """Reads orders of a project's base assets."""

    def __init__(self, session: Session, project: Project) -> None:
        self._session = session
        self._project = project
        self._assets = Assets(session, project.team_id)
        self._products = Products(session, project.team_id)

    def read(self, body: BaseAssetIn) -> BaseAssetOrder:
        """A picture of the product, a character or a scene. Raises FieldErrors."""
        references = self._product_picture(body.kind) + self._reference(body)
        words, ratio = self._words(body.kind, body.prompt)
        picture = Picture(
            purpose=_PURPOSE_OF_KIND[body.kind],
            brief=body.prompt,
            words=words,
            ratio=ratio,
            references=tuple(references),
            facts=self.facts() if body.kind is GroupKind.PRODUCT else None,
            seed=_seed(),
        )
        return BaseAssetOrder(TASK_OF_KIND[body.kind], body.kind, body.label, picture)

    def read_triview(self, portrait_id: uuid.UUID) -> BaseAssetOrder:
        """A three-view of a candidate. Raises NotFound unless it shows a character or the product."""
        group = find_portrait(self._session, self._project, portrait_id)
        portrait = self._assets.find([portrait_id]).get(portrait_id)
        if group is None or portrait is None:
            raise NotFound("The project has no such portrait.")
        kind = GroupKind(group.kind)
        stage = _THREE_VIEW_OF_KIND[kind]
        brief = self._brief_of(portrait.task_id, group)
        picture = Picture(
            purpose=ImagePurpose.THREE_VIEW,
            brief=brief,
            words=stage_prompt(self._session, stage, brief, self.facts()),
            ratio=stage_ratio(self._session, stage),
            references=(Reference(ROLE_OF_KIND[kind], portrait_id),),
            facts=self.facts() if kind is GroupKind.PRODUCT else None,
            seed=_seed(),
        )
        return BaseAssetOrder(TaskType.TRI_VIEW_IMAGE, kind, group.label, picture, portrait_id)

    def facts(self) -> ProductFacts | None:
        """What is known of the project's product; None once it is purged."""
        product = self._product()
        return self._products.facts(product) if product else None

    def _product(self) -> Product | None:
        # Archived since the project was made, it is still what the film is about.
        product_id = self._project.product_id
        return self._products.get_any(product_id) if product_id else None

    def _product_picture(self, kind: GroupKind) -> list[Reference]:
        if kind is not GroupKind.PRODUCT:
            return []
        product = self._product()
        if product is None:
            raise FieldErrors.one("kind", "The project has no product any more.")
        return [Reference(ReferenceRole.PRODUCT, self._products.cover(product).id)]

    def _reference(self, body: BaseAssetIn) -> list[Reference]:
        if body.reference_asset_id is None:
            return []
        [asset] = self._assets.require_images([("reference_asset_id", body.reference_asset_id)])
        # Of the product the main image is the authority; whatever is sent along is an example.
        role = ReferenceRole.OTHER if body.kind is GroupKind.PRODUCT else ROLE_OF_KIND[body.kind]
        return [Reference(role, asset.id)]

    def _words(self, kind: GroupKind, brief: str) -> tuple[Composed, str]:
        stage = _STAGE_OF_KIND.get(kind)
        if stage is None:
            return picture_prompt(ImagePurpose.PRODUCT, brief, self.facts(), 0), Ratio.SQUARE
        return stage_prompt(self._session, stage, brief, self.facts()), stage_ratio(self._session, stage)

    def _brief_of(self, task_id: uuid.UUID | None, group: BaseAssetGroup) -> str:
        """The words the portrait was ordered with, else how its entity looks."""
        request = self._session.scalar(select(AITask.request).where(AITask.id == task_id))
        return (request or {}).get("brief") or entity_prompt(self._project, group.label)


def _seed() -> int:
    """Another picture each time, and the same one when a task is tried again."""
    return random.randrange(2**31)  # noqa: S311
