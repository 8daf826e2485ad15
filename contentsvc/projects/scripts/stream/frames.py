"""The stream's frames: one line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.generation.models import AITask
from contentsvc.http import ErrorCode
from contentsvc.http.types import credits_text
from contentsvc.plugin import ScriptTool
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.read import version_document
from contentsvc.projects.scripts.schemas import ScriptVersionOut
from contentsvc.projects.scripts.segments import SegmentDocument

MEDIA_TYPE = "text/event-stream"


def tool(event: ScriptTool) -> bytes:
    """A step of the author's work."""
    status = "done" if event.is_done else "running"
    return _frame({"type": "tool", "name": event.name, "label": event.label, "status": status})


def delta(text: str) -> bytes:
    """More of the reasoning."""
    return _frame({"type": "delta", "text": text})


def draft(segments: Sequence[SegmentDocument]) -> bytes:
    """The script as far as it is there."""
    return _frame({"type": "draft", "segments": list(segments)})


def failure(detail: str, code: ErrorCode) -> bytes:
    """Why the stream ends without a script."""
    return _frame({"type": "error", "detail": detail, "code": code.value})


def closing(session: Session, task: AITask) -> bytes:
    """``saved`` and ``done`` of a task that has been charged; in its team's scope."""
    version, project = session.execute(
        select(ScriptVersion, Project)
        .join(Project, Project.id == ScriptVersion.project_id)
        .where(ScriptVersion.project_id == task.project_id, ScriptVersion.task_id == task.id)
    ).one()
    charged = None if task.actual_cost is None else credits_text(task.actual_cost)
    return _frame({"type": "saved", "script_version": version_json(project, version)}) + _frame(
        {"type": "done", "script_version_id": str(version.id), "charged": charged}
    )


def version_json(project: Project, version: ScriptVersion) -> Any:
    """A version as every other reply shows it."""
    shown = ScriptVersionOut.model_validate(version_document(project, version))
    return shown.model_dump(mode="json", by_alias=True)


def _frame(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b"data: " + text.encode("utf-8", "replace") + b"\n\n"
