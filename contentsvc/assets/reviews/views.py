"""The route that submits an asset for review."""

from __future__ import annotations

from contentsvc.assets.models import Asset
from contentsvc.assets.reviews.schemas import ReviewOut
from contentsvc.assets.reviews.services import submit
from contentsvc.assets.views import load_asset
from contentsvc.http.errors import ErrorCode
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.service import ApiService

submitting = ApiService("asset_submit_review", "/api/assets/{id}/submit-review/")


@submitting.post(
    permission=Permission.WORK,
    subject=load_asset,
    response=ReviewOut,
    refusals=(ErrorCode.NOT_REVIEWABLE, ErrorCode.NO_MODEL),
)
def submit_review(request: ApiRequest) -> Asset:
    """Have a picture that shows a face reviewed.

    Free of charge. Reviewable are portraits, three-views, shots and presenters' portraits, and
    whatever shows a character in a project. The verdict comes by itself; while it is awaited and
    once the picture has passed, nothing is submitted again.
    """
    asset: Asset = request.validated["subject"]
    submit(request.db, request.registry, asset)
    return asset
