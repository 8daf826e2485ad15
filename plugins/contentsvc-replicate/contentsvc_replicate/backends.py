"""Pictures and clips of Replicate's models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import Context, MediaRef
from contentsvc_declared import Api, DeclaredJobs, Made, figures
from contentsvc_replicate.predictions import REPLICATE, create, prediction, uploaded

INLINE_MAX_BYTES: Final = 256 * 1024
_METRICS: Final = ("predict_time", "total_time")


class ReplicateJobs(DeclaredJobs):
    """Orders are predictions."""

    provider = REPLICATE
    inline_max_bytes = INLINE_MAX_BYTES

    def order(self, endpoint: str, document: Mapping[str, Any], ctx: Context) -> str:
        """Create the prediction."""
        return create(ctx, endpoint, document)

    def ask(self, job: str, ctx: Context) -> Made | None:
        """Look whether it has succeeded."""
        made = prediction(ctx, job)
        if made is None:
            return None
        metrics = figures(made.get("metrics"), _METRICS)
        link = self.link(made.get("output"), ctx)
        # A link may be to a file at the API itself, which asks for the key.
        headers = Api(REPLICATE, ctx).headers
        return Made(link, headers=headers, figures=metrics, ran=metrics.get("predict_time"))

    def address(self, media: MediaRef, ctx: Context) -> str:
        """The public address, else the picture itself, else where it was uploaded."""
        is_large = not media.public_url and media.size_bytes > self.most_inline(ctx)
        return uploaded(ctx, media) if is_large else super().address(media, ctx)
