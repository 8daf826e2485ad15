"""Reviews of a project's faces as clients see them."""

from __future__ import annotations

from pydantic import AliasPath, Field

from contentsvc.assets.models import ReviewStatus
from contentsvc.http.types import Id, Link, Out
from contentsvc.projects.reviews.faces import FaceKind


class ReviewsOut(Out):
    """How the reviews of a project's faces stand."""

    reviews: dict[Id, ReviewStatus] = Field(description="Status by asset.")


class BlockingFace(Out):
    """A face that has not passed its review, where it is used."""

    kind: FaceKind
    label: str = Field(description="Name of the character, or number of the shot.")
    segment_id: Id | None = Field(description="The shot's segment of the script; null for characters.")
    asset_id: Id = Field(validation_alias=AliasPath("asset", "id"))
    preview_url: Link = Field(validation_alias=AliasPath("asset", "file", "path"))
    review_status: ReviewStatus = Field(validation_alias=AliasPath("asset", "review_status"))
    review_error: str = Field(validation_alias=AliasPath("asset", "review_error"))


class PrecheckOut(Out):
    """Whether videos can be ordered, and what is missing."""

    ready: bool
    blocking: list[BlockingFace]
