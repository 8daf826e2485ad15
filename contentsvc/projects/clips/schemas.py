"""Clips as clients send and see them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contentsvc.assets.schemas import AssetOut
from contentsvc.http.types import Id, In, Out, Prompt, Timestamp
from contentsvc.projects.models import VersionSource, WorkStatus


class VideoVersionOut(Out):
    """One clip of a segment."""

    id: Id
    asset: AssetOut | None = Field(description="Null once the asset is purged.")
    source: VersionSource
    created_at: Timestamp


class VideoSegmentOut(Out):
    """The clips of one script segment."""

    video_segment_id: Id
    segment_id: Id
    index: int = Field(description="Of the segment in the script, from 0.")
    status: WorkStatus
    error: str | None
    versions: list[VideoVersionOut] = Field(description="Oldest first.")
    adopted_version: Id | None


class ClipIn(In):
    """A clip to make."""

    video_segment_id: str
    prompt: Prompt


class ClipPollIn(In):
    """The clip to ask for."""

    video_segment_id: str


class ClipPoll(Out):
    """How far the newest order of a segment's clip is, and the clip it uses."""

    video_segment_id: Id
    status: WorkStatus
    progress: Annotated[float, Field(ge=0, le=1)]
    task: Id | None = Field(description="The newest order's.")
    version_id: Id | None = Field(description="The adopted version.")
    asset: AssetOut | None
    error: str | None


class ClipAdopt(In):
    """The clip a segment shall use."""

    video_segment_id: str
    version_id: str


class ClipUpload(In):
    """Text fields beside ``file``."""

    video_segment_id: str
