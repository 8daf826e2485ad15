"""The entity backend."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from contentsvc.plugin import (
    Context,
    Done,
    EntityRequest,
    EntityResult,
    Pending,
    ProviderError,
    ScriptSegment,
    Usage,
)
from contentsvc_studio.entities.people import find_people
from contentsvc_studio.entities.places import find_places

LONGEST = 2000


class StudioEntities:
    """Reads a script at once; English by grammar, Chinese by a few words."""

    def start(self, request: EntityRequest, ctx: Context) -> Done[EntityResult]:
        """The people and places of the script, people first."""
        ctx.progress(0.2)
        product = request.product
        names = frozenset(re.findall(r"\w+", f"{product.title} {product.brand}".lower()))
        segments = [_readable(segment) for segment in request.segments]
        entities = (*find_people(segments, names), *find_places(segments))
        ctx.progress(1.0)
        return Done(EntityResult(entities, Usage(Decimal(1), {"entities": len(entities)})))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[EntityResult]:  # noqa: ARG002 - the protocol's names
        """Studio finishes at once and never hands out jobs."""
        raise ProviderError("Studio has no work that could be asked for later.")


def _readable(segment: ScriptSegment) -> ScriptSegment:
    """The segment as the rules read it: single spaces, no endless texts."""
    narration, visual = (
        " ".join(text.split())[:LONGEST] for text in (segment.narration, segment.visual_prompt)
    )
    return replace(segment, narration=narration, visual_prompt=visual)
