"""The worker's side of a task: place the order, ask for it, try again, fall back, settle."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import structlog
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.generation.admission import LATE_KIND, POLL_KIND, START_KIND, start_kind
from contentsvc.generation.attempts import count_attempts, end_attempt, name_job
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskStatus
from contentsvc.generation.steps import (
    LOST_ORDER,
    Call,
    FencedOutError,
    TaskSteps,
    outcome_of,
)
from contentsvc.generation.timeline import age_of_order, database_now, move, raise_progress
from contentsvc.generation.works import Stored
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.services import enqueue
from contentsvc.plugin import Accepted, OutcomeUnknown, Pending, ProviderError, RateLimited
from contentsvc.providers.budgets import ProviderBusy
from contentsvc.providers.calls import hold_thread, order_delay, poll_delay
from contentsvc.providers.circuit import CircuitOpen
from contentsvc.providers.health import circuits_of
from contentsvc.providers.models import ModelConfig
from contentsvc.providers.turns import turns_of

log = structlog.get_logger(__name__)

_RUNNING = (
    select(AITask, ModelConfig, age_of_order().label("age"))
    .join(ModelConfig, ModelConfig.id == AITask.model_config_id)
    .where(AITask.id == bindparam("task_id"), AITask.status.in_(OPEN_STATUSES))
)

NOT_CHARGED = "You were not charged."
TIMED_OUT = "The provider did not finish in time. You were not charged."


class TaskRunner(TaskSteps):
    """Runs the jobs of kind ``generation.start``, ``generation.export`` and ``generation.poll``."""

    def start(self) -> None:
        """Place the order and, where the provider works at once, settle it."""
        call = self.prepare()
        if call is None:
            return
        try:
            stored = self._order(call)
        except ProviderError as error:
            self._failed(call, error)
            return
        if stored is not None:
            self.settle(call, stored)

    def poll(self) -> None:
        """Ask for an accepted order once."""
        call = self._prepare_poll()
        if call is None:
            return
        try:
            outcome = self.asked(call)
        except ProviderBusy as error:
            with transaction_scope(self.registry) as session:
                self._not_asked(session, error.seconds)
            return
        except ProviderError as error:
            if error.retryable or isinstance(error, OutcomeUnknown):
                self._poll_again(call, None, error.retry_after if isinstance(error, RateLimited) else None)
            else:
                self._failed(call, error)
            return
        if isinstance(outcome, Pending):
            self._poll_again(call, outcome.progress)
        else:
            self.settle(call, outcome)

    def put_off(self, session: Session, task: AITask, model: ModelConfig) -> bool:
        """Where the provider can't be asked now, wait, hand the order to the substitute, or give it up.

        Looked at before anything is sent or counted: while a provider fails, this is all that
        his orders cost.
        """
        delay = order_delay(self.registry, model.provider)
        if delay is None:
            return False
        error = CircuitOpen(delay)
        is_down = circuits_of(self.registry).is_open(model.provider_id)
        handed_on = "fallback_from" in task.meta
        if is_down and not handed_on and (other := self.substitute_for(session, task, model, error)):
            self.hand_to(task, other)
            self.run.again(session, 0)
        elif self.waited(session) > self.remote_timeout_seconds:
            self.close_failed(session, task, f"{error.public_message} {NOT_CHARGED}")
        else:
            self.run.again(session, turns_of(self.registry).after(model.provider_id, delay))
        return True

    def _order(self, call: Call) -> Stored | None:
        with self._thread(call), self.provider(call) as (backend, ctx):
            outcome = backend.start(call.request, ctx)
            if isinstance(outcome, Accepted):
                self._accepted(call, outcome.job_id)
                return None
            return self.stored(call, outcome.result)

    def _thread(self, call: Call) -> AbstractContextManager[None]:
        """Films have threads of their own."""
        if self.run.kind != START_KIND:
            return nullcontext()
        return hold_thread(self.registry, call.model.provider_id, self.run.lost.is_set)

    def _prepare_poll(self) -> Call | None:
        """The order to ask for; None where it is over, too old, or there is no place for a poll.

        Read without locks: whatever comes of the poll is written under them, and only by
        whoever still holds the job.
        """
        with transaction_scope(self.registry) as session:
            found = session.execute(_RUNNING, {"task_id": self.run.subject_id}).one_or_none()
            if found is None or found.age > self.remote_timeout_seconds:
                self._give_up(session)
                return None
            # Looked for before all that a call takes: at a provider who hangs, most find none.
            delay = poll_delay(self.registry, found.ModelConfig.provider)
            if delay is not None:
                self._not_asked(session, delay)
                return None
            return Call(found.AITask, found.ModelConfig)

    def _give_up(self, session: Session) -> None:
        task = self.open_task(session)
        if task is not None:
            self.close_failed(session, task, TIMED_OUT, outcome="timed_out", outcome_unknown=True)

    def _accepted(self, call: Call, job_id: str) -> None:
        soon = self.settings.poll_min_seconds
        try:
            with transaction_scope(self.registry) as session:
                task = self.held_task(session)
                task.remote_job_id = job_id
                task.submitted_at = database_now(session)
                move(session, task, TaskStatus.SUBMITTED)
                name_job(session, call.attempt_id, job_id)
                self.run.finish(session)
                enqueue(session, self.registry, POLL_KIND, task.id, delay_seconds=soon)
        except FencedOutError:
            with transaction_scope(self.registry, call.task.team_id) as session:
                if (attempt_id := name_job(session, call.attempt_id, job_id)) is not None:
                    enqueue(session, self.registry, LATE_KIND, attempt_id, delay_seconds=soon)
            log.warning("order_accepted_late", task=str(call.task.id), model=call.model.name)
        else:
            log.info("order_accepted", task=str(call.task.id), model=call.model.name)

    def _poll_again(self, call: Call, progress: float | None, retry_after: float | None = None) -> None:
        with transaction_scope(self.registry) as session:
            if call.task.status != TaskStatus.POLLING:
                move(session, self.held_task(session), TaskStatus.POLLING)
            if not self.run.again(session, max(self.poll_interval(), retry_after or 0.0)):
                raise FencedOutError
            if progress is not None and progress > call.task.progress:
                raise_progress(session, call.task.id, progress)
        log.debug("order_pending", task=str(call.task.id), progress=progress)

    def _not_asked(self, session: Session, seconds: float) -> None:
        """The interval has not begun anew: there was no place for this poll."""
        self.run.again(session, min(2 * self.settings.poll_max_seconds, seconds))

    def _failed(self, call: Call, error: ProviderError) -> None:
        """Try again, fall back, or fail: in this order, as far as the error allows."""
        with transaction_scope(self.registry) as session:
            task = self.held_task(session)
            end_attempt(session, task, outcome_of(error), error=error.public_message)
            attempts = count_attempts(session, task)
            unknown = isinstance(error, OutcomeUnknown)
            safe = call.model.resubmit_safe
            may_repeat = safe if unknown else error.retryable
            if may_repeat and attempts < self.settings.max_attempts:
                self._order_again(session, task, self._back_off(error, attempts))
            elif (substitute := self.substitute_for(session, task, call.model, error)) is not None:
                self.hand_to(task, substitute)
                self._order_again(session, task, 0)
            else:
                lost = unknown and not safe
                message = LOST_ORDER if lost else error.public_message
                self.close_failed(session, task, message, outcome_unknown=lost)

    def _order_again(self, session: Session, task: AITask, seconds: float) -> None:
        """Place the order anew later: what was ordered before came to nothing, or may be repeated."""
        task.intent_at = None
        task.remote_job_id = None
        if task.status != TaskStatus.RESERVED:
            move(session, task, TaskStatus.RESERVED)
        if self.run.kind == POLL_KIND:
            self.run.finish(session)
            enqueue(session, self.registry, start_kind(task.task_type), task.id, delay_seconds=seconds)
        else:
            self.run.again(session, seconds)
        log.info("order_repeated", task=str(task.id), in_seconds=round(seconds, 1))

    def _back_off(self, error: ProviderError, attempts: int) -> float:
        asked = error.retry_after if isinstance(error, RateLimited) else None
        grown = self.settings.retry_seconds * 2.0 ** max(0, attempts - 1)
        # Jitter keeps a storm of failures from coming back as a storm of retries.
        waited = min(self.settings.retry_max_seconds, grown) * random.uniform(0.8, 1.2)  # noqa: S311
        return max(waited, asked or 0.0)


def run_start(run: JobRun) -> None:
    """Job runner of ``generation.start`` and ``generation.export``."""
    _run(run, TaskRunner(run).start)


def run_poll(run: JobRun) -> None:
    """Job runner of ``generation.poll``."""
    _run(run, TaskRunner(run).poll)


def _run(run: JobRun, step: Callable[[], None]) -> None:
    try:
        step()
    except FencedOutError:
        log.info("job_taken_over", job=str(run.job_id), task=str(run.subject_id))
