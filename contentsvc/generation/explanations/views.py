"""The route that explains a bill."""

from __future__ import annotations

from typing import Any

from contentsvc.generation.explanations.schemas import Explanation
from contentsvc.generation.explanations.services import explain
from contentsvc.generation.models import AITask
from contentsvc.generation.tasks import Tasks, any_teams_task
from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.paths import path_id

explanation = ApiService("task_explanation", "/api/ai/tasks/{id}/explain/")

SERVICES = (explanation,)


def _load_task(request: ApiRequest) -> AITask:
    task_id = path_id(request)
    if request.identity.serves_platform(Permission.EXPLAIN):
        return any_teams_task(request.db, task_id)
    return Tasks(request.db, request.identity.team_id).get(task_id)


@explanation.get(permission=Permission.EXPLAIN, subject=_load_task, response=Explanation)
def explain_task(request: ApiRequest) -> dict[str, Any]:
    """Explain what a task costs.

    Its price with every figure, each cap as it stood before the order, what providers were asked and
    reported, every status with its time, and every movement of credit. For administrators of the
    platform, tasks of all teams.
    """
    return explain(request.db, request.validated["subject"])
