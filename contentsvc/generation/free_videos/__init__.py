"""Free videos: clips of no project, ordered from words and pictures, and the pictures kept for them."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType


def includeme(config: Configurator) -> None:
    """The routes, the workflow and the estimate; kept pictures count as showing faces."""
    from contentsvc.generation.free_videos.orders import estimate_free_video
    from contentsvc.generation.free_videos.references import is_reference
    from contentsvc.generation.free_videos.views import SERVICES
    from contentsvc.generation.free_videos.workflows import FreeVideoWorkflow

    config.add_workflow((TaskType.FREE_VIDEO,), FreeVideoWorkflow())
    config.add_estimator((TaskType.FREE_VIDEO,), estimate_free_video)
    config.add_face_bearing_check(is_reference)
    for service in SERVICES:
        config.add_cornice_service(service)
