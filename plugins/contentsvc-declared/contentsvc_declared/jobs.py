"""Names of jobs that remember how many seconds were ordered: who polls sees nothing else of the order."""

from __future__ import annotations

import math

_MARK = "?seconds="


def job_id(name: str, seconds: float | None) -> str:
    """The provider's name of a job, and the seconds."""
    return name if seconds is None else f"{name}{_MARK}{seconds:g}"


def read_job_id(text: str) -> tuple[str, float | None]:
    """The two that :func:`job_id` has joined."""
    name, mark, figure = text.rpartition(_MARK)
    if not mark:
        return text, None
    try:
        seconds = float(figure)
    except ValueError:
        return name, None
    return name, seconds if math.isfinite(seconds) else None
