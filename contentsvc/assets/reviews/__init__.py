"""Reviews of assets: whether a picture that shows a face may be used."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.assets.reviews import views
from contentsvc.assets.reviews.rules import add_face_bearing_check
from contentsvc.assets.reviews.runner import run_poll, run_start
from contentsvc.assets.reviews.services import POLL_KIND, START_KIND, fail_overdue
from contentsvc.jobs.models import Queue

OVERDUE_SECONDS = 60


def includeme(config: Configurator) -> None:
    """The route, the jobs that ask the provider, and what ends reviews that nobody answers."""
    config.add_directive("add_face_bearing_check", add_face_bearing_check)
    config.add_job_runner(START_KIND, Queue.POLL, run_start)
    config.add_job_runner(POLL_KIND, Queue.POLL, run_poll)
    config.add_recurring("fail_overdue_reviews", OVERDUE_SECONDS, fail_overdue)
    config.add_cornice_service(views.submitting)
