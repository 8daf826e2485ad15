"""AI tasks: orders, their work in the background, and what became of them."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation import metrics
from contentsvc.generation.admission import EXPORT_KIND, INLINE_KIND, LATE_KIND, POLL_KIND, START_KIND
from contentsvc.generation.estimates import add_estimator, estimate_images
from contentsvc.generation.farewells import FAREWELLS, Farewells
from contentsvc.generation.images import MODE_OF_TYPE
from contentsvc.generation.inline import run_interrupted
from contentsvc.generation.late import run_late
from contentsvc.generation.runner import run_poll, run_start
from contentsvc.generation.views import SERVICES
from contentsvc.generation.workflows import ImageWorkflow, add_workflow
from contentsvc.jobs.models import Queue


def includeme(config: Configurator) -> None:
    """Views, job runners, figures, and the workflow of pictures."""
    config.registry[FAREWELLS] = Farewells()
    config.add_directive("add_workflow", add_workflow)
    config.add_directive("add_estimator", add_estimator)
    config.add_workflow(tuple(MODE_OF_TYPE), ImageWorkflow())
    config.add_estimator(tuple(MODE_OF_TYPE), estimate_images)
    config.add_metrics("tasks", metrics.read)
    config.add_job_runner(START_KIND, Queue.GENERATE, run_start)
    config.add_job_runner(EXPORT_KIND, Queue.EXPORT, run_start)
    config.add_job_runner(POLL_KIND, Queue.POLL, run_poll)
    config.add_job_runner(LATE_KIND, Queue.POLL, run_late)
    config.add_job_runner(INLINE_KIND, Queue.GENERATE, run_interrupted)
    for service in SERVICES:
        config.add_cornice_service(service)
    config.include("contentsvc.generation.free_videos")
    config.include("contentsvc.generation.explanations")
