"""A timeline as clients send and see it; what is checked here needs no database."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from contentsvc.http.types import Id, In, Out
from contentsvc.plugin import TransitionType
from contentsvc.projects.sound.schemas import Finite, Volume

MAX_CLIPS = 200
MAX_SUBTITLES = 1000
MIN_FONT, MAX_FONT = 12, 200
LONGEST = 24 * 3600.0
SHORTEST = 0.05
"""Seconds a part of a clip lasts at least: a frame of the slowest film, and a little."""

DEFAULT_TRANSITION_SECONDS = 0.5

Seconds = Annotated[Finite, Field(ge=0, le=LONGEST)]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$")]


def is_too_short(start: float, end: float) -> bool:
    """Whether nothing would be seen of a part of a clip; floats that differ by nothing don't count."""
    return end - start < SHORTEST - 1e-9


class Position(StrEnum):
    """Where on the picture subtitles stand."""

    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"


class Transition(In):
    """How a clip gives way to the next. All but none overlap the two by ``duration`` seconds."""

    type: TransitionType = TransitionType.NONE
    duration: Seconds = Field(0.0, description="Default 0.5, 0 for none.")

    @model_validator(mode="after")
    def _usual_duration(self) -> Self:
        if self.type is TransitionType.NONE or "duration" in self.model_fields_set:
            return self
        return self.model_copy(update={"duration": DEFAULT_TRANSITION_SECONDS})


class TimelineClip(In):
    """A part of a segment's adopted clip. Trims are seconds from the clip's start."""

    video_segment_id: Id
    trim_start: Seconds = 0.0
    trim_end: Seconds | None = Field(None, description="Null is the clip's end.")
    volume: Volume = 1.0
    transition: Transition = Field(default_factory=Transition, description="Into the next clip.")

    @field_validator("trim_end")
    @classmethod
    def _after_start(cls, value: float | None, info: ValidationInfo) -> float | None:
        start = info.data.get("trim_start")
        if value is not None and start is not None and is_too_short(start, value):
            raise ValueError(f"a part ends at least {SHORTEST:g} seconds after it has started")
        return value


class SubtitleStyle(In):
    """How subtitles look. ``font_size`` is in pixels of the 1080 by 1920 film."""

    font_size: Annotated[int, Field(ge=MIN_FONT, le=MAX_FONT)] = 54
    color: Colour = "#FFFFFF"
    outline_color: Colour = "#000000"
    position: Position = Position.BOTTOM


class SubtitleItem(In):
    """A line on the picture, in seconds of the finished film."""

    index: Annotated[int, Field(ge=0)] | None = Field(None, description="Default: its place in the list.")
    text: Annotated[str, StringConstraints(max_length=1000)]
    start: Seconds
    end: Seconds

    @field_validator("end")
    @classmethod
    def _after_start(cls, value: float, info: ValidationInfo) -> float:
        if "start" in info.data and value <= info.data["start"]:
            raise ValueError("a line ends after it has started")
        return value


class Subtitles(In):
    """Without ``items`` the lines follow the script's narration."""

    enabled: bool = True
    style: SubtitleStyle = Field(default_factory=SubtitleStyle)
    items: Annotated[list[SubtitleItem], Field(max_length=MAX_SUBTITLES)] = Field(default_factory=list)


class MusicMix(In):
    """The background music; loops or is cut with the film. Fades are in seconds."""

    volume: Volume | None = Field(None, description="Default: as it was uploaded with.")
    fade_in: Seconds = 0.0
    fade_out: Seconds = 0.0


class VoiceMix(In):
    """The voice-over."""

    enabled: bool = True
    volume: Volume = 1.0


class TimelineIn(In):
    """The whole cut. ``clips`` is what is exported, in that order; empty: all, in script order."""

    clips: Annotated[list[TimelineClip], Field(max_length=MAX_CLIPS)] = Field(default_factory=list)
    subtitles: Subtitles = Field(default_factory=Subtitles)
    bgm: MusicMix = Field(default_factory=MusicMix)
    voiceover: VoiceMix = Field(default_factory=VoiceMix)


class TransitionOut(Out):
    type: TransitionType
    duration: float


class TimelineClipOut(Out):
    video_segment_id: Id
    trim_start: float
    trim_end: float | None
    volume: float
    transition: TransitionOut


class SubtitleStyleOut(Out):
    font_size: int
    color: str
    outline_color: str
    position: Position


class SubtitleItemOut(Out):
    index: int
    text: str
    start: float
    end: float


class SubtitlesOut(Out):
    enabled: bool
    style: SubtitleStyleOut
    items: list[SubtitleItemOut]


class MusicMixOut(Out):
    volume: float
    fade_in: float
    fade_out: float


class VoiceMixOut(Out):
    enabled: bool
    volume: float


class TimelineOut(Out):
    """The saved cut, whole; null on a project that has none, which is exported by the default."""

    clips: list[TimelineClipOut]
    subtitles: SubtitlesOut
    bgm: MusicMixOut
    voiceover: VoiceMixOut
