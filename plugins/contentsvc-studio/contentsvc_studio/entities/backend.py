"""The entity backend."""

from __future__ import annotations

import re
from decimal import Decimal

from contentsvc.plugin import Context, Done, EntityRequest, EntityResult, Pending, ProviderError, Usage
from contentsvc_studio.entities.people import find_people
from contentsvc_studio.entities.places import find_places


class StudioEntities:
    """Reads a script at once; English by grammar, Chinese by a few words."""

    def start(self, request: EntityRequest, ctx: Context) -> Done[EntityResult]:
        """The people and places of the script, people first."""
        ctx.progress(0.2)
        product = request.product
        names = frozenset(re.findall(r"\w+", f"{product.title} {product.brand}".lower()))
        entities = (*find_people(request.segments, names), *find_places(request.segments))
        ctx.progress(1.0)
        return Done(EntityResult(entities, Usage(Decimal(1), {"entities": len(entities)})))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[EntityResult]:  # noqa: ARG002 - the protocol's names
        """Studio finishes at once and never hands out jobs."""
        raise ProviderError("Studio has no work that could be asked for later.")
