"""What a script backend yields, checked before anybody sees it."""

from __future__ import annotations

from collections.abc import Generator, Iterable

import httpx

from contentsvc.plugin import (
    DialogueLine,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
)
from contentsvc.providers.results import is_usage

BROKEN_OFF = "The connection to the provider broke off."


def script_events(stream: Iterable[object]) -> Generator[ScriptEvent, None, None]:
    """The events of a stream up to its result, each checked by type; the stream is closed at the end.

    Raises TypeError for anything else and for a stream without a result, ProviderError where
    the connection breaks after the first event: what was ordered is lost, not unknown.
    """
    begun = False
    events = iter(stream)
    try:
        for event in events:
            begun = True
            yield (checked := _checked(event))
            if isinstance(checked, ScriptResult):
                return
    except httpx.TransportError as error:
        if begun:
            raise ProviderError(BROKEN_OFF) from error
        raise
    finally:
        # Only generators know how; another iterator has nothing to close.
        if close := getattr(events, "close", None):
            close()
    raise TypeError("the stream ended without a ScriptResult")


def _checked(event: object) -> ScriptEvent:
    match event:
        case ScriptTool(name=str(), label=str(), is_done=bool()) | ScriptText(text=str()):
            return event
        case ScriptDraft(segments=segments) if _are_segments(segments):
            return event
        case ScriptResult(segments=segments, usage=usage) if _are_segments(segments) and is_usage(usage):
            return event
    raise TypeError(f"the stream yielded something else than it may: {type(event).__name__}")


def _are_segments(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_segment, value))


def _is_segment(value: object) -> bool:
    match value:
        case ScriptSegment(narration=str(), visual_prompt=str(), duration_seconds=int() | float()):
            return isinstance(value.dialogue, list | tuple) and all(map(_is_line, value.dialogue))
    return False


def _is_line(value: object) -> bool:
    match value:
        case DialogueLine(line=str(), speaker=None | str()):
            return True
    return False
