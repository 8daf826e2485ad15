"""Pictures: from a request to the tasks it becomes, and from a task to the model's request."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset
from contentsvc.assets.services import Assets
from contentsvc.generation.admission import TaskPlan
from contentsvc.generation.batches import Slot, batch_slots
from contentsvc.generation.models import AITask, TaskType, TemplateKey
from contentsvc.generation.prompts import Composed, picture_prompt, stage_prompt, stage_ratio
from contentsvc.generation.ratios import Ratio
from contentsvc.generation.schemas import EstimateIn, GenerateImageIn, ImageMode
from contentsvc.http import FieldErrors
from contentsvc.plugin import (
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ProductFacts,
    ReferenceRole,
    SellingPoint,
    nearest_ratio,
)
from contentsvc.presenters.services import Presenters
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from contentsvc.providers.models import ModelConfig

TYPE_OF_PURPOSE = {
    ImagePurpose.TRY_ON: TaskType.MODEL_IMAGE,
    ImagePurpose.PLATFORM_KIT: TaskType.COVER_IMAGE,
    ImagePurpose.FREE_CREATION: TaskType.FREE_IMAGE,
    ImagePurpose.PORTRAIT: TaskType.PERSON_IMAGE,
}
MODE_OF_TYPE = {
    TaskType.MODEL_IMAGE: ImageMode.MODEL,
    TaskType.PERSON_IMAGE: ImageMode.MODEL,
    TaskType.COVER_IMAGE: ImageMode.COVER,
    TaskType.FREE_IMAGE: ImageMode.IMAGE,
}
ONE_PICTURE = Decimal(1)


@dataclass(frozen=True)
class Reference:
    """A picture the model is shown, and why."""

    role: ReferenceRole
    asset_id: uuid.UUID


@dataclass(frozen=True)
class Picture:
    """A picture to order: ``brief`` is what the customer typed, ``words`` what the model is told.

    ``seed`` and ``index`` as in the plugin interface; ``facts`` only where the product is to be seen.
    """

    purpose: ImagePurpose
    brief: str
    words: Composed
    ratio: str
    references: tuple[Reference, ...] = ()
    facts: ProductFacts | None = None
    index: int = 0
    seed: int = 0
    model_named: bool = False

    def document(self, model: ModelConfig) -> dict[str, Any]:
        """The request of its task, from which :func:`image_request` makes the model's."""
        return {
            "purpose": self.purpose.value,
            "brief": self.brief,
            "prompt": self.words.prompt,
            "negative_prompt": self.words.negative,
            "ratio": _offered(self.ratio, model.options.get("ratios")),
            "index": self.index,
            "seed": self.seed,
            "references": [
                {"role": reference.role.value, "asset": str(reference.asset_id)}
                for reference in self.references
            ],
            "product": facts_document(self.facts),
            "model_named": self.model_named,
        }


def _offered(ratio: str, offered: object) -> str:
    """The closest of the shapes that the model's options offer; the one asked for where they offer none."""
    return nearest_ratio(ratio, offered if isinstance(offered, list) else ()) or ratio


@dataclass(frozen=True)
class ImageOrder:
    """A validated request: every id in it names something of the team."""

    body: GenerateImageIn
    purpose: ImagePurpose
    product: Product | None
    references: tuple[Reference, ...]


class ImageOrders:
    """Reads requests for pictures on behalf of one team."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id
        self._assets = Assets(session, team_id)
        self._products = Products(session, team_id)

    def read(self, body: GenerateImageIn) -> ImageOrder:
        """Check every reference of the body. Raises FieldErrors."""
        product = self._product(body)
        purpose = _purpose(body)
        references = [
            *self._presenter(body, purpose),
            *self._product_picture(body, product),
            *self._other_pictures(body),
        ]
        # A cover is about the product: whoever else is on it comes second.
        if purpose is ImagePurpose.PLATFORM_KIT:
            references.sort(key=lambda reference: reference.role is not ReferenceRole.PRODUCT)
        return ImageOrder(body=body, purpose=purpose, product=product, references=tuple(references))

    def read_estimate(self, body: EstimateIn) -> ImageOrder:
        """The same for an estimate, whose task type stands for the mode where none is given."""
        if "mode" not in body.model_fields_set:
            body = body.model_copy(update={"mode": MODE_OF_TYPE[body.task_type]})
        return self.read(body)

    def plan(self, order: ImageOrder, model: ModelConfig) -> list[TaskPlan]:
        """One task a picture, each with its place in the batch."""
        body = order.body
        batch_id = body.batch_id or uuid.uuid4()
        slots = batch_slots(self._session, batch_id, body.count)
        return [self._task(order, model, batch_id, slot) for slot in slots]

    def _task(self, order: ImageOrder, model: ModelConfig, batch_id: uuid.UUID, slot: Slot) -> TaskPlan:
        body = order.body
        facts = self._products.facts(order.product) if order.product else None
        composed, ratio = self._words(order, facts, slot.index)
        meta: dict[str, Any] = {
            "batch_id": str(batch_id),
            "mode": body.mode.value,
            "index": slot.index,
            "ratio": ratio,
            **slot.marks,
        }
        if body.model_entity_id:
            meta["model_entity_id"] = str(body.model_entity_id)
        picture = Picture(
            purpose=order.purpose,
            brief=body.prompt,
            words=composed,
            ratio=ratio,
            references=order.references,
            facts=facts,
            index=slot.index,
            seed=batch_id.int % 2**31,
            model_named=body.image_model is not None,
        )
        return TaskPlan(
            task_type=TYPE_OF_PURPOSE[order.purpose],
            units=ONE_PICTURE,
            request=picture.document(model),
            meta=meta,
            product_id=order.product.id if order.product else None,
            batch_id=batch_id,
        )

    def _words(self, order: ImageOrder, facts: ProductFacts | None, index: int) -> tuple[Composed, str]:
        body = order.body
        if order.purpose is ImagePurpose.PORTRAIT:
            stage = TemplateKey.PERSON_PORTRAIT
            ratio = body.ratio or stage_ratio(self._session, stage)
            return stage_prompt(self._session, stage, body.prompt, facts, ratio), ratio
        return picture_prompt(order.purpose, body.prompt, facts, index), body.ratio or Ratio.SQUARE

    def _product(self, body: GenerateImageIn) -> Product | None:
        if body.product_id is None:
            if body.mode is ImageMode.COVER:
                raise FieldErrors.one("product_id", "A platform set needs a product.")
            return None
        product = self._products.find_active(body.product_id)
        if product is None:
            raise FieldErrors.one("product_id", "There is no such product.")
        return product

    def _presenter(self, body: GenerateImageIn, purpose: ImagePurpose) -> list[Reference]:
        if body.model_entity_id is not None:
            presenter = Presenters(self._session, self._team_id).find(body.model_entity_id)
            if presenter is None:
                raise FieldErrors.one("model_entity_id", "There is no such presenter.")
            return [Reference(ReferenceRole.PRESENTER, presenter.portrait_asset_id)]
        if body.model_id is not None:
            [asset] = self._assets.require_images([("model_id", body.model_id)], official=True)
            return [Reference(ReferenceRole.PRESENTER, asset.id)]
        if purpose is ImagePurpose.TRY_ON:
            raise FieldErrors.one(
                "model_entity_id", "A try-on needs a presenter: model_entity_id or model_id."
            )
        return []

    def _product_picture(self, body: GenerateImageIn, product: Product | None) -> list[Reference]:
        wanted = body.reference_product
        if body.mode is ImageMode.COVER or wanted is None:
            wanted = body.mode is not ImageMode.IMAGE
        if product is None or not wanted:
            return []
        return [Reference(ReferenceRole.PRODUCT, self._products.cover(product).id)]

    def _other_pictures(self, body: GenerateImageIn) -> list[Reference]:
        named = [(f"reference_image_ids.{i}", id_) for i, id_ in enumerate(body.reference_image_ids)]
        pictures = self._assets.require_images(named, official=True)
        return [Reference(ReferenceRole.OTHER, picture.id) for picture in pictures]


def _purpose(body: GenerateImageIn) -> ImagePurpose:
    if body.mode is ImageMode.COVER:
        return ImagePurpose.PLATFORM_KIT
    if body.mode is ImageMode.IMAGE:
        return ImagePurpose.FREE_CREATION
    return ImagePurpose.TRY_ON if body.product_id else ImagePurpose.PORTRAIT


def facts_document(facts: ProductFacts | None) -> dict[str, Any] | None:
    """Product facts as a task's request keeps them."""
    if facts is None:
        return None
    return {
        "title": facts.title,
        "brand": facts.brand,
        "category": facts.category,
        "target_audience": facts.target_audience,
        "description": facts.description,
        "specs": dict(facts.specs),
        "selling_points": [{"title": p.title, "detail": p.detail} for p in facts.selling_points],
    }


def facts_of(document: dict[str, Any] | None) -> ProductFacts | None:
    """The facts that :func:`facts_document` has written."""
    if document is None:
        return None
    points = tuple(SellingPoint(**point) for point in document["selling_points"])
    return ProductFacts(**{**document, "selling_points": points})


def image_request(registry: Registry, task: AITask, references: Sequence[Asset]) -> ImageRequest:
    """What the model is asked. ``references`` are the assets of the task's references, in order."""
    asked = task.request
    return ImageRequest(
        prompt=asked["prompt"],
        brief=asked["brief"],
        negative_prompt=asked["negative_prompt"],
        ratio=asked["ratio"],
        purpose=ImagePurpose(asked["purpose"]),
        index=asked["index"],
        seed=asked["seed"],
        references=tuple(
            ImageReference(ReferenceRole(named["role"]), media_ref(registry, asset, task.provider_name))
            for named, asset in zip(asked["references"], references, strict=True)
        ),
        product=facts_of(asked["product"]),
    )


def reference_ids(task: AITask) -> list[uuid.UUID]:
    """Assets a picture's task refers to, in the order the model gets them."""
    return [uuid.UUID(named["asset"]) for named in task.request["references"]]
