"""Base assets: entities of the script, pictures of them and of the product, which of them count."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType


def includeme(config: Configurator) -> None:
    """The routes, workflows and estimates of base assets and entities."""
    from contentsvc.projects.base_assets.estimates import estimate_base_asset, estimate_extraction
    from contentsvc.projects.base_assets.pictures import TASK_OF_KIND
    from contentsvc.projects.base_assets.views import SERVICES
    from contentsvc.projects.base_assets.workflows import BaseAssetWorkflow, EntityWorkflow

    # Portraits are ordered outside of projects too: this takes over from generation's own entry.
    pictures = (*TASK_OF_KIND.values(), TaskType.TRI_VIEW_IMAGE)
    config.add_workflow(pictures, BaseAssetWorkflow())
    config.add_estimator(pictures, estimate_base_asset)
    config.add_workflow((TaskType.ENTITY_EXTRACTION,), EntityWorkflow())
    config.add_estimator((TaskType.ENTITY_EXTRACTION,), estimate_extraction)
    for service in SERVICES:
        config.add_cornice_service(service)
