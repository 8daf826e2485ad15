"""Credits: what work costs, what a team has, and what limits it."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.billing.channels import warn_of_unknown_channels
from contentsvc.billing.recharges import KIND, run_recharge
from contentsvc.jobs.models import Queue


def includeme(config: Configurator) -> None:
    """The team's billing routes, and the job of recharges."""
    warn_of_unknown_channels(config.registry)
    config.add_job_runner(KIND, Queue.GENERATE, run_recharge)
    config.include("contentsvc.billing.views")
