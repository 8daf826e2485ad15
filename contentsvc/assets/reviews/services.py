"""Submitting assets for review, and what a verdict changes. Reviews cost nothing."""

from __future__ import annotations

from typing import Final

import structlog
from pyramid.registry import Registry
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetReview, AssetType, ReviewStatus
from contentsvc.assets.reviews.rules import is_reviewable
from contentsvc.db.session import transaction_scope
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.models import Job, JobState
from contentsvc.jobs.services import enqueue
from contentsvc.plugin import Capability
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.settings import Settings

START_KIND: Final = "assets.review_start"
POLL_KIND: Final = "assets.review_poll"
TIMED_OUT: Final = "The review did not finish in time. Submit the picture again."

_NO_SYNC: Final = {"synchronize_session": False}
_OVERDUE_BATCH: Final = 500

log = structlog.get_logger(__name__)


def review_model(session: Session, registry: Registry) -> ModelConfig | None:
    """The model that reviews, None where nothing backs review."""
    try:
        return catalog_of(registry).default(session, Capability.ASSET_REVIEW)
    except ApiError:
        return None


def submit(session: Session, registry: Registry, asset: Asset) -> bool:
    """Have an asset reviewed; nothing happens while it is under review or once it has passed.

    Tells whether this has begun a review; the asset carries its new status afterwards.
    Raises ApiError ``not_reviewable``, then ``no_model``.
    """
    if not is_reviewable(session, registry, asset):
        raise ApiError(ErrorCode.NOT_REVIEWABLE, "There is no face to review in this asset.")
    return _submit(session, registry, asset, catalog_of(registry).default(session, Capability.ASSET_REVIEW))


def submit_if_reviewable(session: Session, registry: Registry, asset: Asset, *, face_bearing: bool) -> None:
    """Have an asset reviewed that never was, unless it needs no review or nothing backs it.

    ``face_bearing`` says that the caller knows it to show a face, whatever its category.
    """
    if asset.review_status != ReviewStatus.NONE or asset.asset_type != AssetType.IMAGE:
        return
    if not face_bearing and not is_reviewable(session, registry, asset):
        return
    if (model := review_model(session, registry)) is not None:
        _submit(session, registry, asset, model)


def _submit(session: Session, registry: Registry, asset: Asset, model: ModelConfig) -> bool:
    # One guarded statement: of two submissions at the same moment one begins a review.
    begun = session.scalar(
        update(Asset)
        .where(Asset.id == asset.id, Asset.review_status.in_([ReviewStatus.NONE, ReviewStatus.FAILED]))
        .values(review_status=ReviewStatus.PROCESSING, review_error="")
        .returning(Asset.id),
        execution_options=_NO_SYNC,
    )
    session.refresh(asset, ["review_status", "review_error", "updated_at"])
    if begun is None:
        return False
    # A row of its own for each review: what still runs for the one before finds nothing to write to.
    session.execute(delete(AssetReview).where(AssetReview.asset_id == asset.id), execution_options=_NO_SYNC)
    review = AssetReview(team_id=asset.team_id, asset_id=asset.id, model_config_id=model.id)
    session.add(review)
    session.flush()
    enqueue(session, registry, START_KIND, review.id)
    return True


def close(session: Session, review: AssetReview, status: ReviewStatus, error: str = "") -> None:
    """End a locked review: its asset gets the status and the sentence that explains it."""
    review.finished_at = now()
    session.execute(
        update(Asset)
        .where(Asset.id == review.asset_id, Asset.review_status == ReviewStatus.PROCESSING)
        .values(review_status=status, review_error=error),
        execution_options=_NO_SYNC,
    )
    session.flush()
    log.info("review_closed", asset=str(review.asset_id), status=str(status))


def timeout_seconds(registry: Registry) -> float:
    """Age at which a review is given up."""
    settings: Settings = registry["contentsvc.settings"]
    return settings.review.timeout_minutes * 60


def fail_overdue(registry: Registry) -> None:
    """Fail reviews that have been running for too long, whatever became of their jobs."""
    running = select(Job.subject_id).where(Job.state == JobState.OPEN, Job.kind.in_([START_KIND, POLL_KIND]))
    overdue = (
        select(AssetReview)
        .where(
            AssetReview.id.in_(running),
            AssetReview.finished_at.is_(None),
            AssetReview.submitted_at < in_seconds(-timeout_seconds(registry)),
        )
        .limit(_OVERDUE_BATCH)
        .with_for_update(skip_locked=True)
    )
    with transaction_scope(registry) as session:
        for review in session.scalars(overdue):
            close(session, review, ReviewStatus.FAILED, TIMED_OUT)
