"""Pictures and clips of fal.ai's models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import Context
from contentsvc_declared import DeclaredJobs, Made, figures
from contentsvc_fal.queue import FAL, result, submit

INLINE_MAX_BYTES: Final = 10 * 1024 * 1024
_METRICS: Final = ("inference", "inference_time")


class FalJobs(DeclaredJobs):
    """Orders in the queue. Nothing that is billed is reported, so what was ordered counts."""

    provider = FAL
    inline_max_bytes = INLINE_MAX_BYTES

    def order(self, endpoint: str, document: Mapping[str, Any], ctx: Context) -> str:
        """Put it into the queue."""
        return submit(ctx, endpoint, document)

    def ask(self, job: str, ctx: Context) -> Made | None:
        """Look whether it is done."""
        made = result(ctx, job)
        if made is None:
            return None
        return Made(self.link(made, ctx), figures=figures(made.get("timings"), _METRICS))
