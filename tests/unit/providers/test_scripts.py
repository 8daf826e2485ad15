"""Events of a script backend, checked one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from contentsvc.plugin import (
    DialogueLine,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    Usage,
)
from contentsvc.providers.scripts import script_events

SHOT = ScriptSegment("A cup.", "A table", 5.0, (DialogueLine("Tea?"), DialogueLine("Yes.", "Ann")))
RESULT = ScriptResult((SHOT,))


def test_events_pass_unchanged() -> None:
    events: list[ScriptEvent] = [
        ScriptTool("plan", "Planning"),
        ScriptText("Well."),
        ScriptDraft((SHOT,)),
        RESULT,
    ]
    assert list(script_events(events)) == events


def test_nothing_is_read_behind_the_result() -> None:
    assert list(script_events([RESULT, ScriptText("And another thing.")])) == [RESULT]


@pytest.mark.parametrize(
    "event",
    [
        None,
        "text",
        ScriptText(5),  # type: ignore[arg-type]
        ScriptTool("plan", None),  # type: ignore[arg-type]
        ScriptTool("plan", "Planning", "no"),  # type: ignore[arg-type]
        ScriptDraft(SHOT),  # type: ignore[arg-type]
        ScriptResult(("A cup.",)),  # type: ignore[arg-type]
        ScriptResult((SHOT,), usage={}),  # type: ignore[arg-type]
        ScriptResult((SHOT,), usage=Usage(raw={"tokens": float("nan")})),
        ScriptResult((ScriptSegment("A cup.", None, 5.0),)),  # type: ignore[arg-type]
        ScriptResult((ScriptSegment("A cup.", "A table", "5"),)),  # type: ignore[arg-type]
        ScriptResult((ScriptSegment("A cup.", "A table", 5.0, ("Tea?",)),)),  # type: ignore[arg-type]
        ScriptResult((ScriptSegment("A cup.", "A table", 5.0, (DialogueLine("Tea?", 1),)),)),  # type: ignore[arg-type]
    ],
)
def test_anything_else_is_a_defect(event: Any) -> None:
    with pytest.raises(TypeError):
        list(script_events([event]))


def test_a_stream_without_a_result_is_a_defect() -> None:
    with pytest.raises(TypeError):
        list(script_events([ScriptText("Well.")]))


def broken(*events: ScriptEvent) -> Iterator[ScriptEvent]:
    yield from events
    raise httpx.ReadError("gone")


def test_a_connection_that_breaks_at_first_may_have_ordered() -> None:
    with pytest.raises(httpx.ReadError):
        list(script_events(broken()))


def test_a_connection_that_breaks_later_has_lost_the_order() -> None:
    with pytest.raises(ProviderError):
        list(script_events(broken(ScriptText("Well."))))


def test_a_reader_that_stops_closes_the_stream() -> None:
    closed = []

    def stream() -> Iterator[ScriptEvent]:
        try:
            yield ScriptText("Well.")
            yield RESULT
        finally:
            closed.append(True)

    events = script_events(stream())
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert closed == [True]
