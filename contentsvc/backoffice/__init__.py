"""The platform administrator's routes."""

from __future__ import annotations

from pyramid.config import Configurator

INCLUDES = (
    "contentsvc.backoffice.asset_reviews",
    "contentsvc.backoffice.billing",
    "contentsvc.backoffice.integrity",
    "contentsvc.backoffice.invitations",
    "contentsvc.backoffice.projects",
    "contentsvc.backoffice.prompt_templates",
    "contentsvc.backoffice.presenters",
    "contentsvc.backoffice.providers",
    "contentsvc.backoffice.quality_words",
    "contentsvc.backoffice.quota_policies",
    "contentsvc.backoffice.tasks",
    "contentsvc.backoffice.teams",
    "contentsvc.backoffice.trail",
    "contentsvc.backoffice.users",
    "contentsvc.backoffice.workers",
)


def includeme(config: Configurator) -> None:
    """Every part of the back office."""
    for name in INCLUDES:
        config.include(name)
