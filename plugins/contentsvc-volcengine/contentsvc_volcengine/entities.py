"""Doubao as a reader: who and where is seen in a script."""

from __future__ import annotations

from contentsvc.plugin import Context, Done, EntityRequest, EntityResult, Pending, ProviderError
from contentsvc_volcengine.answers import entities_of
from contentsvc_volcengine.chat import Doubao
from contentsvc_volcengine.matter import entity_question


class DoubaoEntities:
    """Reads scripts."""

    def start(self, request: EntityRequest, ctx: Context) -> Done[EntityResult]:
        """Ask for the people and places."""
        answer, used = Doubao(ctx).answer(entity_question(request))
        return Done(EntityResult(entities_of(answer, len(request.segments)), used))

    def poll(self, job_id: str, ctx: Context) -> Pending:  # noqa: ARG002  # the protocol's names
        """Scripts are read at once."""
        raise ProviderError("Volcengine hands out no jobs for reading.")
