"""What clients send about presenters, and what they get."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasPath, BeforeValidator, Field, StringConstraints, WithJsonSchema

from contentsvc.assets.schemas import AssetOut, BlankIsAbsent
from contentsvc.http.pagination import PageQuery
from contentsvc.http.types import Id, In, Link, Out, Prose, Timestamp, Word


def _tags(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(tag for word in words if (tag := word.strip())))


def _split(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


class PresenterQuery(PageQuery):
    """``tab`` is ``official`` or ``mine``, both without; ``q`` is literal text in name,
    description or tags."""

    tab: Annotated[Literal["official", "mine"] | None, BlankIsAbsent] = None
    q: Word = ""


class OfficialQuery(PageQuery):
    """``q`` is literal text in name, description or tags."""

    q: Word = ""


class PresenterFields(In):
    """Text fields beside the portrait; ``name`` defaults to the file's."""

    name: Word = ""
    description: Prose = ""
    tags: Annotated[str, Field(max_length=2000, description="Comma separated.")] = ""

    @property
    def tag_list(self) -> list[str]:
        """The tags, trimmed, each once."""
        return _tags(self.tags.split(","))


class EnrollIn(In):
    """The asset that becomes a presenter's portrait; ``name`` defaults to the asset's."""

    asset_id: str
    name: Word | None = None


_TAGS_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string", "maxLength": 255}, "maxItems": 100},
        {"type": "string"},
    ]
}
Tags = Annotated[
    list[Word],
    Field(max_length=100),
    BeforeValidator(_split),
    AfterValidator(_tags),
    WithJsonSchema(_TAGS_SCHEMA, mode="validation"),
]


class PresenterPatch(In):
    """What can be changed of an official presenter; what isn't sent stays."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)] = ""
    description: Prose = ""
    tags: Tags = Field(default=[], description="A list, or one text, comma separated.")

    def changes(self) -> dict[str, Any]:
        """The members that were sent."""
        return self.model_dump(exclude_unset=True)


class OfficialRecord(Out):
    """An official presenter as the audit trail remembers it."""

    name: str
    description: str
    tags: list[str]
    portrait_asset_id: Id


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
