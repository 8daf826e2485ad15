"""What clients send about products, and what they get."""

from __future__ import annotations

import json
import uuid
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasPath, BeforeValidator, Field, field_validator

from contentsvc.http.pagination import PageQuery
from contentsvc.http.types import Id, In, JsonObject, Link, Out, Prose, Timestamp, Word, parse_uuid

MAX_IMAGES = 50
MAX_SELLING_POINTS = 50
MAX_SPECS_BYTES = 64 * 1024
_INTEGER_LIMIT = 2**31

SortOrder = Annotated[int, Field(ge=-_INTEGER_LIMIT, lt=_INTEGER_LIMIT)]


def _small(value: JsonObject) -> JsonObject:
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_SPECS_BYTES:
        raise ValueError(f"the specs are larger than {MAX_SPECS_BYTES} bytes")
    return value


Specs = Annotated[JsonObject, AfterValidator(_small)]


class SellingPointIn(In):
    """A selling point; a known ``id`` keeps its row, without ``sort_order`` the position counts."""

    id: str | None = None
    title: Word
    detail: Prose = ""
    sort_order: SortOrder | None = None


class ImageIn(In):
    """An image of a product; without ``sort_order`` the position in the list counts."""

    asset: Id
    sort_order: SortOrder | None = None
    is_primary: bool = False

    def field(self, index: int) -> str:
        """Name of the field that holds the asset's id, for error messages."""
        return f"images.{index}.asset"


class BareImage(ImageIn):
    """An image that was sent as nothing but its asset's id."""

    def field(self, index: int) -> str:
        return f"images.{index}"


def _image(value: object) -> object:
    if isinstance(value, str):
        return BareImage(asset=parse_uuid(value))
    if isinstance(value, dict | ImageIn):
        return value
    raise ValueError("an asset id, or an object with one, is expected")


Image = Annotated[ImageIn, BeforeValidator(_image, json_schema_input_type=ImageIn | Id)]


class ProductCreate(In):
    """A new product. It needs an image: in ``images``, or as ``cover_asset`` alone."""

    title: Word = ""
    brand: Word = ""
    category: Word = ""
    target_audience: Word = ""
    description: Prose = ""
    specs: Specs = Field(default_factory=dict)
    selling_points: list[SellingPointIn] = Field(default_factory=list, max_length=MAX_SELLING_POINTS)
    images: list[Image] = Field(default_factory=list, max_length=MAX_IMAGES)
    cover_asset: Id | None = None


class ProductPatch(ProductCreate):
    """Changes to a product: fields left out stay, ``images`` and ``selling_points`` replace the list."""

    @field_validator("cover_asset")
    @classmethod
    def _never_without(cls, value: uuid.UUID | None) -> uuid.UUID:
        if value is None:
            raise ValueError("a product always has a cover; name another asset instead")
        return value


class ImageUploadFields(In):
    """An image upload has no fields beside its file."""


class ProductQuery(PageQuery):
    """Filters of the product list; ``q`` is literal text in title, brand or description."""

    q: Word = ""
    category: Word = ""
    brand: Word = ""
    ordering: Literal["created_at", "-created_at", "updated_at", "-updated_at", "title", "-title"] = (
        "-created_at"
    )


class SellingPointOut(Out):
    """A selling point."""

    id: Id
    title: str
    detail: str
    sort_order: int


class ProductImageOut(Out):
    """An image of a product; ``asset`` is the asset's id, ``url`` its public file."""

    id: Id
    asset: Id = Field(validation_alias="asset_id")
    url: Link = Field(validation_alias=AliasPath("asset", "file", "path"))
    sort_order: int
    is_primary: bool


class ProductOut(Out):
    """A product. ``cover_asset`` is the id of its primary image's asset."""

    id: Id
    title: str
    brand: str
    category: str
    target_audience: str
    description: str
    specs: JsonObject
    selling_points: list[SellingPointOut]
    cover_asset: Id | None
    cover_url: Link | None
    images: list[ProductImageOut]
    status: str
    created_by: Id | None
    created_at: Timestamp
    updated_at: Timestamp
