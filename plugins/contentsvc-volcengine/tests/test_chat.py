"""Doubao as author and reader."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from volcengine_calls import calling
from volcengine_dialects import (
    EntityDialect,
    ScriptDialect,
    ark_error,
    chat_reply,
    chunk,
    event,
    script_document,
)

from contentsvc.plugin import (
    Capability,
    ContentRejected,
    ProviderError,
    ScriptDraft,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
)
from contentsvc.testing import Made, Reply, Request, sample_order, sample_result

ORDER = sample_order(Capability.SCRIPT)
MADE: Made = sample_result(Capability.SCRIPT)
BEFORE = ScriptSegment("Old words.", "An old picture", 4.0)


def script_reply(request: Request) -> Reply:
    return ScriptDialect().done(MADE, request)


def refuses_formats(request: Request) -> Reply:
    if "response_format" in request.json():
        return ark_error(400, "InvalidParameter", "Not supported.", "response_format.type")
    return script_reply(request)


def answered(text: str) -> Reply:
    return Reply.stream([chunk({"content": text}), chunk({}, "stop"), b"data: [DONE]\n\n"])


def events_of(folder: Path, reply: Any, order: ScriptRequest = ORDER) -> list[Any]:
    with calling(Capability.SCRIPT, reply, folder) as call:
        outcome = call.caller.start(order)
    assert outcome.error is None, outcome
    events: list[Any] = outcome.answer
    return events


def test_thoughts_come_first_then_drafts_then_the_script(tmp_path: Path) -> None:
    events = events_of(tmp_path, script_reply)
    assert events[:5] == [
        ScriptTool("think", "Thinking about the film"),
        ScriptText("A grey "),
        ScriptText("morning."),
        ScriptTool("think", "Thinking about the film", is_done=True),
        ScriptTool("write", "Writing the script"),
    ]
    drafts = [len(event.segments) for event in events if isinstance(event, ScriptDraft)]
    assert drafts == [1, 2]
    result = events[-1]
    assert isinstance(result, ScriptResult)
    assert [s.narration for s in result.segments] == [s.narration for s in MADE.segments]
    assert result.usage.units == Decimal("0.003")
    assert result.usage.raw == {"prompt_tokens": 100, "total_tokens": 3}


def test_the_order_has_schema_product_and_the_options_parameters(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, script_reply, tmp_path) as call:
        call.caller.start(ORDER)
        (request,) = call.server.requests
    body = request.json()
    assert (request.path, request.headers["Authorization"]) == (
        "/api/v3/chat/completions",
        "Bearer sk-kit-4b1e9d7c2f60a853",
    )
    assert body["model"] == "doubao-seed-2-1-pro-260915"
    assert body["thinking"] == {"type": "enabled"}
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["stream_options"] == {"include_usage": True}
    matter = json.loads(body["messages"][1]["content"])
    assert matter["product"]["title"] == "Stoneware cup"
    assert "8 seconds" in matter["task"]


@pytest.mark.parametrize(
    ("weight", "usage", "units"),
    [
        (5, {"total_tokens": 500, "completion_tokens": 100}, "0.9"),
        (1, {"total_tokens": 500, "completion_tokens": 100}, "0.5"),
        (5, {"total_tokens": 500, "completion_tokens": 501}, "0.5"),
        (-2, {"total_tokens": 500, "completion_tokens": 100}, "0.5"),
        (5, {"total_tokens": 500}, "0.5"),
    ],
)
def test_tokens_that_are_written_count_as_the_model_says(
    tmp_path: Path, weight: float, usage: dict[str, int], units: str
) -> None:
    reply = chat_reply('{"entities": []}', **usage)
    options = {"output_weight": weight}
    with calling(Capability.ENTITY_EXTRACTION, reply, tmp_path, options=options) as call:
        result = call.caller.start(sample_order(Capability.ENTITY_EXTRACTION)).answer.result
    assert result.usage.units == Decimal(units)


def test_a_model_without_response_formats_is_asked_in_words(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, refuses_formats, tmp_path) as call:
        outcome = call.caller.start(ORDER)
        first, second = call.asked
    assert isinstance(outcome.answer[-1], ScriptResult)
    assert "response_format" in first
    assert '"narration"' in second["messages"][0]["content"]


def test_json_may_be_asked_for_in_words_from_the_start(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, script_reply, tmp_path, options={"json": "prompt"}) as call:
        call.caller.start(ORDER)
        assert ["response_format" in body for body in call.asked] == [False]


def test_another_fault_of_the_request_is_not_tried_in_other_words(tmp_path: Path) -> None:
    fault = ark_error(400, "InvalidParameter", "Too long.", "max_tokens")
    with calling(Capability.SCRIPT, fault, tmp_path) as call:
        outcome = call.caller.start(ORDER)
        assert len(call.asked) == 1
    assert str(outcome.error) == "Volcengine refuses this order (HTTP 400): Too long."


def test_of_a_whole_script_the_segment_that_was_meant_is_taken(tmp_path: Path) -> None:
    order = ScriptRequest(
        ScriptMode.REVISE, ORDER.product, "Shorter.", segments=(BEFORE,) * 2, target_index=1
    )
    events = events_of(tmp_path, script_reply, order)
    assert [s.narration for s in events[-1].segments] == [MADE.segments[1].narration]
    assert not any(isinstance(event, ScriptDraft) for event in events)


def test_prose_around_the_script_does_no_harm(tmp_path: Path) -> None:
    document = json.dumps(script_document(MADE.segments))
    events = events_of(tmp_path, answered(f"Here it is:\n```json\n{document}\n```"))
    assert len(events[-1].segments) == 2


@pytest.mark.parametrize(
    ("pieces", "kind", "words"),
    [
        ([chunk({"content": "{"}), chunk({}, "content_filter")], ContentRejected, "held back"),
        ([chunk({"content": "{"}), chunk({}, "length")], ProviderError, "longer than it may be"),
        ([chunk({"content": "no"}), chunk({}, "stop")], ProviderError, "can't be used"),
        ([event({"error": {"code": "OutputTextRiskDetection"}})], ContentRejected, "held back"),
        ([event({"error": {"code": "InternalServiceError"}})], ProviderError, "could not answer"),
        ([b"data: {oops\n\n"], ProviderError, "could not be read"),
    ],
)
def test_a_stream_that_goes_wrong_says_why(
    tmp_path: Path, pieces: list[bytes], kind: type[ProviderError], words: str
) -> None:
    with calling(Capability.SCRIPT, Reply.stream(pieces), tmp_path) as call:
        error = call.caller.start(ORDER).error
    assert isinstance(error, kind)
    assert words in str(error)
    assert not error.retryable


def test_a_reader_who_cancels_ends_the_stream(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, script_reply, tmp_path) as call:
        call.caller.cancelled.set()
        assert "no longer wanted" in str(call.caller.start(ORDER).error)


def test_entities_are_read_without_thinking(tmp_path: Path) -> None:
    made = sample_result(Capability.ENTITY_EXTRACTION)
    order = sample_order(Capability.ENTITY_EXTRACTION)
    with calling(
        Capability.ENTITY_EXTRACTION, lambda request: EntityDialect().done(made, request), tmp_path
    ) as call:
        result = call.caller.start(order).answer.result
        (body,) = call.asked
    assert result.entities == made.entities
    assert result.usage.units == Decimal("0.003")
    assert (body["thinking"], "stream" in body) == ({"type": "disabled"}, False)


def test_a_reader_without_response_formats_is_asked_in_words(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if "response_format" in request.json():
            return ark_error(400, "InvalidParameter", "Not supported.", "response_format.type")
        return chat_reply('{"entities": []}', total_tokens=9)

    with calling(Capability.ENTITY_EXTRACTION, answer, tmp_path) as call:
        result = call.caller.start(sample_order(Capability.ENTITY_EXTRACTION)).answer.result
    assert (result.entities, result.usage.units) == ((), Decimal("0.009"))
