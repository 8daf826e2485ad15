"""Credits: what work costs, what a team has, and what limits it."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The team's billing routes."""
    config.include("contentsvc.billing.views")
