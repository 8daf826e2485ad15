"""Clips: the capability video_generation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.images import ImageReference
from contentsvc.plugin.values import GeneratedFile, MediaRef, Usage


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """One clip. ``first_frame`` and ``last_frame`` are pictures it begins and ends with.

    ``resolution`` is ``480p``, ``720p`` or ``1080p``, of the short side; ``seed`` is stable
    across retries of the same task.
    """

    prompt: str
    duration_seconds: float
    ratio: str
    resolution: str
    seed: int
    first_frame: MediaRef | None = None
    last_frame: MediaRef | None = None
    references: tuple[ImageReference, ...] = ()


@dataclass(frozen=True, slots=True)
class VideoResult:
    """The clip; ``usage.units`` in the model's billing unit, for tokens in thousands."""

    video: GeneratedFile
    usage: Usage = field(default_factory=Usage)


VideoBackend: TypeAlias = Backend[VideoRequest, VideoResult]
