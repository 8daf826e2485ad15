"""Qwen as an author and as a reader of scripts."""

from __future__ import annotations

from contentsvc.plugin import Context
from contentsvc_authoring import Completions, EntityReader, JsonMode, Question, ScriptAuthor
from contentsvc_dashscope.chat import QwenChat


class QwenScripts(ScriptAuthor):
    """Writes scripts."""

    def ask(self, ctx: Context, question: Question) -> Completions:
        """See :meth:`contentsvc_authoring.ScriptAuthor.ask`."""
        return _order(ctx, question)


class QwenEntities(EntityReader):
    """Finds people and places."""

    def ask(self, ctx: Context, question: Question) -> Completions:
        """See :meth:`contentsvc_authoring.EntityReader.ask`."""
        return _order(ctx, question)


def _order(ctx: Context, question: Question) -> Completions:
    # Few of Qwen's models take a schema.
    return Completions(ctx, question, QwenChat(ctx), JsonMode.OBJECT)
