"""The worker's side of a review: ask the provider once, then ask him for the verdict.

As with paid orders, an intent is stored before the call and the provider's name for the
review right after it: whoever takes over from a dead worker reads from the two what was
asked, and repeats a question of unknown fate only where the model says that does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final

import structlog
from pyramid.registry import Registry
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset, AssetReview, ReviewStatus
from contentsvc.assets.reviews.services import POLL_KIND, TIMED_OUT, close, timeout_seconds
from contentsvc.db.session import transaction_scope
from contentsvc.db.tenancy import enter_team
from contentsvc.jobs.clock import in_seconds, now
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.services import enqueue
from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    ReviewRequest,
    ReviewResult,
)
from contentsvc.providers.calls import GuardedBackend, provider_call
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.messages import public_message
from contentsvc.providers.models import ModelConfig
from contentsvc.settings import GenerationSettings

LOST: Final = "The connection broke while the picture was handed in. Submit it again."
NO_BACKEND: Final = "The model that reviewed this picture is not available any more. Submit it again."
NOT_APPROVED: Final = "The review did not approve this picture."
# How soon a start looks again whether the team's review before it has been handed in.
TURN_SECONDS: Final = 0.5

log = structlog.get_logger(__name__)


class FencedOutError(Exception):
    """Somebody else holds this job, or the review is over: roll back, write nothing."""


@dataclass(frozen=True)
class Call:
    """One call of a provider, as values that outlive the transaction that made them."""

    review: AssetReview
    model: ModelConfig
    request: ReviewRequest


class ReviewRunner:
    """Runs one claim of a job of kind ``assets.review_start`` or ``assets.review_poll``."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._registry: Registry = run.registry
        self._settings: GenerationSettings = run.registry["contentsvc.settings"].generation

    def start(self) -> None:
        """Hand the picture in and, where the provider answers at once, take the verdict."""
        call = self._prepare_start()
        if call is None:
            return
        try:
            with self._provider(call) as (backend, ctx):
                outcome = backend.start(call.request, ctx)
        except ProviderError as error:
            self._start_failed(call, error)
            return
        # After the block: by now the team's review group is stored for whoever starts next.
        if isinstance(outcome, Accepted):
            self._accepted(outcome.job_id)
        else:
            self._decide(call, outcome)

    def poll(self) -> None:
        """Ask for the verdict once."""
        call = self._prepare()
        if call is None:
            return
        try:
            with self._provider(call) as (backend, ctx):
                outcome = backend.poll(str(call.review.remote_job_id), ctx)
        except ProviderError as error:
            if error.retryable or isinstance(error, OutcomeUnknown):
                self._again(self._interval(), error)
            else:
                self._fail(error.public_message)
            return
        if isinstance(outcome, Pending):
            self._again(self._interval())
        else:
            self._decide(call, outcome)

    def _prepare_start(self) -> Call | None:
        """Store the intent to ask; None where there is nothing to ask now."""
        with transaction_scope(self._registry) as session:
            call = self._open(session)
            if call is None:
                return None
            if call.review.intent_at is not None and not call.model.resubmit_safe:
                self._close(session, call.review, LOST)
                return None
            if self._team_is_handing_in(session, call):
                self._run.again(session, TURN_SECONDS, progress=True)
                return None
            call.review.intent_at = now()
            session.flush()
            return call

    def _prepare(self) -> Call | None:
        with transaction_scope(self._registry) as session:
            return self._open(session)

    def _open(self, session: Session) -> Call | None:
        """The job's running review, locked, in its team's scope; one that is over ends the job."""
        review = self._locked(session)
        if review is None:
            return None
        overdue = select(AssetReview.submitted_at < in_seconds(-timeout_seconds(self._registry)))
        if session.scalar(overdue.where(AssetReview.id == review.id)):
            self._close(session, review, TIMED_OUT)
            return None
        model = session.get_one(ModelConfig, review.model_config_id)
        asset = session.get_one(Asset, review.asset_id)
        media = media_ref(self._registry, asset, model.provider.name)
        return Call(review, model, ReviewRequest(media, asset.name))

    def _locked(self, session: Session) -> AssetReview | None:
        if not self._run.hold(session):
            return None
        review = session.get(AssetReview, self._run.subject_id, with_for_update=True)
        if review is None or review.finished_at is not None:
            self._run.finish(session)
            return None
        enter_team(session, review.team_id)
        return review

    def _team_is_handing_in(self, session: Session, call: Call) -> bool:
        """Whether another picture of the team is on its way to the provider.

        One at a time: the first one makes the team's group, which the others must find.
        """
        key = f"review:{call.review.team_id}:{call.model.provider_id}"
        session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))
        others = (
            select(AssetReview.id)
            .join(ModelConfig, ModelConfig.id == AssetReview.model_config_id)
            .where(
                AssetReview.id != call.review.id,
                AssetReview.intent_at.is_not(None),
                AssetReview.remote_job_id.is_(None),
                AssetReview.finished_at.is_(None),
                ModelConfig.provider_id == call.model.provider_id,
            )
        )
        return session.scalar(others.limit(1)) is not None

    def _provider(self, call: Call) -> AbstractContextManager[tuple[GuardedBackend, Context]]:
        if not catalog_of(self._registry).available(call.model):
            raise ProviderError(NO_BACKEND)
        return provider_call(
            self._registry,
            call.model,
            team_id=call.review.team_id,
            idempotency_key=str(call.review.id),
            on_progress=lambda _fraction: None,
            is_cancelled=self._run.lost.is_set,
        )

    def _accepted(self, job_id: str) -> None:
        with self._held() as (session, review):
            review.remote_job_id = job_id
            self._run.finish(session)
            delay = self._settings.poll_min_seconds
            enqueue(session, self._registry, POLL_KIND, review.id, delay_seconds=delay)

    def _decide(self, call: Call, outcome: Done[ReviewResult]) -> None:
        result = outcome.result
        if result.is_approved is not True:
            self._fail(public_message(str(result.reason)) or NOT_APPROVED)
            return
        with self._held() as (session, review):
            self._run.finish(session)
            close(session, review, ReviewStatus.ACTIVE)
            _keep_handles(session, review, call.model.provider.name, result.handles)

    def _start_failed(self, call: Call, error: ProviderError) -> None:
        unknown = isinstance(error, OutcomeUnknown)
        if call.model.resubmit_safe if unknown else error.retryable:
            self._again(self._back_off(), error)
        else:
            self._fail(LOST if unknown else error.public_message)

    def _fail(self, message: str) -> None:
        with self._held() as (session, review):
            self._close(session, review, message)

    def _again(self, seconds: float, error: ProviderError | None = None) -> None:
        """Ask later; a picture that was not taken is handed in anew."""
        asked = error.retry_after if isinstance(error, RateLimited) else None
        with self._held() as (session, review):
            if review.remote_job_id is None:
                review.intent_at = None
                session.flush()
            self._run.again(session, max(seconds, asked or 0.0))

    def _close(self, session: Session, review: AssetReview, message: str) -> None:
        self._run.finish(session)
        close(session, review, ReviewStatus.FAILED, message)

    def _interval(self) -> float:
        growth = 1.5 ** min(self._run.attempt, 20)
        return min(self._settings.poll_max_seconds, self._settings.poll_min_seconds * growth)

    def _back_off(self) -> float:
        growth = 2.0 ** min(self._run.attempt - 1, 20)
        return min(self._settings.retry_max_seconds, self._settings.retry_seconds * growth)

    @contextmanager
    def _held(self) -> Iterator[tuple[Session, AssetReview]]:
        """The review again, for what a call has brought. Raises FencedOutError."""
        with transaction_scope(self._registry) as session:
            review = self._locked(session)
            if review is None:
                raise FencedOutError
            yield session, review


def _keep_handles(session: Session, review: AssetReview, provider: str, handles: Mapping[str, str]) -> None:
    """Keep the provider's own ids of the picture, whose row is locked, for his other backends."""
    if handles:
        asset = session.get_one(Asset, review.asset_id, populate_existing=True)
        own = {str(name): str(value) for name, value in handles.items()}
        asset.handles = {**asset.handles, provider: {**asset.handles.get(provider, {}), **own}}


def run_start(run: JobRun) -> None:
    """Job runner of ``assets.review_start``."""
    _run(run, ReviewRunner(run).start)


def run_poll(run: JobRun) -> None:
    """Job runner of ``assets.review_poll``."""
    _run(run, ReviewRunner(run).poll)


def _run(run: JobRun, step: Callable[[], None]) -> None:
    try:
        step()
    except FencedOutError:
        log.info("review_taken_over", job=str(run.job_id), review=str(run.subject_id))
