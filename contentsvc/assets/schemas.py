"""Assets as clients send and see them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BeforeValidator, Field, StringConstraints

from contentsvc.assets.models import AssetCategory, AssetSource, AssetType, ReviewStatus
from contentsvc.http.pagination import PageQuery
from contentsvc.http.types import Id, In, JsonObject, Link, Out, Prose, Timestamp


class AssetOut(Out):
    """A finished work or an upload."""

    id: Id
    name: str
    description: str
    category: AssetCategory
    asset_type: AssetType
    source: AssetSource
    mime_type: str = Field(description="Told from the bytes.")
    size_bytes: int = Field(description="Length of the public copy.")
    width: int | None
    height: int | None
    duration_seconds: float | None
    product: Id | None = Field(validation_alias=AliasChoices("product_id", "product"))
    project: Id | None = Field(validation_alias=AliasChoices("project_id", "project"))
    preview_url: Link = Field(
        validation_alias=AliasChoices(AliasPath("file", "path"), "preview_url"),
        description="Stable public link to the copy without metadata.",
    )
    thumbnail_url: Link | None = Field(
        None,
        validation_alias=AliasChoices(AliasPath("thumbnail_file", "path"), "thumbnail_url"),
        description="Public WebP, at most 512 pixels long; null for sound and documents.",
    )
    in_library: bool
    review_status: ReviewStatus
    review_error: str
    metadata: JsonObject = Field(validation_alias=AliasChoices("meta", "metadata"))
    created_by: Id | None
    created_at: Timestamp
    updated_at: Timestamp


def _blank_is_absent(value: object) -> object:
    return None if value == "" else value


BlankIsAbsent = BeforeValidator(_blank_is_absent)


class Tab(StrEnum):
    """Tabs of the asset library."""

    TRYON = "tryon"
    KITS = "kits"
    CREATIONS = "creations"
    OTHERS = "others"


class InLibrary(StrEnum):
    """Which side of the library's door."""

    TRUE = "true"
    FALSE = "false"
    ALL = "all"


class AssetOrdering(StrEnum):
    """Order of a list of assets; the newest first without one."""

    CREATED_AT = "created_at"
    NAME = "name"
    SIZE_BYTES = "size_bytes"
    CREATED_AT_DESCENDING = "-created_at"
    NAME_DESCENDING = "-name"
    SIZE_BYTES_DESCENDING = "-size_bytes"


class AssetQuery(PageQuery):
    """Filters of the asset list; they add up, and an empty one counts as not given.

    Without ``in_library`` and ``category`` the list shows the library. Parameters named
    ``m_<key>`` compare a key of ``metadata`` as text.
    """

    tab: Annotated[Tab | None, BlankIsAbsent] = None
    category: Annotated[AssetCategory | None, BlankIsAbsent] = None
    source: Annotated[AssetSource | None, BlankIsAbsent] = None
    asset_type: Annotated[AssetType | None, BlankIsAbsent] = None
    product: Annotated[Id | None, BlankIsAbsent] = None
    q: str = Field("", description="Literal text in the name or the description, without case.")
    in_library: Annotated[InLibrary | None, BlankIsAbsent] = None
    ordering: Annotated[AssetOrdering | None, BlankIsAbsent] = None


def _listed(value: object) -> object:
    return [key for part in value.split(",") if (key := part.strip())] if isinstance(value, str) else value


class FacetQuery(In):
    """One tab, or the whole library; ``meta_keys`` are comma-separated keys of ``metadata``."""

    tab: Annotated[Tab | None, BlankIsAbsent] = None
    meta_keys: Annotated[list[str], BeforeValidator(_listed, json_schema_input_type=str)] = Field(
        default_factory=list, description="Comma separated; up to 20."
    )


class ProductFacet(Out):
    """A product that assets belong to."""

    id: Id
    title: str


class FacetsOut(Out):
    """What there is to filter by, each value once. ``metadata`` has the keys that were asked for."""

    sources: list[AssetSource]
    kinds: list[AssetType] = Field(description="Values of asset_type.")
    metadata: dict[str, list[str]] = Field(description="Values as text, at most 1,000 a key.")
    products: list[ProductFacet]


class SummaryOut(Out):
    """How many assets each tab shows; ``video_packs`` counts projects."""

    tryon: int
    kits: int
    creations: int
    others: int
    video_packs: int


class PackProject(Out):
    """The project a pack belongs to."""

    id: Id
    name: str


class VideoPack(Out):
    """The clips that a project uses, in the film's order."""

    project: PackProject
    clips: list[AssetOut]


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


class AssetPatch(In):
    """What a client may change."""

    name: Name | None = None
    description: Prose | None = None

    def changes(self) -> dict[str, Any]:
        """The members that were sent."""
        return self.model_dump(exclude_unset=True)


class AssetUpload(In):
    """Text fields of an upload, beside ``file``."""

    name: str = Field("", description="Default: the file's base name. Cut to 255 characters.")
    category: AssetCategory = AssetCategory.NONE
    product: Annotated[Id | None, BlankIsAbsent] = None
