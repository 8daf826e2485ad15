"""Credits: what work costs, what a team has, and what limits it."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.billing import metrics
from contentsvc.billing.channels import warn_of_unknown_channels
from contentsvc.billing.recharges import KIND, run_recharge
from contentsvc.jobs.models import Queue


def includeme(config: Configurator) -> None:
    """The team's billing routes, the job of recharges, the figures."""
    warn_of_unknown_channels(config.registry)
    config.add_job_runner(KIND, Queue.GENERATE, run_recharge)
    config.add_metrics("billing", metrics.read)
    config.include("contentsvc.billing.views")
