"""The transactions of a task's life that workers and the web process have in common.

An intent is stored before the provider is called and the remote job's id right after it
has accepted. Who takes over from a dead process reads from the two what was ordered: a
stored id is polled, an intent without an id is an order of unknown outcome, which is only
repeated for models that declare ``resubmit_safe``.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import structlog
from pyramid.registry import Registry
from sqlalchemy import extract, func, select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.db.tenancy import enter_team
from contentsvc.generation.attempts import NOT_SENT, begin_attempt, count_attempts, end_attempt, mark_late
from contentsvc.generation.models import AITask, TaskStatus
from contentsvc.generation.settlement import fail, file_work, lock_open, succeed
from contentsvc.generation.timeline import database_now, raise_progress
from contentsvc.generation.workflows import workflow_of
from contentsvc.generation.works import Stored
from contentsvc.http import ApiError
from contentsvc.jobs.models import Job
from contentsvc.jobs.run import JobRun
from contentsvc.plugin import ContentRejected, OutcomeUnknown, Pending, ProviderError, RateLimited
from contentsvc.providers.budgets import NotSent, ProviderBusy
from contentsvc.providers.calls import GuardedBackend, provider_call
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.context import CallContext
from contentsvc.providers.models import ModelConfig
from contentsvc.settings import GenerationSettings

log = structlog.get_logger(__name__)

LOST_ORDER = (
    "The connection broke while the order was placed, so its outcome is unknown. You were not charged."
)
EXHAUSTED = "The work was tried several times without success."
NOT_STORED = "The result could not be stored."
NO_BACKEND = "The model of this order is not installed any more."


class FencedOutError(Exception):
    """Somebody else holds or has finished this job: roll back, write nothing."""


@dataclass(frozen=True)
class Call:
    """One call of a provider, as plain values that outlive the transaction that made them."""

    task: AITask
    model: ModelConfig
    request: Any = None
    attempt_id: uuid.UUID | None = None


class TaskSteps:
    """A claimed job's task: prepare it, call for it, settle it."""

    def __init__(self, run: JobRun) -> None:
        self.run = run
        self.registry: Registry = run.registry
        self.settings: GenerationSettings = run.registry["contentsvc.settings"].generation
        self.remote_timeout_seconds = 60 * self.settings.remote_timeout_minutes

    def prepare(self) -> Call | None:
        """Store the intent to call; None where there is nothing (more) to order.

        An order that got lost with another process, or was tried too often, is failed here.
        """
        with transaction_scope(self.registry) as session:
            task = self.open_task(session)
            if task is None:
                return None
            model = session.get_one(ModelConfig, task.model_config_id)
            if task.intent_at is not None and not model.resubmit_safe:
                self.close_failed(session, task, LOST_ORDER, outcome="unknown", outcome_unknown=True)
                return None
            if task.intent_at is not None:
                end_attempt(session, task, "unknown", error="The worker died during this call.")
            if self.put_off(session, task, model):
                return None
            if count_attempts(session, task) >= self.settings.max_attempts:
                self.close_failed(session, task, EXHAUSTED)
                return None
            try:
                request = workflow_of(self.registry, task.task_type).request(session, self.registry, task)
            except ProviderError as error:
                self.close_failed(session, task, error.public_message)
                return None
            task.intent_at = database_now(session)
            return Call(task, model, request, begin_attempt(session, task))

    def put_off(self, session: Session, task: AITask, model: ModelConfig) -> bool:  # noqa: ARG002
        """Whether the order must wait, which is settled then; where a client waits, the call tells him."""
        return False

    def asked(self, call: Call) -> Pending | Stored:
        """What the provider answers who is asked for an accepted order. Raises ProviderError."""
        with self.provider(call) as (backend, ctx):
            outcome = backend.poll(str(call.task.remote_job_id), ctx)
            return outcome if isinstance(outcome, Pending) else self.stored(call, outcome.result)

    def poll_interval(self) -> float:
        """Seconds until an accepted order is asked for again."""
        growth = 1.5 ** min(self.run.attempt, 20)
        return min(self.settings.poll_max_seconds, self.settings.poll_min_seconds * growth)

    def waited(self, session: Session) -> float:
        """Seconds since this job was put into the queue."""
        age = extract("epoch", func.clock_timestamp() - Job.created_at)
        return float(session.scalar(select(age).where(Job.id == self.run.job_id)) or 0)

    def settle(self, call: Call, stored: Stored) -> Decimal | None:
        """Charge and file; the charge. None: the task was over already, and a late result
        of a failed one was kept as an asset, uncharged."""
        try:
            with transaction_scope(self.registry) as session:
                task = self.held_task(session)
                self.run.finish(session)
                end_attempt(session, task, "succeeded", usage=stored.usage)
                return succeed(session, self.registry, task, stored)
        except FencedOutError:
            self._keep_late(call, stored)
            return None

    def close_failed(
        self,
        session: Session,
        task: AITask,
        message: str,
        *,
        outcome: str = "failed",
        outcome_unknown: bool = False,
    ) -> None:
        """End job, attempt and task as failed, in the caller's transaction."""
        self.run.finish(session)
        end_attempt(session, task, outcome, error=message)
        fail(session, self.registry, task, message, outcome_unknown=outcome_unknown)

    def stored(self, call: Call, result: Any) -> Stored:
        """The result with its files in storage. Raises ProviderError."""
        try:
            return workflow_of(self.registry, call.task.task_type).store(self.registry, call.task, result)
        except ApiError as error:
            # Paid for and not stored: a poll fetches it again; an order at once is as good as lost.
            log.exception("result_not_stored", task=str(call.task.id))
            raise OutcomeUnknown(NOT_STORED) from error

    def provider(
        self, call: Call, is_cancelled: Callable[[], bool] | None = None, part: str = ""
    ) -> AbstractContextManager[tuple[GuardedBackend, CallContext]]:
        """The backend and its context, for one call. Raises ProviderError.

        The backend is told to stop once ``is_cancelled``, by default once the job is lost.
        ``part`` tells the calls of one task apart: to the provider each is an order of its own.
        """
        if not catalog_of(self.registry).available(call.model):
            raise ProviderError(NO_BACKEND)
        # Where both models are one provider's, their orders are two.
        substituted = "-substitute" if "fallback_from" in call.task.meta else ""
        return provider_call(
            self.registry,
            call.model,
            team_id=call.task.team_id,
            idempotency_key=f"{call.task.id}-{call.task.reservation_no}{substituted}{part}",
            on_progress=lambda fraction: self._report(call.task, fraction),
            is_cancelled=is_cancelled or self.run.lost.is_set,
        )

    def open_task(self, session: Session) -> AITask | None:
        """The job's task, locked, in its team's scope; a finished one ends the job."""
        if not self.run.hold(session):
            return None
        task = lock_open(session, self.run.subject_id)
        if task is None:
            self.run.finish(session)
            return None
        enter_team(session, task.team_id)
        return task

    def held_task(self, session: Session) -> AITask:
        """The same, for a call that has been made. Raises FencedOutError."""
        if not self.run.hold(session):
            raise FencedOutError
        task = lock_open(session, self.run.subject_id)
        if task is None:
            raise FencedOutError
        enter_team(session, task.team_id)
        return task

    def substitute_for(
        self, session: Session, task: AITask, model: ModelConfig, error: ProviderError
    ) -> ModelConfig | None:
        """The model that may do the work of one that failed so; a client who named a model gets no other."""
        if isinstance(error, ContentRejected | OutcomeUnknown) or task.request.get("model_named"):
            return None
        return catalog_of(self.registry).fallback_of(session, model)

    def hand_to(self, task: AITask, model: ModelConfig) -> None:
        """Another model does the work; the order's price and snapshot stay."""
        task.meta = {**task.meta, "fallback_from": task.model_name}
        task.model_config_id = model.id
        task.model_name = model.name
        task.provider_name = model.provider.name
        task.intent_at = None
        task.remote_job_id = None
        log.info("order_falls_back", task=str(task.id), model=model.name)

    def _keep_late(self, call: Call, stored: Stored) -> None:
        with transaction_scope(self.registry) as session:
            task = session.get_one(AITask, call.task.id)
            # One that was given up may have been ordered anew: this is still the first order's.
            if task.status != TaskStatus.FAILED and task.reservation_no == call.task.reservation_no:
                return
            enter_team(session, task.team_id)
            self.run.finish(session)
            self.file_late(session, call, stored)

    def file_late(self, session: Session, call: Call, stored: Stored) -> None:
        """File works whose order was over when they came; in the team's scope."""
        mark_late(session, call.task, call.attempt_id, stored.usage)
        task = session.get_one(AITask, call.task.id)
        for work in stored.works:
            file_work(session, task, replace(work, metadata={**work.metadata, "late": True}))
        log.warning("late_result_kept", task=str(task.id))

    def _report(self, task: AITask, fraction: float) -> None:
        with transaction_scope(self.registry) as session:
            raise_progress(session, task.id, fraction)


def outcome_of(error: ProviderError) -> str:
    """The attempt's outcome for an error."""
    if isinstance(error, ProviderBusy | NotSent):
        return NOT_SENT
    if isinstance(error, OutcomeUnknown):
        return "unknown"
    if isinstance(error, RateLimited):
        return "rate_limited"
    return "rejected" if isinstance(error, ContentRejected) else "failed"
