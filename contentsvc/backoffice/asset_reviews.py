"""Reviews of all teams' pictures of people: found, submitted, asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import AliasChoices, Field
from pyramid.config import Configurator
from sqlalchemy import ColumnElement, Select, exists, or_, select

from contentsvc.assets.models import Asset, AssetReview, AssetType, ReviewStatus
from contentsvc.assets.reviews.rules import REVIEWABLE, is_reviewable
from contentsvc.assets.reviews.schemas import ReviewOut
from contentsvc.assets.reviews.services import POLL_KIND, review_model, submit
from contentsvc.assets.schemas import AssetOut
from contentsvc.backoffice.audit import record_change
from contentsvc.db.tenancy import team_scope
from contentsvc.generation.tasks import known_ids
from contentsvc.http import (
    ApiError,
    ApiRequest,
    ApiService,
    ErrorCode,
    Page,
    PageQuery,
    Permission,
    envelope,
    fetch_page,
)
from contentsvc.http.types import Id, In, Out, Word
from contentsvc.jobs.services import hasten
from contentsvc.projects.models import BaseAssetGroup, GroupKind, Project
from contentsvc.security.models import Team

MAX_AT_ONCE: Final = 200

listing = ApiService("admin-asset-reviews", "/api/admin/asset-reviews/")
submitting = ApiService("admin-asset-reviews-submit", "/api/admin/asset-reviews/submit/")
polling = ApiService("admin-asset-reviews-poll", "/api/admin/asset-reviews/poll/")

AssetIds = Annotated[list[str], Field(max_length=MAX_AT_ONCE)]


class ReviewQuery(PageQuery):
    """Filters of the list; they add up."""

    review_status: ReviewStatus | None = Field(None, description="Empty: those that were never submitted.")
    search: Word = Field("", description="Literal text in the name of the asset or of its team.")


class SubmitIn(In):
    """Assets by id; those that don't exist or can't be reviewed are left out."""

    asset_ids: AssetIds


class PollIn(In):
    """Assets by id; without any, all that are under review."""

    asset_ids: AssetIds | None = None


class ReviewedAsset(AssetOut):
    """A picture of a person, and whose it is."""

    team: Id = Field(validation_alias=AliasChoices("team_id", "team"))
    team_name: str


class SubmitOut(Out):
    """How many reviews have begun, and how those of all the assets named stand."""

    submitted: int
    statuses: dict[Id, ReviewStatus]


class PollOut(Out):
    """How many assets were under review, and how their reviews stand."""

    polled: int
    statuses: dict[Id, ReviewStatus]


class _Owned:
    """An asset that knows the name of its team."""

    def __init__(self, asset: Asset, team_name: str) -> None:
        self._asset = asset
        self.team_name = team_name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asset, name)


@listing.get(permission=Permission.PLATFORM, query=ReviewQuery, response=Page[ReviewedAsset])
def list_asset_reviews(request: ApiRequest) -> dict[str, Any]:
    """List the pictures of people of all teams, newest first.

    Portraits, three-views, shots and presenters' portraits, what stands for a character in a
    project, and whatever else was ever submitted.
    """
    query: ReviewQuery = request.validated["query"]
    statement = _pictures().where(_shows_people()).order_by(Asset.created_at.desc(), Asset.id.desc())
    if query.review_status is not None:
        statement = statement.where(Asset.review_status == query.review_status)
    if query.search:
        texts = (Asset.name, Team.name)
        statement = statement.join(Team, Team.id == Asset.team_id).where(
            or_(*(text.icontains(query.search, autoescape=True) for text in texts))
        )
    found = fetch_page(request.db, statement, query)
    return envelope(request, found, query) | {"results": _owned(request, found.rows)}


@submitting.post(
    permission=Permission.PLATFORM, body=SubmitIn, response=SubmitOut, refusals=(ErrorCode.NO_MODEL,)
)
def submit_asset_reviews(request: ApiRequest) -> dict[str, Any]:
    """Have pictures of people reviewed.

    What is under review already, or has passed, is not submitted again.
    """
    body: SubmitIn = request.validated["body"]
    if review_model(request.db, request.registry) is None:
        raise ApiError(ErrorCode.NO_MODEL, "No model is set up for reviews.")
    submitted, statuses = 0, {}
    for asset in _named(request, body.asset_ids):
        with team_scope(request.db, asset.team_id):
            if not is_reviewable(request.db, request.registry, asset):
                continue
            before = ReviewOut.model_validate(asset)
            has_begun = submit(request.db, request.registry, asset)
        statuses[asset.id] = asset.review_status
        if has_begun:
            after = ReviewOut.model_validate(asset)
            submitted += 1
            record_change(request, "asset_review.submit", "asset", asset.id, before=before, after=after)
    return {"submitted": submitted, "statuses": statuses}


@polling.post(permission=Permission.PLATFORM, body=PollIn, response=PollOut, idempotent=False)
def poll_asset_reviews(request: ApiRequest) -> dict[str, Any]:
    """Ask how reviews stand; only assets under review are asked for.

    Verdicts come by themselves; this brings the next question to the provider forward. With
    no model that reviews, nothing is asked.
    """
    body: PollIn = request.validated["body"]
    if review_model(request.db, request.registry) is None:
        return {"polled": 0, "statuses": {}}
    running = select(AssetReview).join(Asset, Asset.id == AssetReview.asset_id)
    running = running.where(Asset.review_status == ReviewStatus.PROCESSING, Asset.deleted_at.is_(None))
    if body.asset_ids is not None:
        running = running.where(Asset.id.in_(known_ids(body.asset_ids)))
    reviews = request.db.scalars(running.order_by(AssetReview.submitted_at).limit(MAX_AT_ONCE)).all()
    generation = request.settings.generation
    soon, late = generation.poll_min_seconds, generation.poll_max_seconds
    for review in reviews:
        hasten(request.db, POLL_KIND, review.id, seconds=soon, longest=late)
    return {
        "polled": len(reviews),
        "statuses": {review.asset_id: ReviewStatus.PROCESSING for review in reviews},
    }


def _pictures() -> Select[Asset]:
    """The teams' pictures; official presenters belong to no team and need no review."""
    return select(Asset).where(
        Asset.asset_type == AssetType.IMAGE, Asset.deleted_at.is_(None), Asset.team_id.is_not(None)
    )


def _shows_people() -> ColumnElement[bool]:
    character = (
        exists()
        .where(BaseAssetGroup.adopted_asset_id == Asset.id, BaseAssetGroup.kind == GroupKind.PERSON)
        .where(Project.id == BaseAssetGroup.project_id, Project.deleted_at.is_(None))
    )
    return or_(Asset.category.in_(REVIEWABLE), Asset.review_status != ReviewStatus.NONE, character)


def _named(request: ApiRequest, words: Sequence[str]) -> Sequence[Asset]:
    # In one order everywhere, so that two submissions of the same pictures don't wait for each other.
    named = _pictures().where(Asset.id.in_(known_ids(words))).order_by(Asset.id)
    return request.db.scalars(named).unique().all()


def _owned(request: ApiRequest, assets: Sequence[Asset]) -> list[_Owned]:
    teams = select(Team.id, Team.name).where(Team.id.in_({asset.team_id for asset in assets}))
    names = {team.id: team.name for team in request.db.execute(teams)}
    return [_Owned(asset, names[asset.team_id]) for asset in assets]


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (listing, submitting, polling):
        config.add_cornice_service(service)
