"""Paid work that the web process does while its client waits: scripts, voices.

Admission, lease and settlement are those of every task. The job exists so that a killed
server is noticed: while the process lives it renews the lease, afterwards a worker finds
the job due and fails the task, which releases its credit. Nothing here repeats an order; a
model that fails is replaced by the substitute its options name.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.generation.admission import INLINE_KIND
from contentsvc.generation.attempts import end_attempt
from contentsvc.generation.steps import LOST_ORDER, Call, FencedOutError, TaskSteps, outcome_of
from contentsvc.jobs.claims import claim
from contentsvc.jobs.leases import held
from contentsvc.jobs.models import Job, JobState
from contentsvc.jobs.run import JobRun
from contentsvc.plugin import OutcomeUnknown, ProviderError

log = structlog.get_logger(__name__)

INTERRUPTED = "The work was interrupted. You were not charged."


class InlineTask(TaskSteps):
    """A task this process works on; made by :func:`hold_inline`."""

    def give_up(self, error: ProviderError) -> None:
        """Fail the task and release its credit; does nothing where it is over already."""
        lost = isinstance(error, OutcomeUnknown)
        try:
            with transaction_scope(self.registry) as session:
                task = self.held_task(session)
                end_attempt(session, task, outcome_of(error), error=error.public_message)
                message = LOST_ORDER if lost else error.public_message
                self.close_failed(session, task, message, outcome_unknown=lost)
        except FencedOutError:
            log.info("inline_task_over", task=str(self.run.subject_id))

    def fall_back(self, call: Call, error: ProviderError) -> Call | None:
        """The call of the substitute for a model that failed; None: there is none to try.

        A client waits, so the failed model gets no second chance, and its substitute no
        substitute. Raises FencedOutError where the task is over already.
        """
        with transaction_scope(self.registry) as session:
            task = self.held_task(session)
            if "fallback_from" in task.meta:
                return None
            substitute = self.substitute_for(session, task, call.model, error)
            if substitute is None:
                return None
            end_attempt(session, task, outcome_of(error), error=error.public_message)
            self.hand_to(task, substitute)
        return self.prepare()

    def abandon(self) -> None:
        """Fail the task because nobody waits for it any more."""
        self.give_up(ProviderError(INTERRUPTED))


@contextmanager
def hold_inline(registry: Registry, task_id: uuid.UUID) -> Iterator[InlineTask]:
    """Hold the job of a just admitted inline task for the length of the block, its lease renewed.

    The block settles the task or gives it up; what it leaves open is abandoned at its end.
    Raises FencedOutError where a worker has taken the job already.
    """
    with transaction_scope(registry) as session:
        mine = select(Job.id).where(Job.kind == INLINE_KIND, Job.subject_id == task_id)
        job_id = session.scalar(mine.where(Job.state == JobState.OPEN))
    run = claim(registry, job_id, 0) if job_id else None
    if run is None:
        raise FencedOutError
    with held(run):
        task = InlineTask(run)
        try:
            yield task
        finally:
            if not run.let_go:
                task.abandon()


def run_interrupted(run: JobRun) -> None:
    """Job runner of ``generation.inline``: the process that worked on the task is gone."""
    steps = TaskSteps(run)
    with transaction_scope(steps.registry) as session:
        task = steps.open_task(session)
        if task is not None:
            steps.close_failed(session, task, INTERRUPTED, outcome="interrupted")
