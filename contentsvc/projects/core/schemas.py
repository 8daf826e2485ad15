"""Projects as clients send and see them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from contentsvc.assets.schemas import BlankIsAbsent
from contentsvc.http.pagination import PageQuery
from contentsvc.http.types import Id, In, JsonObject, Link, Out, Timestamp, Word
from contentsvc.projects.base_assets.schemas import BaseAssetGroupOut
from contentsvc.projects.clips.schemas import VideoSegmentOut
from contentsvc.projects.core.metadata import KnownKeys, Metadata
from contentsvc.projects.exports.schemas import ExportOut
from contentsvc.projects.models import ProjectStatus, Stage
from contentsvc.projects.scripts.schemas import ScriptVersionBrief, ScriptVersionOut
from contentsvc.projects.sound.schemas import BgmOut, VoiceoverOut
from contentsvc.projects.storyboards.schemas import StoryboardOut
from contentsvc.projects.timelines.schemas import TimelineOut

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class ProjectCreate(In):
    """A new project of an active product."""

    name: Name
    product: Id
    metadata: Metadata = Field(default_factory=KnownKeys)


class ProjectPatch(In):
    """Changes to a project: fields left out stay, ``metadata`` is replaced whole."""

    name: Name = ""
    metadata: Metadata = Field(default_factory=KnownKeys)


class ProjectQuery(PageQuery):
    """Filters of the project list; they add up, and an empty one counts as not given."""

    q: Word = Field("", description="Literal text in the name, without case.")
    product: Annotated[Id | None, BlankIsAbsent] = None
    stage: Annotated[Stage | None, BlankIsAbsent] = None
    status: Annotated[ProjectStatus | None, BlankIsAbsent] = None


class ProjectRow(Out):
    """A project in a list."""

    id: Id
    name: str
    product: Id | None
    product_title: str | None
    cover_url: Link | None = Field(description="Picture of the product.")
    stage: Stage
    status: ProjectStatus
    created_at: Timestamp
    updated_at: Timestamp


class ProjectOut(Out):
    """A project with all that belongs to it. ``current_script`` is the working version."""

    id: Id
    name: str
    product: Id | None = Field(description="Null once the product is purged.")
    stage: Stage
    status: ProjectStatus
    metadata: JsonObject
    current_script: ScriptVersionOut | None
    script_versions: list[ScriptVersionBrief]
    base_asset_groups: list[BaseAssetGroupOut]
    storyboard: StoryboardOut | None
    video_segments: list[VideoSegmentOut]
    timeline: TimelineOut | None
    voiceover: VoiceoverOut | None
    bgm: BgmOut | None
    export: ExportOut | None
    created_by: Id | None
    created_at: Timestamp
    updated_at: Timestamp
