"""The worker's side of a task: place the order, ask for it, settle; safe to be killed anywhere.

An intent is stored before the provider is called and the remote job's id right after it
has accepted. Who takes over from a dead worker reads from the two what was ordered: a
stored id is polled, an intent without an id is an order of unknown outcome, which is only
repeated for models that declare ``resubmit_safe``.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, replace
from typing import Any

import structlog
from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.db.tenancy import enter_team
from contentsvc.generation.admission import POLL_KIND, START_KIND
from contentsvc.generation.attempts import NOT_SENT, begin_attempt, count_attempts, end_attempt
from contentsvc.generation.models import AITask, TaskStatus
from contentsvc.generation.settlement import Work, fail, file_work, lock_open, succeed
from contentsvc.generation.timeline import database_now, move
from contentsvc.generation.workflows import Workflow, workflow_of
from contentsvc.http import ApiError
from contentsvc.jobs.claims import JobRun
from contentsvc.jobs.services import enqueue
from contentsvc.plugin import (
    Accepted,
    ContentRejected,
    Done,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    Usage,
)
from contentsvc.providers.calls import ProviderBusy, provider_call
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.settings import GenerationSettings

log = structlog.get_logger(__name__)

LOST_ORDER = (
    "The connection broke while the order was placed, so its outcome is unknown. You were not charged."
)
NOT_STORED = "The result could not be stored."
TIMED_OUT = "The provider did not finish in time. You were not charged."
NO_BACKEND = "The model of this order is not installed any more."


class FencedOutError(Exception):
    """Somebody else holds or has finished this job: roll back, write nothing."""


@dataclass(frozen=True)
class Call:
    """One call of a provider, as plain values that outlive the transaction that made them."""

    task: AITask
    model: ModelConfig
    attempt_id: uuid.UUID
    workflow: Workflow
    request: Any


class TaskRunner:
    """Runs the jobs of kind ``generation.start`` and ``generation.poll``."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._registry: Registry = run.registry
        self._settings: GenerationSettings = run.registry["contentsvc.settings"].generation

    def start(self) -> None:
        """Place the order and, where the provider works at once, settle it."""
        call = self._prepare()
        if call is None:
            return
        try:
            works, usage = self._order(call)
        except ProviderError as error:
            self._failed(call, error)
            return
        if works is not None:
            self._settle(call, works, usage)

    def poll(self) -> None:
        """Ask for an accepted order once."""
        call = self._prepare_poll()
        if call is None:
            return
        try:
            outcome = self._ask(call)
        except (OutcomeUnknown, RateLimited) as error:
            self._poll_again(call, None, getattr(error, "retry_after", None))
            return
        except ProviderError as error:
            if error.retryable:
                self._poll_again(call, None)
            else:
                self._failed(call, error)
            return
        if isinstance(outcome, Pending):
            self._poll_again(call, outcome.progress)
        else:
            self._settle(call, *outcome)

    # --- one transaction each ---

    def _prepare(self) -> Call | None:
        with transaction_scope(self._registry) as session:
            task = self._open_task(session)
            if task is None:
                return None
            model = session.get_one(ModelConfig, task.model_config_id)
            if task.intent_at is not None and not _resubmit_safe(model):
                self._run.finish(session)
                end_attempt(session, task, "unknown", error=LOST_ORDER)
                fail(session, self._registry, task, LOST_ORDER, outcome_unknown=True)
                return None
            if task.intent_at is not None:
                end_attempt(session, task, "unknown", error="The worker died during this call.")
            if count_attempts(session, task) >= self._settings.max_attempts:
                self._run.finish(session)
                fail(session, self._registry, task, "The work was tried several times without success.")
                return None
            workflow = workflow_of(self._registry, task.task_type)
            try:
                request = workflow.request(session, self._registry, task)
            except ProviderError as error:
                self._run.finish(session)
                fail(session, self._registry, task, error.public_message)
                return None
            task.intent_at = database_now(session)
            return Call(task, model, begin_attempt(session, task), workflow, request)

    def _prepare_poll(self) -> Call | None:
        with transaction_scope(self._registry) as session:
            task = self._open_task(session)
            if task is None:
                return None
            age = (database_now(session) - (task.submitted_at or task.created_at)).total_seconds()
            if age > self._settings.remote_timeout_minutes * 60:
                self._run.finish(session)
                end_attempt(session, task, "timed_out", error=TIMED_OUT)
                fail(session, self._registry, task, TIMED_OUT, outcome_unknown=True)
                return None
            model = session.get_one(ModelConfig, task.model_config_id)
            workflow = workflow_of(self._registry, task.task_type)
            return Call(task, model, begin_attempt(session, task, resume=True), workflow, None)

    def _accepted(self, call: Call, job_id: str) -> None:
        with transaction_scope(self._registry) as session:
            task = self._held_task(session)
            task.remote_job_id = job_id
            task.submitted_at = database_now(session)
            move(session, task, TaskStatus.SUBMITTED)
            self._run.finish(session)
            enqueue(
                session, self._registry, POLL_KIND, task.id, delay_seconds=self._settings.poll_min_seconds
            )
        log.info("order_accepted", task=str(call.task.id), model=call.model.name)

    def _poll_again(self, call: Call, progress: float | None, retry_after: float | None = None) -> None:
        with transaction_scope(self._registry) as session:
            task = self._held_task(session)
            if task.status != TaskStatus.POLLING:
                move(session, task, TaskStatus.POLLING)
            if progress is not None:
                task.progress = max(task.progress, min(1.0, progress))
            growth = 1.5 ** min(self._run.attempt, 20)
            interval = min(self._settings.poll_max_seconds, self._settings.poll_min_seconds * growth)
            self._run.again(session, max(interval, retry_after or 0.0))
        log.debug("order_pending", task=str(call.task.id), progress=progress)

    def _settle(self, call: Call, works: list[Work], usage: Usage) -> None:
        try:
            with transaction_scope(self._registry) as session:
                task = self._held_task(session)
                self._run.finish(session)
                end_attempt(session, task, "succeeded", usage=usage)
                units = call.workflow.default_units(task)
                succeed(session, self._registry, task, works, usage, default_units=units)
        except FencedOutError:
            self._keep_late(call, works)

    def _keep_late(self, call: Call, works: list[Work]) -> None:
        """A result of a task that has failed meanwhile is the customer's, uncharged."""
        with transaction_scope(self._registry) as session:
            task = session.get_one(AITask, call.task.id)
            if task.status != TaskStatus.FAILED:
                return
            enter_team(session, task.team_id)
            self._run.finish(session)
            end_attempt(session, task, "late")
            for work in works:
                file_work(session, task, replace(work, metadata={**work.metadata, "late": True}))
        log.warning("late_result_kept", task=str(call.task.id))

    def _failed(self, call: Call, error: ProviderError) -> None:
        with transaction_scope(self._registry) as session:
            task = self._held_task(session)
            end_attempt(session, task, _outcome(error), error=error.public_message)
            unknown = isinstance(error, OutcomeUnknown)
            safe = _resubmit_safe(call.model)
            may_repeat = (error.retryable and not unknown) or (unknown and safe)
            if may_repeat and count_attempts(session, task) < self._settings.max_attempts:
                self._order_again(session, task, self._back_off(error, count_attempts(session, task)))
            elif (fallback := self._fallback(session, task, call.model, error)) is not None:
                self._fall_back(session, task, fallback)
            else:
                self._run.finish(session)
                lost = unknown and not safe
                fail(
                    session,
                    self._registry,
                    task,
                    LOST_ORDER if lost else error.public_message,
                    outcome_unknown=lost,
                )

    def _order_again(self, session: Session, task: AITask, seconds: float) -> None:
        """Place the order anew later: what was ordered before certainly came to nothing."""
        task.intent_at = None
        task.remote_job_id = None
        if task.status != TaskStatus.RESERVED:
            move(session, task, TaskStatus.RESERVED)
        if self._run.kind == START_KIND:
            self._run.again(session, seconds)
        else:
            self._run.finish(session)
            enqueue(session, self._registry, START_KIND, task.id, delay_seconds=seconds)
        log.info("order_repeated", task=str(task.id), in_seconds=round(seconds, 1))

    def _fall_back(self, session: Session, task: AITask, model: ModelConfig) -> None:
        """Another model does the work; the order's price and snapshot stay."""
        task.meta = {**task.meta, "fallback_from": task.model_name}
        task.model_config_id = model.id
        task.model_name = model.name
        task.provider_name = model.provider.name
        self._order_again(session, task, 0)
        log.info("order_falls_back", task=str(task.id), model=model.name)

    # --- without a transaction ---

    def _order(self, call: Call) -> tuple[list[Work] | None, Usage]:
        with self._provider(call) as (backend, ctx):
            outcome = backend.start(call.request, ctx)
            if isinstance(outcome, Accepted):
                self._accepted(call, outcome.job_id)
                return None, Usage()
            return self._stored(call, outcome)

    def _ask(self, call: Call) -> Pending | tuple[list[Work], Usage]:
        with self._provider(call) as (backend, ctx):
            outcome = backend.poll(call.task.remote_job_id, ctx)
            return outcome if isinstance(outcome, Pending) else self._stored(call, outcome)

    def _stored(self, call: Call, outcome: Done[Any]) -> tuple[list[Work], Usage]:
        try:
            return call.workflow.store(self._registry, call.task, outcome.result)
        except ApiError as error:
            # Paid for and not stored: a poll fetches it again; an order at once is as good as lost.
            log.exception("result_not_stored", task=str(call.task.id))
            raise OutcomeUnknown(NOT_STORED) from error

    def _provider(self, call: Call) -> Any:
        if not catalog_of(self._registry).available(call.model):
            raise ProviderError(NO_BACKEND)
        return provider_call(
            self._registry,
            call.model,
            team_id=call.task.team_id,
            idempotency_key=f"{call.task.id}-{call.task.reservation_no}",
            on_progress=lambda fraction: self._report(call.task, fraction),
            is_cancelled=self._run.lost.is_set,
        )

    def _report(self, task: AITask, fraction: float) -> None:
        with transaction_scope(self._registry) as session:
            open_task = lock_open(session, task.id)
            if open_task is not None:
                open_task.progress = max(open_task.progress, fraction)

    # --- small questions ---

    def _open_task(self, session: Session) -> AITask | None:
        """The job's task, locked, in its team's scope; a finished one ends the job."""
        if not self._run.hold(session):
            return None
        task = lock_open(session, self._run.subject_id)
        if task is None:
            self._run.finish(session)
            return None
        enter_team(session, task.team_id)
        return task

    def _held_task(self, session: Session) -> AITask:
        """The same, for a call that has been made. Raises FencedOutError."""
        if not self._run.hold(session):
            raise FencedOutError
        task = lock_open(session, self._run.subject_id)
        if task is None:
            raise FencedOutError
        enter_team(session, task.team_id)
        return task

    def _fallback(
        self, session: Session, task: AITask, model: ModelConfig, error: ProviderError
    ) -> ModelConfig | None:
        if isinstance(error, ContentRejected | OutcomeUnknown) or task.request.get("model_named"):
            return None
        return catalog_of(self._registry).fallback_of(session, model)

    def _back_off(self, error: ProviderError, attempts: int) -> float:
        asked = error.retry_after if isinstance(error, RateLimited) else None
        grown = self._settings.retry_seconds * 2.0 ** max(0, attempts - 1)
        # Jitter keeps a storm of failures from coming back as a storm of retries.
        waited = min(self._settings.retry_max_seconds, grown) * random.uniform(0.8, 1.2)  # noqa: S311
        return max(waited, asked or 0.0)


def run_start(run: JobRun) -> None:
    """Job runner of ``generation.start``."""
    _run(run, TaskRunner(run).start)


def run_poll(run: JobRun) -> None:
    """Job runner of ``generation.poll``."""
    _run(run, TaskRunner(run).poll)


def _run(run: JobRun, step: Any) -> None:
    try:
        step()
    except FencedOutError:
        log.info("job_taken_over", job=str(run.job_id), task=str(run.subject_id))


def _resubmit_safe(model: ModelConfig) -> bool:
    return model.options.get("resubmit_safe") is True


def _outcome(error: ProviderError) -> str:
    if isinstance(error, ProviderBusy):
        return NOT_SENT
    if isinstance(error, OutcomeUnknown):
        return "unknown"
    if isinstance(error, RateLimited):
        return "rate_limited"
    return "rejected" if isinstance(error, ContentRejected) else "failed"
