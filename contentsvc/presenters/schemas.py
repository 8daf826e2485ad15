"""What clients send about presenters, and what they get."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasPath, Field

from contentsvc.assets.schemas import AssetOut, BlankIsAbsent
from contentsvc.http.pagination import PageQuery
from contentsvc.http.types import Id, In, Link, Out, Prose, Timestamp, Word


class PresenterQuery(PageQuery):
    """``tab`` is ``official`` or ``mine``, both without; ``q`` is literal text in name,
    description or tags."""

    tab: Annotated[Literal["official", "mine"] | None, BlankIsAbsent] = None
    q: Word = ""


class PresenterFields(In):
    """Text fields beside the portrait; ``name`` defaults to the file's."""

    name: Word = ""
    description: Prose = ""
    tags: Annotated[str, Field(max_length=2000, description="Comma separated.")] = ""

    @property
    def tag_list(self) -> list[str]:
        """The tags, trimmed, each once."""
        return list(dict.fromkeys(tag for part in self.tags.split(",") if (tag := part.strip())))


class EnrollIn(In):
    """The asset that becomes a presenter's portrait; ``name`` defaults to the asset's."""

    asset_id: str
    name: Word | None = None


class PresenterOut(Out):
    """A presenter. ``source_asset`` is the id of the asset it was enrolled from."""

    id: Id
    name: str
    description: str
    portrait: AssetOut
    portrait_url: Link = Field(validation_alias=AliasPath("portrait", "file", "path"))
    three_views: list[AssetOut]
    is_official: bool
    source_asset: Id | None = Field(validation_alias="source_asset_id")
    tags: list[str]
    created_at: Timestamp
