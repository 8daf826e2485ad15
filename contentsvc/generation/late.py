"""Work that a provider took on for an order that was over before he had said so.

An order may be given up, or lost with a worker that only seemed dead, while the provider is still
being asked to take it. What he calls it then comes too late to be waited for, but the work is under
way and will be on his bill: it is asked for by a job of its own, and kept for the customer,
uncharged.
"""

from __future__ import annotations

import structlog
from sqlalchemy import bindparam, select
from sqlalchemy.orm import aliased

from contentsvc.db.session import transaction_scope
from contentsvc.db.tenancy import enter_team
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskAttempt, TaskStatus
from contentsvc.generation.steps import Call, TaskSteps
from contentsvc.generation.works import Stored
from contentsvc.jobs.run import JobRun
from contentsvc.plugin import OutcomeUnknown, Pending, ProviderError, RateLimited
from contentsvc.providers.budgets import ProviderBusy
from contentsvc.providers.calls import poll_delay
from contentsvc.providers.models import ModelConfig, Provider

log = structlog.get_logger(__name__)

# The model is the attempt's: a substitute of the same capability may have followed it.
_PRESENT = aliased(ModelConfig)
_LATE = (
    select(TaskAttempt, AITask, ModelConfig)
    .join(AITask, AITask.id == TaskAttempt.task_id)
    .join(_PRESENT, _PRESENT.id == AITask.model_config_id)
    .join(Provider, Provider.name == TaskAttempt.provider)
    .join(
        ModelConfig,
        (ModelConfig.provider_id == Provider.id)
        & (ModelConfig.name == TaskAttempt.model)
        & (ModelConfig.capability == _PRESENT.capability),
    )
    .where(TaskAttempt.id == bindparam("attempt_id"))
)


class LateRunner(TaskSteps):
    """Runs the jobs of kind ``generation.late``; the subject of one is an attempt."""

    def ask(self) -> None:
        """Ask for the work once; keep it if it is there."""
        call = self._prepare()
        if call is None:
            return
        try:
            outcome = self.asked(call)
        except ProviderBusy as error:
            self._again(error.seconds)
        except ProviderError as error:
            if error.retryable or isinstance(error, OutcomeUnknown):
                pause = error.retry_after if isinstance(error, RateLimited) else None
                self._again(max(self.poll_interval(), pause or 0.0))
            else:
                self._let_go(error)
        else:
            if isinstance(outcome, Pending):
                self._again(self.poll_interval())
            else:
                self._keep(call, outcome)

    def _prepare(self) -> Call | None:
        """What to ask for; None where that is of no use, or can't be done now."""
        with transaction_scope(self.registry) as session:
            found = session.execute(_LATE, {"attempt_id": self.run.subject_id}).one_or_none()
            if found is None or self.waited(session) > self.remote_timeout_seconds:
                self.run.finish(session)
                return None
            attempt, task, model = found
            is_his = task.reservation_no == attempt.reservation_no
            if is_his and task.status == TaskStatus.SUCCEEDED:
                self.run.finish(session)
                return None
            # Who has taken the order over may yet bring it to a good end, or fail.
            is_open = is_his and task.status in OPEN_STATUSES
            delay = self.settings.poll_max_seconds if is_open else poll_delay(self.registry, model.provider)
            if delay is not None:
                self.run.again(session, min(2 * self.settings.poll_max_seconds, delay))
                return None
            # As it was for this order: by now it may have been ordered anew.
            session.expunge(task)
            task.reservation_no = attempt.reservation_no
            task.remote_job_id = attempt.remote_job_id
            return Call(task, model, attempt_id=attempt.id)

    def _report(self, task: AITask, fraction: float) -> None:
        """Nobody waits for it; who has ordered anew would see it as his own."""

    def _again(self, seconds: float) -> None:
        with transaction_scope(self.registry) as session:
            self.run.again(session, seconds)

    def _let_go(self, error: ProviderError) -> None:
        with transaction_scope(self.registry) as session:
            self.run.finish(session)
        log.info("late_work_failed", attempt=str(self.run.subject_id), error=error.public_message)

    def _keep(self, call: Call, stored: Stored) -> None:
        with transaction_scope(self.registry) as session:
            # Whoever has the job by now keeps it; twice would be once too often.
            if self.run.finish(session):
                enter_team(session, call.task.team_id)
                self.file_late(session, call, stored)


def run_late(run: JobRun) -> None:
    """Job runner of ``generation.late``."""
    LateRunner(run).ask()
