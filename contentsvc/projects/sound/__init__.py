"""What is heard: the voice-over and the background music."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.generation.models import TaskType
from contentsvc.projects.sound.orders import estimate_voiceover
from contentsvc.projects.sound.workflows import VoiceoverWorkflow


def includeme(config: Configurator) -> None:
    """The routes of voice and music, and how a voice-over is filed."""
    from contentsvc.projects.sound.views import SERVICES

    config.add_workflow((TaskType.VOICEOVER,), VoiceoverWorkflow())
    config.add_estimator((TaskType.VOICEOVER,), estimate_voiceover)
    for service in SERVICES:
        config.add_cornice_service(service)
