"""Video projects: from a script to a finished film."""

from __future__ import annotations

from pyramid.config import Configurator

INCLUDES: tuple[str, ...] = (
    "contentsvc.projects.core",
    "contentsvc.projects.scripts",
    "contentsvc.projects.base_assets",
    "contentsvc.projects.reviews",
    "contentsvc.projects.storyboards",
    "contentsvc.projects.clips",
    "contentsvc.projects.sound",
    "contentsvc.projects.timelines",
    "contentsvc.projects.exports",
    "contentsvc.projects.materials",
)


def includeme(config: Configurator) -> None:
    """The parts of a project, each with its views and workflows."""
    for name in INCLUDES:
        config.include(name)
