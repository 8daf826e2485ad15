"""What a process keeps of each queue's doorbell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from huey.api import Huey


@dataclass(frozen=True, slots=True)
class Doorbell:
    """A queue's huey instance, and what rings it: ``run_job(job_id, fence)``."""

    huey: Huey
    run_job: Callable[[str, int], Any]
