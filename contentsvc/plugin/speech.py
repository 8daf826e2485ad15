"""Voices: the capability speech."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.values import GeneratedFile, Usage


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """A text to speak. ``voice`` is the backend's own name, empty for its default.

    ``speed`` is a factor from 0.5 to 2; ``language`` an IETF tag, empty where unknown.
    """

    text: str
    voice: str = ""
    speed: float = 1.0
    language: str = ""


@dataclass(frozen=True, slots=True)
class SpeechResult:
    """The spoken text, as WAV or MP3."""

    audio: GeneratedFile
    usage: Usage = field(default_factory=Usage)


SpeechBackend: TypeAlias = Backend[SpeechRequest, SpeechResult]
