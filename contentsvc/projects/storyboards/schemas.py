"""Storyboards as clients send and see them."""

from __future__ import annotations

from pydantic import Field

from contentsvc.assets.schemas import AssetOut
from contentsvc.generation.schemas import TaskStub
from contentsvc.http.types import Id, In, Out, Prompt, Timestamp
from contentsvc.projects.models import WorkStatus


class ShotVersionOut(Out):
    """One picture of a shot."""

    id: Id
    asset: AssetOut | None = Field(description="Null once the asset is purged.")
    created_at: Timestamp


class ShotOut(Out):
    """The picture of one script segment."""

    shot_id: Id
    segment_id: Id
    index: int = Field(description="Of the segment in the script, from 0.")
    status: WorkStatus
    error: str | None
    prompt: str
    versions: list[ShotVersionOut] = Field(description="Oldest first.")
    adopted_version: Id | None


class StoryboardOut(Out):
    """The newest storyboard of a project, shots in the script's order."""

    version_id: Id
    status: WorkStatus
    done: int = Field(description="Shots that have a picture and are not being made.")
    total: int
    error: str | None
    shots: list[ShotOut]


class StoryboardPoll(Out):
    """How far the newest storyboard is."""

    status: WorkStatus
    done: int
    total: int
    version_id: Id
    error: str | None


class StoryboardIn(In):
    """A storyboard to make."""

    prompt: Prompt | None = Field(None, description="What holds for all shots: look, light, mood.")


class StoryboardOrdered(Out):
    """The task of the whole storyboard; each shot has one of its own."""

    task: TaskStub
    version_id: Id
    total: int


class ShotIn(In):
    """A shot to make."""

    shot_id: str
    prompt: Prompt | None = Field(None, description="Replaces the shot's own.")


class ShotRerun(In):
    """A shot to make again."""

    shot_id: str
    instruction: Prompt | None = Field(None, description="What to do differently this time.")


class ShotAdopt(In):
    """The picture a shot shall use."""

    shot_id: str
    version_id: str
