"""Scripts written by a model: streamed whole, or one segment at a time."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType


def includeme(config: Configurator) -> None:
    """The routes, the workflow of their tasks, and what they would cost."""
    from contentsvc.projects.scripts.stream.orders import estimate_script
    from contentsvc.projects.scripts.stream.views import SERVICES
    from contentsvc.projects.scripts.stream.workflow import ScriptWorkflow

    kinds = (TaskType.SCRIPT, TaskType.SCRIPT_SEGMENT)
    config.add_workflow(kinds, ScriptWorkflow())
    config.add_estimator(kinds, estimate_script)
    for service in SERVICES:
        config.add_cornice_service(service)
