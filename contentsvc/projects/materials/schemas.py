"""Materials as clients see them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from pydantic import AliasPath, BeforeValidator, Field

from contentsvc.assets.models import AssetCategory
from contentsvc.assets.schemas import AssetOut
from contentsvc.http.types import Id, Out


class FinishedLabel(StrEnum):
    """What a finished image is."""

    TRYON = "tryon"
    KIT = "kit"
    CREATION = "creation"


_LABEL_OF_CATEGORY: Final[dict[object, FinishedLabel]] = {
    AssetCategory.MODEL_TRYON: FinishedLabel.TRYON,
    AssetCategory.PLATFORM_KIT: FinishedLabel.KIT,
    AssetCategory.FREE_CREATE: FinishedLabel.CREATION,
}


def _label_of(category: object) -> object:
    return _LABEL_OF_CATEGORY.get(category, category)


class CharacterOut(Out):
    """A portrait with its newest three-view."""

    portrait: AssetOut
    tri_view: AssetOut | None
    project_count: int = Field(description="Projects that have the portrait among their base assets.")


class FinishedImage(AssetOut):
    """A finished image with its kind."""

    label: Annotated[FinishedLabel, BeforeValidator(_label_of)] = Field(
        validation_alias=AliasPath("category")
    )


class ProjectPack(Out):
    """What a project has made or attached, oldest first; deleted assets are left out."""

    id: Id
    name: str
    scenes: list[AssetOut]
    storyboards: list[AssetOut]
    videos: list[AssetOut]


class MaterialsOut(Out):
    """All that shows a product."""

    characters: list[CharacterOut] = Field(description="Newest first.")
    product_images: list[AssetOut] = Field(description="Its own in their order, then generated ones.")
    finished_images: list[FinishedImage] = Field(description="Newest first.")
    projects: list[ProjectPack] = Field(description="Newest first.")
