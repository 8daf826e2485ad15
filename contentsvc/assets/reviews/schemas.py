"""Reviews as clients see them."""

from __future__ import annotations

from pydantic import Field

from contentsvc.assets.models import ReviewStatus
from contentsvc.http.types import Out


class ReviewOut(Out):
    """How far an asset's review is."""

    review_status: ReviewStatus
    review_error: str = Field(description="Why the picture has not passed; empty unless it failed.")
