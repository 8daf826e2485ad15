"""What base assets and extractions would cost."""

from __future__ import annotations

from decimal import Decimal

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.assets.services import Assets
from contentsvc.generation.admission import price_of
from contentsvc.generation.estimates import estimate_images
from contentsvc.generation.images import ONE_PICTURE
from contentsvc.generation.models import TaskType
from contentsvc.generation.schemas import EstimateIn
from contentsvc.plugin import Capability
from contentsvc.projects.base_assets.entities import extraction_units
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team

_ALWAYS_EDITED = (TaskType.PRODUCT_IMAGE, TaskType.TRI_VIEW_IMAGE)


def estimate_base_asset(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """One picture, edited where there is something to work from."""
    if body.reference_asset_id is not None:
        Assets(session, team.id).require_images([("reference_asset_id", body.reference_asset_id)])
    elif body.task_type is TaskType.PERSON_IMAGE:
        return estimate_images(session, registry, team, body)
    edited = body.reference_asset_id is not None or body.task_type in _ALWAYS_EDITED
    model = catalog_of(registry).choose_image_model(session, None, with_references=edited)
    return model, price_of(session, team, model, ONE_PICTURE).estimated


def estimate_extraction(
    session: Session,
    registry: Registry,
    team: Team,
    body: EstimateIn,  # noqa: ARG001 - every script counts as one of usual length
) -> tuple[ModelConfig, Decimal]:
    """A script of usual length read."""
    model = catalog_of(registry).default(session, Capability.ENTITY_EXTRACTION)
    return model, price_of(session, team, model, extraction_units(model)).estimated
