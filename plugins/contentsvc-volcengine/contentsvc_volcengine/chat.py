"""Doubao as an author and a reader of scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from contentsvc.plugin import Context
from contentsvc_authoring import Chat, Completions, EntityReader, FormRefused, Question, ScriptAuthor
from contentsvc_volcengine.client import Ark
from contentsvc_volcengine.failures import RequestRefused


class DoubaoScripts(ScriptAuthor):
    """Writes scripts."""

    def ask(self, ctx: Context, question: Question) -> Chat:
        """One order of the model."""
        return Completions(ctx, question, ArkChat(Ark(ctx)))


class DoubaoEntities(EntityReader):
    """Reads scripts."""

    def ask(self, ctx: Context, question: Question) -> Chat:
        """One order of the model."""
        return Completions(ctx, question, ArkChat(Ark(ctx)))


class ArkChat:
    """Ark's chat completions; see :class:`contentsvc_authoring.Endpoint`."""

    def __init__(self, ark: Ark) -> None:
        self._ark = ark

    @contextmanager
    def open(self, body: Mapping[str, Any]) -> Iterator[Iterator[Mapping[str, Any]]]:
        """The chunks of the answer. Raises FormRefused, ProviderError, httpx's transport errors."""
        order = {name: body[name] for name in ("model", "messages", "stream")}
        added = {name: value for name, value in body.items() if name not in order}
        try:
            with self._ark.stream(
                lambda sdk: sdk.chat.completions.create(**order, extra_body=added)
            ) as chunks:
                yield chunks
        except RequestRefused as refusal:
            raise FormRefused(refusal, refusal.param, refusal.public_message) from None
