"""From a request for a script to the task it becomes."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.generation.admission import TaskPlan, price_of
from contentsvc.generation.images import facts_document
from contentsvc.generation.models import TaskType
from contentsvc.generation.ratios import Ratio
from contentsvc.generation.repeats import MARK
from contentsvc.generation.schemas import EstimateIn
from contentsvc.http import ApiError, ErrorCode, FieldErrors, NotFound
from contentsvc.http.operations import Mark
from contentsvc.http.types import parse_uuid
from contentsvc.plugin import BillingUnit, Capability, ProductFacts, ScriptMode
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from contentsvc.projects.core.access import body_id
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.segments import position
from contentsvc.projects.scripts.services import find_version, working
from contentsvc.projects.scripts.stream.schemas import RerunSegmentIn, ScriptStreamIn
from contentsvc.projects.scripts.stream.units import estimated_units
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team


@dataclass(frozen=True)
class ScriptOrder:
    """A validated request for a script. ``base`` is the version it rewrites, None for a new script.

    With ``target`` only that place of the base is rewritten.
    """

    task_type: TaskType
    mode: ScriptMode
    prompt: str
    model: ModelConfig
    facts: ProductFacts
    aspect_ratio: str
    total_duration: float | None
    base: ScriptVersion | None = None
    target: int | None = None
    model_named: bool = False

    def plan(self, project: Project, mark: Mark | None) -> TaskPlan:
        """The task; its request holds all the author is told."""
        segments = self.base.segments if self.base is not None else []
        request: dict[str, Any] = {
            "mode": self.mode.value,
            "prompt": self.prompt,
            "product": facts_document(self.facts),
            "aspect_ratio": self.aspect_ratio,
            "total_duration": self.total_duration,
            "base_version": str(self.base.id) if self.base is not None else None,
            "segments": segments,
            "target_index": self.target,
            "model_named": self.model_named,
        }
        units = estimated_units(BillingUnit(self.model.billing_unit), request)
        if mark is not None:
            request[MARK] = mark
        meta: dict[str, Any] = {"mode": self.mode.value}
        if self.target is not None:
            meta["segment_id"] = segments[self.target]["segment_id"]
        return TaskPlan(
            task_type=self.task_type,
            units=units,
            request=request,
            meta=meta,
            product_id=project.product_id,
            project_id=project.id,
        )


class ScriptOrders:
    """Reads requests for scripts of one project."""

    def __init__(self, session: Session, registry: Registry, project: Project) -> None:
        self._session = session
        self._catalog = catalog_of(registry)
        self._project = project

    def read(self, body: ScriptStreamIn) -> ScriptOrder:
        """Check the body's references, the state and the model.

        Raises FieldErrors, ApiError: 400 where there is no script to revise, ``no_model``.
        """
        named = self._named_base(body)
        facts = self._facts(body.selling_point_ids)
        model = self._named_model(body)
        base = self._base(named) if body.mode is ScriptMode.REVISE else None
        if body.target_index is not None and base is not None:
            _require_place(base, body.target_index)
        if isinstance(model, ApiError):
            raise model
        return ScriptOrder(
            task_type=TaskType.SCRIPT,
            mode=body.mode,
            prompt=body.prompt or "",
            model=model or self._catalog.default(self._session, Capability.SCRIPT),
            facts=facts,
            aspect_ratio=body.aspect_ratio or (base.aspect_ratio if base else Ratio.PORTRAIT_9_16.value),
            total_duration=body.total_duration,
            base=base,
            target=body.target_index,
            model_named=model is not None,
        )

    def read_rerun(self, body: RerunSegmentIn) -> ScriptOrder:
        """The same for one segment of the working script.

        Raises NotFound for a segment it hasn't, ApiError ``no_model``.
        """
        wanted = body_id(body.segment_id)
        base = working(self._session, self._project)
        place = position(base.segments, wanted) if base is not None else None
        if base is None or place is None:
            raise NotFound("The script has no such segment.")
        return ScriptOrder(
            task_type=TaskType.SCRIPT_SEGMENT,
            mode=ScriptMode.REVISE,
            prompt=body.instruction or "",
            model=self._catalog.default(self._session, Capability.SCRIPT),
            facts=self._facts(None),
            aspect_ratio=base.aspect_ratio,
            total_duration=None,
            base=base,
            target=place,
        )

    def _named_base(self, body: ScriptStreamIn) -> ScriptVersion | None:
        if body.base_version_id is None:
            return None
        version = find_version(self._session, self._project, body.base_version_id)
        if version is None:
            raise FieldErrors.one("base_version_id", "The project has no such script version.")
        return version

    def _base(self, named: ScriptVersion | None) -> ScriptVersion:
        version = named or working(self._session, self._project)
        if version is None:
            raise ApiError(ErrorCode.CONFLICT, "The project has no script to revise yet.", status=400)
        return version

    def _named_model(self, body: ScriptStreamIn) -> ModelConfig | ApiError | None:
        """The model the client names, or why it can't be ordered: told once all else is in order.

        Raises FieldErrors.
        """
        if body.model_config_id is None:
            return None
        try:
            return self._catalog.choose(
                self._session, Capability.SCRIPT, body.model_config_id, field="model_config_id"
            )
        except FieldErrors:
            raise
        except ApiError as missing:
            return missing

    def _facts(self, point_ids: Sequence[str] | None) -> ProductFacts:
        product: Product | None = None
        products = Products(self._session, self._project.team_id)
        if self._project.product_id is not None:
            product = products.get_any(self._project.product_id)
        if not point_ids:
            return products.facts(product) if product is not None else ProductFacts()
        return _chosen(products, product, point_ids)


def _chosen(products: Products, product: Product | None, point_ids: Sequence[str]) -> ProductFacts:
    """The product's facts with these selling points only, in the product's order."""
    points = product.selling_points if product is not None else []
    known = {point.id for point in points}
    try:
        wanted = {parse_uuid(text) for text in point_ids}
    except ValueError:
        wanted = {uuid.UUID(int=0)}
    if product is None or not wanted <= known:
        raise FieldErrors.one("selling_point_ids", "The product has no such selling point.")
    facts = products.facts(product)
    kept = tuple(fact for point, fact in zip(points, facts.selling_points, strict=True) if point.id in wanted)
    return ProductFacts(
        title=facts.title,
        brand=facts.brand,
        category=facts.category,
        target_audience=facts.target_audience,
        description=facts.description,
        specs=facts.specs,
        selling_points=kept,
    )


def _require_place(base: ScriptVersion, index: int) -> None:
    if not 0 <= index < len(base.segments):
        last = len(base.segments) - 1
        raise FieldErrors.one("target_index", f"The script has the segments 0 to {last}.")


def estimate_script(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """What a script of the default length would cost; for a segment, what one of it would."""
    model = catalog_of(registry).default(session, Capability.SCRIPT)
    segment = {"narration": body.prompt}
    request: dict[str, Any] = {"prompt": body.prompt, "segments": [], "target_index": None}
    if body.task_type is TaskType.SCRIPT_SEGMENT:
        request |= {"segments": [segment], "target_index": 0}
    units = estimated_units(BillingUnit(model.billing_unit), request)
    return model, price_of(session, team, model, units).estimated
