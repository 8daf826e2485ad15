"""From clips to a finished film: the capability export."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.values import GeneratedFile, MediaRef, Usage


class TransitionType(StrEnum):
    """How a clip gives way to the next; all but none overlap the two."""

    NONE = "none"
    FADE = "fade"
    DISSOLVE = "dissolve"
    WIPE = "wipe"
    SLIDE = "slide"


@dataclass(frozen=True, slots=True)
class ExportClip:
    """A clip in the film's order. Trims are seconds from the clip's start; ``trim_end`` None is its end.

    ``transition`` leads into the next clip and takes ``transition_seconds`` of both; the last
    clip's counts for nothing.
    """

    media: MediaRef
    trim_start: float = 0.0
    trim_end: float | None = None
    volume: float = 1.0
    transition: TransitionType = TransitionType.NONE
    transition_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Subtitle:
    """A line on the picture, in seconds of the finished film."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SubtitleStyle:
    """``font_size`` in pixels of the film, colours as ``#RRGGBB``, position top, middle or bottom."""

    font_size: int = 54
    color: str = "#FFFFFF"
    outline_color: str = "#000000"
    position: str = "bottom"


@dataclass(frozen=True, slots=True)
class Narration:
    """A spoken piece and the second of the finished film it starts at.

    It is played ``speed`` times as fast without a change of pitch, and fades out by the time it
    has sounded for ``seconds``; None: it may end when it ends, or with the film.
    """

    media: MediaRef
    start: float
    speed: float = 1.0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Music:
    """Background music: looped or cut to the film's length, fades in seconds."""

    media: MediaRef
    volume: float = 0.3
    fade_in: float = 0.0
    fade_out: float = 0.0


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """A film to make: MP4, H.264 yuv420p and AAC, ``width`` by ``height`` pixels, ready to stream.

    Clips of other sizes are fitted, not stretched; clips without sound get silence. Voice
    and music never make the film longer.
    """

    clips: tuple[ExportClip, ...]
    width: int = 1080
    height: int = 1920
    subtitles: tuple[Subtitle, ...] = ()
    subtitle_style: SubtitleStyle = field(default_factory=SubtitleStyle)
    narration: tuple[Narration, ...] = ()
    narration_volume: float = 1.0
    music: Music | None = None


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The film; ``skipped`` are the indexes of clips that could not be read."""

    video: GeneratedFile
    duration_seconds: float
    skipped: tuple[int, ...] = ()
    usage: Usage = field(default_factory=Usage)


ExportBackend: TypeAlias = Backend[ExportRequest, ExportResult]
