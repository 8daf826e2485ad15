"""Storyboards: one picture for each segment of the adopted script."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType


def includeme(config: Configurator) -> None:
    """The routes, the workflow and the estimate of shots."""
    from contentsvc.projects.storyboards.orders import estimate_shots
    from contentsvc.projects.storyboards.views import SERVICES
    from contentsvc.projects.storyboards.workflows import ShotWorkflow

    config.add_workflow((TaskType.STORYBOARD_IMAGE,), ShotWorkflow())
    config.add_estimator((TaskType.STORYBOARD_IMAGE, TaskType.STORYBOARD), estimate_shots)
    for service in SERVICES:
        config.add_cornice_service(service)
