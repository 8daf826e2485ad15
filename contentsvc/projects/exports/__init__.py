"""The finished film, and the clips it is made of."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType
from contentsvc.projects.exports.services import estimate_export
from contentsvc.projects.exports.workflows import ExportWorkflow


def includeme(config: Configurator) -> None:
    """The routes of exports, and what becomes of them."""
    from contentsvc.projects.exports.views import SERVICES

    config.add_workflow((TaskType.EXPORT,), ExportWorkflow())
    config.add_estimator((TaskType.EXPORT,), estimate_export)
    for service in SERVICES:
        config.add_cornice_service(service)
