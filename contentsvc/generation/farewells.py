"""Tasks that end at the same moment are given up together.

When a proxy restarts, all its clients are gone at once, and so is everybody's reason to
wait. One transaction a task would make each wait for the same account, in turn: instead
the first one goes ahead, and everything that has come meanwhile follows in one.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import structlog
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.generation.attempts import end_attempts
from contentsvc.generation.inline import InlineTask
from contentsvc.generation.models import OPEN_STATUSES, AITask
from contentsvc.generation.settlement import fail_all
from contentsvc.jobs.run import finish_all
from contentsvc.plugin import ProviderError

FAREWELLS: Final = "contentsvc.farewells"

log = structlog.get_logger(__name__)


@dataclass(eq=False)
class _Farewell:
    task: InlineTask
    message: str
    is_said: bool = False


class Farewells:
    """One process's inline tasks that wait to be given up."""

    def __init__(self) -> None:
        self._waiting: list[_Farewell] = []
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    def give_up(self, task: InlineTask, message: str) -> None:
        """Fail a task and release its credit; does nothing where it is over already."""
        mine = _Farewell(task, message)
        with self._lock:
            self._waiting.append(mine)
        with self._turn:
            if not mine.is_said:
                self._say_all(task.registry)
        if not mine.is_said:
            task.give_up(ProviderError(message))

    def _say_all(self, registry: Registry) -> None:
        with self._lock:
            together, self._waiting = self._waiting, []
        try:
            _give_up(registry, together)
        except Exception:
            # One of them may be to blame: each tries again for itself.
            log.exception("farewells_failed", tasks=len(together))
            return
        for farewell in together:
            farewell.is_said = True


def _give_up(registry: Registry, farewells: Sequence[_Farewell]) -> None:
    messages = {farewell.task.run.subject_id: farewell.message for farewell in farewells}
    with transaction_scope(registry) as session:
        held = finish_all(session, [farewell.task.run for farewell in farewells])
        open_tasks = (
            select(AITask)
            .where(AITask.id.in_([run.subject_id for run in held]), AITask.status.in_(OPEN_STATUSES))
            .order_by(AITask.id)
            .with_for_update()
        )
        failures = {task: messages[task.id] for task in session.scalars(open_tasks)}
        end_attempts(session, failures)
        fail_all(session, registry, failures)


def farewells_of(registry: Registry) -> Farewells:
    """The process's farewells."""
    return cast("Farewells", registry[FAREWELLS])
