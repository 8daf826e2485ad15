"""What an order would cost, without ordering."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Final, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.billing.accounts import available
from contentsvc.generation.admission import price_of
from contentsvc.generation.images import ONE_PICTURE, ImageOrders
from contentsvc.generation.models import TaskType
from contentsvc.generation.schemas import EstimateIn
from contentsvc.http import FieldErrors
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team

_ESTIMATORS: Final = "contentsvc.estimators"

Estimator = Callable[[Session, Registry, Team, EstimateIn], tuple[ModelConfig, Decimal]]
"""The model an order would use and what it would reserve, in credits."""


def estimate(session: Session, registry: Registry, team: Team, body: EstimateIn) -> dict[str, Any]:
    """The reply of the estimate endpoint. Raises FieldErrors, ApiError ``no_model``."""
    estimators = cast("dict[str, Estimator]", registry[_ESTIMATORS])
    if body.task_type not in estimators:
        raise FieldErrors.one("task_type", "This kind of task has no estimate.")
    model, cost = estimators[body.task_type](session, registry, team, body)
    return {
        "estimated_cost": cost,
        "unit_price": model.unit_price,
        "model": model.id,
        "available": available(session, team.id),
    }


def estimate_images(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """Pictures cost the sum of their rounded prices."""
    order = ImageOrders(session, team.id).read_estimate(body)
    model = catalog_of(registry).choose_image_model(
        session, body.image_model, with_references=bool(order.references)
    )
    return model, price_of(session, team, model, ONE_PICTURE).estimated * body.count


def add_estimator(config: Configurator, task_types: Iterable[TaskType], estimator: Estimator) -> None:
    """Directive ``config.add_estimator``: how orders of these types are priced."""
    config.registry.setdefault(_ESTIMATORS, {}).update(dict.fromkeys(task_types, estimator))
