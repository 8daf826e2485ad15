"""Doubao as an author: its thoughts as they come, drafts as segments are finished, then the script."""

from __future__ import annotations

from collections.abc import Iterator

from contentsvc.plugin import (
    Context,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    Usage,
)
from contentsvc_volcengine.answers import UNUSABLE, Draft, segments_of
from contentsvc_volcengine.chat import Doubao
from contentsvc_volcengine.matter import script_question

THINK = "think", "Thinking about the film"
WRITE = "write", "Writing the script"


class DoubaoScripts:
    """Writes scripts."""

    def stream(self, request: ScriptRequest, ctx: Context) -> Iterator[ScriptEvent]:
        """Order the script and show how it comes about."""
        answer, draft, used = "", Draft(), Usage()
        step = None
        # Nothing is shown before the first piece: until then the order is one that may be lost.
        for piece in Doubao(ctx).pieces(script_question(request)):
            used = piece.usage or used
            if piece.thought:
                if step is None:
                    step = THINK
                    yield ScriptTool(*step)
                yield ScriptText(piece.thought)
            if not piece.content:
                continue
            if step is not WRITE:
                if step is THINK:
                    yield ScriptTool(*step, is_done=True)
                step = WRITE
                yield ScriptTool(*step)
            answer += piece.content
            if draft.add(piece.content) and request.target_index is None:
                yield ScriptDraft(tuple(draft.segments))
        segments = _chosen(segments_of(answer), request)
        yield ScriptTool(*WRITE, is_done=True)
        yield ScriptResult(segments, used)


def _chosen(segments: tuple[ScriptSegment, ...], request: ScriptRequest) -> tuple[ScriptSegment, ...]:
    """The one that was to be rewritten, also where the model has written the others again."""
    target = request.target_index
    if target is None or len(segments) == 1:
        return segments
    if len(segments) != len(request.segments) or not 0 <= target < len(segments):
        raise ProviderError(UNUSABLE)
    return (segments[target],)
