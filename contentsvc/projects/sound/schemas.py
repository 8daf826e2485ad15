"""Voice and music as clients send and see them."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import AfterValidator, Field

from contentsvc.assets.schemas import AssetOut, BlankIsAbsent
from contentsvc.http.types import Id, In, Link, Out, Prompt, Word

MAX_ITEMS = 100


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number is expected")
    return value


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("there is nothing to speak in this text")
    return text


Finite = Annotated[float, AfterValidator(_finite)]
Volume = Annotated[Finite, Field(ge=0, le=2)]
"""A factor: 1 leaves the sound as it is, 0 is silence."""


class VoiceoverItemIn(In):
    """A text to speak. ``index`` is the script segment's, where it starts."""

    index: Annotated[int, Field(ge=0)]
    text: Annotated[Prompt, AfterValidator(_words)]


class VoiceoverIn(In):
    """What shall be spoken, by whom, how fast."""

    items: Annotated[list[VoiceoverItemIn], Field(min_length=1, max_length=MAX_ITEMS)]
    voice_type: Word | None = Field(None, description="The model's own name of a voice; default: its own.")
    speed_ratio: Annotated[Finite, Field(ge=0.5, le=2)] = 1.0


class VoiceoverItemOut(Out):
    """A spoken piece."""

    index: int = Field(description="Of the script segment where it starts.")
    text: str
    asset: AssetOut | None = Field(description="Null once the asset is purged.")
    url: Link | None
    duration_seconds: float | None


class VoiceoverOut(Out):
    """The voice-over of a project, in the order of the segments."""

    id: Id
    voice_type: str
    speed_ratio: float
    items: list[VoiceoverItemOut]


class VoiceoverReply(Out):
    """A new voice-over."""

    voiceover: VoiceoverOut


class BgmUpload(In):
    """Text fields beside ``file``."""

    volume: Annotated[Volume | None, BlankIsAbsent] = Field(None, description="0 to 2; default 0.3.")


class BgmOut(Out):
    """The background music of a project."""

    asset: AssetOut
    url: Link
    volume: float
