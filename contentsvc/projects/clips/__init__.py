"""Clips: the moving picture of each segment, made by a model or uploaded."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType


def includeme(config: Configurator) -> None:
    """The routes, the workflow and the estimate of clips."""
    from contentsvc.projects.clips.orders import estimate_clip
    from contentsvc.projects.clips.packs import ProjectPacks
    from contentsvc.projects.clips.views import SERVICES
    from contentsvc.projects.clips.workflows import ClipWorkflow

    config.add_workflow((TaskType.VIDEO_SEGMENT,), ClipWorkflow())
    config.add_estimator((TaskType.VIDEO_SEGMENT,), estimate_clip)
    config.set_pack_reader(ProjectPacks())
    for service in SERVICES:
        config.add_cornice_service(service)
